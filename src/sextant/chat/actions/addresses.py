"""Addresses that somebody else than the model wrote in a run; what it made up itself is not known.

A model that is misled puts what it knows into an address of the attacker. Such an address stands
nowhere before: neither did the user or the page say it, nor did a tool return it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sextant.chat.context import RunContext
from sextant.chat.reply_links.targets import host_of_address
from sextant.types import (
    ActionMessage,
    ActionReturned,
    ArgumentsAdded,
    ChatMessage,
    Json,
    ResultMessage,
    RunEvent,
    Speaker,
    TextMessage,
)

_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{0,20}:)?//[^\s\"'<>`]+|\bwww\.[^\s\"'<>`]+", re.IGNORECASE
)
_AROUND = ".,;:!?)]}*_"
"""What stands behind an address in a sentence, and is no part of it."""


@dataclass(slots=True)
class KnownAddresses:
    """The addresses of a run that its user wrote, and those of the page and of tools.

    What a tool returns of the arguments that the model sent to it is the model's own.
    """

    context: RunContext
    of_user: set[str] = field(default_factory=set)
    of_others: set[str] = field(default_factory=set)
    _messages: Sequence[ChatMessage] | None = None
    _events_read: int = 0
    _sent: dict[str, str] = field(default_factory=dict)

    def read(self) -> KnownAddresses:
        """Take in what was said since it was last read."""
        if self._messages is not self.context.messages:
            self._messages = self.context.messages
            self._read_messages()
        events = self.context.log.events
        for event in events[self._events_read :]:
            self._read_event(event)
        self._events_read = len(events)
        return self

    def knows(self, address: str) -> bool:
        """Whether anybody wrote it."""
        return address in self.of_user or address in self.of_others

    def _read_messages(self) -> None:
        for message in self._messages or ():
            match message:
                case TextMessage(speaker=Speaker.USER):
                    self.of_user.update(_known_in(message.text))
                case TextMessage() if message.speaker is not Speaker.ASSISTANT:
                    self.of_others.update(_known_in(message.text))
                case ActionMessage():
                    self._sent[message.id] = message.arguments
                case ResultMessage():
                    self._read_result(message.call_id, message.result)
        for item in self.context.request.context:
            self.of_others.update(_known_in(item.value))
        for answered in self.context.answered:  # who approved a call has seen its arguments
            for text in (answered.pending.arguments, answered.response):
                self.of_user.update(_known_in_json(text))

    def _read_event(self, event: RunEvent) -> None:
        match event:
            case ArgumentsAdded(own, text):
                self._sent[own] = self._sent.get(own, "") + text
            case ActionReturned(own, _, result, failed) if not failed:
                self._read_result(own, result)

    def _read_result(self, call_id: str, result: str) -> None:
        sent = self._sent.get(call_id, "")
        self.of_others |= _known_in_json(result) - _known_in_json(sent)


def made_up_addresses(
    arguments: str, context: RunContext, allowed: Sequence[str]
) -> tuple[str, ...]:
    """Return the addresses in arguments that nobody said before, and whose host is not allowed."""
    texts = _strings(_parsed(arguments))
    sent = dict.fromkeys(own for text in texts for own in addresses_in(text))
    if not sent:
        return ()
    known = KnownAddresses(context).read()
    return tuple(
        own for own in sent if not known.knows(own) and host_of_address(own) not in allowed
    )


def addresses_in(text: str) -> Iterator[str]:
    """Yield the addresses that a text has."""
    for found in _ADDRESS.finditer(text):
        yield found[0].rstrip(_AROUND)


def _known_in(text: str) -> Iterator[str]:
    """Yield the addresses of a text, in a link of Markdown both its own and that of its text."""
    for whole in addresses_in(text):
        yield whole
        shown, mark, behind = whole.partition("](")
        if mark:
            yield from (shown, behind)


def _known_in_json(text: str) -> set[str]:
    return {own for one in _strings(_parsed(text)) for own in _known_in(one)}


def _strings(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            yield from _each(value)
        case dict():
            yield from value
            yield from _each(value.values())


def _each(values: Iterable[Json]) -> Iterator[str]:
    for one in values:
        yield from _strings(one)


def _parsed(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value
