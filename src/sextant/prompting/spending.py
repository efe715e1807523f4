"""What models were asked to do for one purpose, and how much of what was allowed is left.

Tokens are as the provider counts them; where it does not, or a reply is left before its end, they
are guessed from the text, so that a budget holds whatever a server tells.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from sextant.errors import ModelBudgetSpent, ModelError
from sextant.ports import ChatModel
from sextant.types import Arguments, Delta, Ended, ModelIdentity, Prompt, TextDelta, Usage

_BYTES_PER_TOKEN = 4
_TEXT = (TextDelta, Arguments)


@dataclass(slots=True)
class Spending:
    """The calls of a purpose, such as one answer; 0 allows any number of tokens.

    Calls that run at once each see what is left when they begin.
    """

    allowed: int = 0
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    retries: int = 0
    guesses: int = 0

    @property
    def left(self) -> int | None:
        """The tokens that are left, or None where there is no bound."""
        spent = self.usage.read + self.usage.written
        return max(0, self.allowed - spent) if self.allowed else None


def metered(model: ChatModel, spending: Spending) -> ChatModel:
    """Count every call of a model, and refuse one that is more than what is left."""
    return _Metered(model, spending)


def guessed(prompt: Prompt) -> int:
    """Guess the tokens of a prompt from its texts."""
    texts = [message.text for message in prompt.messages]
    texts += [call.arguments for message in prompt.messages for call in message.calls]
    return _tokens("".join(texts))


class _Metered:
    def __init__(self, model: ChatModel, spending: Spending) -> None:
        self._model, self._spending = model, spending

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""
        return self._model.identity

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces as the model does, within what is left."""
        prompt = _within(prompt, self._spending.left)
        self._spending.calls += 1
        said: list[str] = []
        ended: Ended | None = None
        try:
            async with aclosing(self._model.stream(prompt)) as deltas:
                async for delta in deltas:
                    if isinstance(delta, _TEXT):
                        said.append(delta.text)
                    elif isinstance(delta, Ended):
                        ended = delta
                    yield delta
        except ModelError as error:
            self._spending.retries += error.retries
            raise
        finally:
            self._count(prompt, said, ended)

    def _count(self, prompt: Prompt, said: list[str], ended: Ended | None) -> None:
        usage = ended.usage if ended else Usage()
        self._spending.retries += ended.retries if ended else 0
        if usage == Usage() and (ended or said):
            usage = Usage(guessed(prompt), _tokens("".join(said)))
            self._spending.guesses += 1
        self._spending.usage += usage


def _within(prompt: Prompt, left: int | None) -> Prompt:
    """Return the prompt with as long a reply as is left for it."""
    if left is None:
        return prompt
    room = left - guessed(prompt)
    if room <= 0:
        raise ModelBudgetSpent(
            f"The tokens that are allowed are used up: {left:,} are left,"
            f" and the prompt alone takes about {guessed(prompt):,}.",
            "Raise model.tokens, or ask for less.",
        )
    return replace(prompt, max_tokens=min(prompt.max_tokens or room, room))


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
