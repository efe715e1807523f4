"""Which links a run may tell: those of allowed hosts, and those that stood in it before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sextant.chat.actions.addresses import KnownAddresses
from sextant.chat.context import RunContext
from sextant.chat.reply_links.link_filter import LinkFilter
from sextant.chat.reply_links.targets import host_of_address
from sextant.settings import ChatSettings
from sextant.types import RunEvent, RunKind, TextAdded, TextEnded

_SHOWN = (RunKind.CHAT, RunKind.TASK)
"""Runs whose text is shown as Markdown; suggestions and text areas are not."""


def keeps_to_known_links(settings: ChatSettings, kind: RunKind) -> bool:
    """Whether a run of this kind may only tell links that are known."""
    is_off = settings.links == "all" or (settings.links == "auto" and settings.grounding == "off")
    return kind in _SHOWN and not is_off


@dataclass(slots=True)
class ReplyLinks:
    """Takes the links that are not known out of the texts of one run, each message by itself.

    What is loaded without a click has an address that the user wrote, or an allowed host: which of
    several images is loaded could tell something, whoever named them.
    """

    context: RunContext
    hosts: frozenset[str]
    _filters: dict[str, LinkFilter] = field(default_factory=dict)
    _known: KnownAddresses | None = None

    def screen(self, event: RunEvent) -> Sequence[RunEvent]:
        """Return a text without such links, as far as it can be told; other events as they are."""
        if isinstance(event, TextAdded):
            own = self._filters.get(event.message_id) or self._open(event.message_id)
            text = own.feed(event.text)
            if text == event.text:
                return (event,)
            return (TextAdded(event.message_id, text),) if text else ()
        if isinstance(event, TextEnded) and event.message_id in self._filters:
            return (*self._rest(event.message_id), event)
        return (event,)

    def end(self) -> Sequence[RunEvent]:
        """Return what is held back of messages that were cut off."""
        return [rest for own in list(self._filters) for rest in self._rest(own)]

    def allows(self, address: str, is_loaded: bool) -> bool:
        """Whether an address may stand in a text."""
        if host_of_address(address) in self.hosts:
            return True
        if self._known is None:
            self._known = KnownAddresses(self.context)
        known = self._known.read()
        return address in known.of_user or (not is_loaded and address in known.of_others)

    def _open(self, message_id: str) -> LinkFilter:
        return self._filters.setdefault(message_id, LinkFilter(self.allows))

    def _rest(self, message_id: str) -> Iterator[TextAdded]:
        if left := self._filters.pop(message_id).end():
            yield TextAdded(message_id, left)
