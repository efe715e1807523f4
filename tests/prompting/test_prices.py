"""Costs, where prices are set."""

from __future__ import annotations

from sextant.prompting.prices import cost_of
from sextant.settings import ModelSettings
from sextant.types import Usage


def test_a_cost_is_known_where_prices_are_set() -> None:
    usage = Usage(1_000_000, 500_000, 200_000)
    assert cost_of(usage, ModelSettings()) is None
    assert cost_of(usage, ModelSettings(input_price=2.0, output_price=8.0)) == 6.0
    assert cost_of(usage, ModelSettings(output_price=8.0)) == 4.0
    assert cost_of(Usage(), ModelSettings(input_price=2.0)) == 0.0
