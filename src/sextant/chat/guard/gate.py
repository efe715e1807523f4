"""When what a user wrote is checked, by whom, and what becomes of a run that is denied.

It is checked where the thread ends with something of the user: what comes back from an action is no
message of theirs. Nobody answers, and nothing is called, before every guardrail has said yes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import takewhile

from sextant.chat.context import RunContext
from sextant.errors import GuardrailDenied, GuardrailUnavailable, PeerUnreachable, SextantError
from sextant.ports import Guardrail
from sextant.settings import GuardrailSettings
from sextant.spans import span
from sextant.types import (
    ChatMessage,
    GuardedInput,
    GuardVerdict,
    ImageMessage,
    RunRequest,
    Speaker,
    StateMessage,
    TextMessage,
    TopicRules,
)

_log = logging.getLogger(__name__)
_SPOKEN = (Speaker.USER, Speaker.ASSISTANT)
_LONGEST_REASON = 500  # characters of what a service says, which a user reads
_GRACE_S = 1.0  # beyond its own time, so that a service can say itself why it is late
_REMEMBERED = 10_000
"""Denied messages that are known again: about 1 MB."""
_ASK_ELSE = "Ask about something else."
_UNCHECKED = "The message could not be checked, so it is not answered."
_LATER = "Try again later."


@dataclass(frozen=True, slots=True)
class Gate:
    """The guardrails of this process. Where a client wants topics checked and none is set, `own`
    checks them.
    """

    settings: GuardrailSettings
    services: Sequence[Guardrail]
    own: Guardrail
    _denied: OrderedDict[bytes, None] = field(
        init=False, default_factory=OrderedDict, repr=False, compare=False
    )

    async def admit(self, context: RunContext) -> None:
        """Let a run go on without what was denied in its thread before, or raise why it may not."""
        said = _last_of_user(context.messages)
        if said:
            try:
                await self._check(context, said)
            except GuardrailDenied as denied:
                if not isinstance(denied, GuardrailUnavailable):
                    self._remember(context, said)
                raise
        if self._denied:
            context.messages = [
                one for one in context.messages if not self._is_denied(context, one)
            ]

    async def _check(self, context: RunContext, said: Sequence[TextMessage]) -> None:
        before = [one for one in context.messages if isinstance(one, TextMessage)]
        before = [one for one in before if one not in said and one.speaker in _SPOKEN]
        text = "\n".join(one.text for one in said)
        for service, rules in self._checks(context.request):
            key = context.request.cloud_key
            asked = GuardedInput(text, rules, tuple(before), key)
            with span("sextant.guardrail", {"sextant.guardrail": service.name}):
                verdict = await self._ask(service, asked)
            if not verdict.is_allowed:
                reason = verdict.reason[:_LONGEST_REASON] or "The message is not allowed."
                raise GuardrailDenied(reason, _ASK_ELSE)

    def _remember(self, context: RunContext, said: Sequence[TextMessage]) -> None:
        self._denied.update({_mark(context, one): None for one in said})
        while len(self._denied) > _REMEMBERED:
            self._denied.popitem(last=False)

    def _is_denied(self, context: RunContext, message: ChatMessage) -> bool:
        is_of_user = isinstance(message, TextMessage) and message.speaker is Speaker.USER
        return is_of_user and _mark(context, message) in self._denied

    def _checks(self, request: RunRequest) -> Iterator[tuple[Guardrail, TopicRules]]:
        """Yield who is asked, under which rules: a client's never take the place of the settings'.

        So a client can narrow what is answered, and not widen it.
        """
        set_here = TopicRules(self.settings.allow, self.settings.deny)
        if self.services or set_here != TopicRules():
            yield from ((one, set_here) for one in self.services or (self.own,))
        if request.topics is not None:
            yield from ((one, request.topics) for one in self.services or (self.own,))

    async def _ask(self, service: Guardrail, asked: GuardedInput) -> GuardVerdict:
        try:
            async with asyncio.timeout(self.settings.seconds + _GRACE_S):
                return await service.check(asked)
        except (PeerUnreachable, TimeoutError) as error:
            why = str(error) or "it takes too long"
            _log.warning("The guardrail %s cannot be asked: %s", service.name, why)
            if self.settings.when_down == "open":
                return GuardVerdict(is_allowed=True)
        except Exception as error:
            why = str(error) if isinstance(error, SextantError) else type(error).__name__
            _log.warning("The guardrail %s failed: %s", service.name, why)
        raise GuardrailUnavailable(_UNCHECKED, _LATER)


def _mark(context: RunContext, message: ChatMessage) -> bytes:
    """Return by which a message of a thread is known again, whatever id the client gives it."""
    text = message.text if isinstance(message, TextMessage) else ""
    scope = context.scope
    return sha256(repr((scope.tenant, scope.user, context.thread_id, text)).encode()).digest()


def _last_of_user(messages: Sequence[ChatMessage]) -> list[TextMessage]:
    """Return what the user wrote since somebody else spoke, if the thread ends with that."""
    spoken = [one for one in messages if not isinstance(one, StateMessage)]
    last = list(takewhile(_is_of_user, reversed(spoken)))
    return [one for one in reversed(last) if isinstance(one, TextMessage)]


def _is_of_user(message: ChatMessage) -> bool:
    match message:
        case TextMessage() | ImageMessage():
            return message.speaker is Speaker.USER
    return False
