"""What a call costs, where its prices are set. Knows no provider's price list: they go stale."""

from __future__ import annotations

from sextant.settings import ModelSettings
from sextant.types import Usage

_MILLION = 1_000_000


def cost_of(usage: Usage, settings: ModelSettings) -> float | None:
    """Return what these tokens cost, in the currency of the prices; None where none is set.

    Cached tokens count in full, so it is never less than what the provider asks for.
    """
    if not settings.input_price and not settings.output_price:
        return None
    whole = usage.read * settings.input_price + usage.written * settings.output_price
    return whole / _MILLION
