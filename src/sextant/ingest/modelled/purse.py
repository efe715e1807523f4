"""What reading with a model may cost, guessed beforehand and counted while it is done."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.errors import ConfigError, ModelBudgetSpent
from sextant.ingest.modelled.prompt import Excerpt, prompt_for
from sextant.ingest.report import ByModel
from sextant.settings import ModelSettings
from sextant.talk.prices import cost_of
from sextant.talk.spending import Spending, guessed
from sextant.types import Usage

_REPLY_PER_TEXT = 40
_REPLY_SHARE = 0.75
"""A reply has about so many tokens for each text, and for each token of it."""

_CHARACTERS_PER_TOKEN = 4


def guessed_usage(portion: Sequence[Excerpt]) -> Usage:
    """Guess the tokens of a call."""
    characters = sum(len(one.text) for one in portion)
    reply = characters / _CHARACTERS_PER_TOKEN * _REPLY_SHARE + _REPLY_PER_TEXT * len(portion)
    return Usage(guessed(prompt_for(portion)), int(reply))


class Purse:
    """How much money there is, if it is bounded, and what is set aside for calls under way."""

    def __init__(self, most: float | None, settings: ModelSettings) -> None:
        self._most, self._settings = most, settings
        self._aside = 0.0
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
            f"{cost:.2f}, and {self._most:.2f} is allowed; no call was made.",
            "The documents are in, read without the model. Allow more with --max-cost, or take in "
            "less at a time.",
        )

    def set_aside(self, usage: Usage) -> bool:
        """Set money aside for a call; False if it is not there any more."""
        price = self.price(usage) or 0.0
        spent = self.price(self.spending.usage) or 0.0
        if self._most is not None and spent + self._aside + price > self._most:
            return False
        self._aside += price
        return True

    def give_back(self, usage: Usage) -> None:
        """Let go of what was set aside, after the call was counted."""
        self._aside -= self.price(usage) or 0.0
