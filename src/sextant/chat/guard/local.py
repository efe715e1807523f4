"""The guardrail that needs nobody else: topics, orders to a model, and secrets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sextant.ask.resolve import resolve
from sextant.ask.route import route
from sextant.chat.guard.topics import Topics
from sextant.chat.threads.history import turns_in
from sextant.ports import Embedder
from sextant.prompting.secrets.redact import redacted
from sextant.settings import Settings
from sextant.text.orders import has_order
from sextant.text.words import Words
from sextant.types import GuardedInput, GuardVerdict

_ALLOWED = GuardVerdict(is_allowed=True)
_ORDER = "The message wants to overrule what the assistant was told."
_SECRET = "The message has a key, a token or a password in it."  # noqa: S105 - a sentence
_SHOWN = 5
"""Topics that a reason names: more do not fit into a line of a chat."""


@dataclass(frozen=True, slots=True)
class LocalGuardrail:
    """Checks what a user wrote by rules and by meaning; nothing leaves this process."""

    topics: Topics
    finds_orders: bool = False
    finds_secrets: bool = False

    @property
    def name(self) -> str:
        """How it is called in a log."""
        return "local"

    async def check(self, asked: GuardedInput) -> GuardVerdict:
        """Say whether it may be answered."""
        if self.finds_secrets and redacted(asked.text) != asked.text:
            return _denied(_SECRET)
        if self.finds_orders and has_order(asked.text):
            return _denied(_ORDER)
        return await self._check_topics(asked)

    async def close(self) -> None:
        """Nothing is held open: the embedder is somebody else's."""

    async def _check_topics(self, asked: GuardedInput) -> GuardVerdict:
        rules = asked.rules
        if found := await self.topics.found_in(asked.text, rules.denied):
            return _denied(f"Topic '{found[0]}' is not allowed.")
        if rules.allowed and not await self._is_among(asked):
            return _denied(f"Only these topics are answered here: {_listed(rules.allowed)}.")
        return _ALLOWED

    async def _is_among(self, asked: GuardedInput) -> bool:
        """Whether a message is about an allowed topic, by itself or with what it goes on from.

        A greeting is about nothing. “And as JSON?” is about what was asked before it.
        """
        if not route(asked.text).knowledge:
            return True
        whole = resolve(asked.text, turns_in(asked.before))
        return bool(await self.topics.found_in(whole.text, asked.rules.allowed))


def open_guardrail(_: str, settings: Settings, embedder: Embedder) -> LocalGuardrail:
    """Open the guardrail at local:, with all that the settings want checked."""
    rules = settings.guardrails
    return replace(
        topics_guardrail(settings, embedder),
        finds_orders=rules.orders,
        finds_secrets=rules.secrets,
    )


def topics_guardrail(settings: Settings, embedder: Embedder) -> LocalGuardrail:
    """Return the guardrail for topics that nobody else is set to check."""
    words = Words(settings.keyword.language)
    return LocalGuardrail(Topics(embedder, words, settings.guardrails.likeness))


def _denied(reason: str) -> GuardVerdict:
    return GuardVerdict(is_allowed=False, reason=reason)


def _listed(topics: tuple[str, ...]) -> str:
    more = len(topics) - _SHOWN
    return ", ".join(topics[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
