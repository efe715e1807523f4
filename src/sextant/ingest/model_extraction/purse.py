"""What reading with a model may cost, guessed beforehand and counted while it is done.

A call is made only if the bound holds however long its prompt and its reply turn out to be: so much
is set aside for it, and the reply may be no longer than that. A server that writes more than it is
allowed, or counts more tokens than the prompt has bytes, is stopped after that one call.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace

from sextant.errors import ConfigError, ModelBudgetSpent
from sextant.ingest.model_extraction.prompt import Excerpt, prompt_for
from sextant.ingest.report import ByModel
from sextant.ports import ChatModel
from sextant.prompting.prices import cost_of
from sextant.prompting.spending import Spending, guessed, metered
from sextant.settings import ModelSettings
from sextant.types import Delta, ModelIdentity, Prompt, Usage

_REPLY_PER_TEXT = 40
_REPLY_SHARE = 0.75
"""A reply has about so many tokens for each text, and for each token of it."""

_CHARACTERS_PER_TOKEN = 4
_AROUND = 200
"""So many tokens may a provider put around the messages."""


def guessed_usage(portion: Sequence[Excerpt]) -> Usage:
    """Guess the tokens of a call."""
    characters = sum(len(one.text) for one in portion)
    reply = characters / _CHARACTERS_PER_TOKEN * _REPLY_SHARE + _REPLY_PER_TEXT * len(portion)
    return Usage(guessed(prompt_for(portion)), int(reply))


def _most_read(prompt: Prompt) -> int:
    """Return more tokens than a prompt can have: none is less than a byte."""
    schema = json.dumps(prompt.schema.schema) if prompt.schema else ""
    texts = "".join(message.text for message in prompt.messages)
    return len((texts + schema).encode(errors="replace")) + _AROUND


class Purse:
    """How much money there is, if it is bounded, and what is set aside for calls under way."""

    def __init__(self, most: float | None, settings: ModelSettings) -> None:
        self._most, self._settings = most, settings
        self._aside: list[float] = []
        self._change = asyncio.Condition()
        self.spending = Spending()
        if most is not None and self.price(Usage(1, 1)) is None:
            raise ConfigError(
                "What reading with a model may cost is bounded, but not what a token costs.",
                "Set model.input_price and model.output_price, for a million tokens each, as in "
                "SEXTANT_MODEL_INPUT_PRICE=0.15.",
            )

    def price(self, usage: Usage) -> float | None:
        """Return what tokens cost, where prices are set."""
        return cost_of(usage, self._settings)

    def check(self, plan: ByModel) -> None:
        """Refuse to begin what would cost too much."""
        cost = plan.estimated_cost
        if self._most is None or cost is None or cost <= self._most:
            return
        raise ModelBudgetSpent(
            f"Reading {plan.wanted - plan.known:,} chunks with {plan.model} would cost about "
            f"{cost:.4g}, and {self._most:.4g} is allowed; no call was made.",
            "The documents are in, read without the model. Allow more with --max-cost, or take in "
            "less at a time.",
        )

    def paying(self, model: ChatModel, least: int) -> ChatModel:
        """Return the model, paid from here for replies of at least so many tokens."""
        return _Paid(metered(model, self.spending), self, least)

    @asynccontextmanager
    async def set_aside(self, prompt: Prompt, least: int) -> AsyncIterator[Prompt]:
        """Hold what a call may cost, and return it with as long a reply as can be paid.

        What others hold may come back, so it is waited for before a call is refused.
        """
        if self._most is None:
            yield prompt
            return
        async with self._change:
            await self._change.wait_for(lambda: not self._aside or self._room(prompt) >= least)
            room = self._room(prompt)
            if room < least:
                raise ModelBudgetSpent(
                    "What is left of what it may cost is too little for a call.",
                    "Allow more with --max-cost, or take in less at a time.",
                )
            price = self.price(Usage(_most_read(prompt), room)) or 0.0
            self._aside.append(price)
        try:
            yield replace(prompt, max_tokens=room)
        finally:
            async with self._change:
                self._aside.remove(price)
                self._change.notify_all()

    def _room(self, prompt: Prompt) -> int:
        """Return how long the reply to a prompt may be, or -1 if not even that can be paid."""
        spent = self.price(self.spending.usage) or 0.0
        asked = self.price(Usage(_most_read(prompt))) or 0.0
        left = (self._most or 0.0) - spent - sum(self._aside) - asked
        wanted = prompt.max_tokens or 0
        all_of_it = self.price(Usage(0, wanted)) or 0.0
        if left < 0:
            return -1
        return wanted if all_of_it <= left else int(wanted * left / all_of_it)


@dataclass(frozen=True, slots=True)
class _Paid:
    """A model whose every call is paid for, repairs as well."""

    model: ChatModel
    purse: Purse
    least: int

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""
        return self.model.identity

    async def close(self) -> None:
        """Close the model."""
        await self.model.close()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces as the model does, with as many as can be paid."""
        async with (
            self.purse.set_aside(prompt, self.least) as affordable,
            aclosing(self.model.stream(affordable)) as deltas,
        ):
            async for delta in deltas:
                yield delta
