"""Pauses between tries: spread out, growing up to a bound, and as long as the provider wants."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import ModelRateLimited, ModelUnavailable
from sextant.prompting.calls.backoff import FIRST_S, LONGEST_S, pause_before

CHANCES = st.floats(0, 1, exclude_max=True)


@given(st.integers(0, 100), CHANCES)
def test_a_pause_lies_anywhere_up_to_a_bound_that_doubles(retry: int, chance: float) -> None:
    pause = pause_before(retry, ModelUnavailable("Down.", "Try again."), lambda: chance)
    assert 0 <= pause <= min(LONGEST_S, FIRST_S * 2**retry)
    assert pause_before(retry, ModelUnavailable("Down.", "Try again."), lambda: 0.0) == 0


@given(st.integers(0, 10), CHANCES, st.floats(0.001, 1e6))
def test_a_provider_gets_the_pause_it_asks_for(retry: int, chance: float, wait: float) -> None:
    error = ModelRateLimited("Slowly.", "Wait.", retry_after=wait)
    assert wait <= pause_before(retry, error, lambda: chance) <= wait + FIRST_S


def test_a_pause_that_is_no_number_is_none() -> None:
    error = ModelRateLimited("Slowly.", "Wait.", retry_after=float("nan"))
    assert pause_before(0, error) <= FIRST_S
