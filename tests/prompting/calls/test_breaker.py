"""A breaker lets calls through, then one per cool-down, then all again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import ModelUnavailable
from sextant.prompting.calls.breaker import Breaker


def is_let_through(breaker: Breaker, now: float) -> bool:
    try:
        breaker.enter(now)
    except ModelUnavailable:
        return False
    return True


def test_it_opens_after_failures_in_a_row_only() -> None:
    breaker = Breaker("m", most=2, cool_down_s=10.0)
    breaker.failed(0.0)
    breaker.answered()
    breaker.failed(1.0)
    assert is_let_through(breaker, 1.0)
    breaker.failed(2.0)
    assert breaker.is_open
    with pytest.raises(ModelUnavailable, match=r"m failed 2 times in a row .* 7 s more") as raised:
        breaker.enter(5.0)
    assert raised.value.retry_after == 7.0


def test_one_call_tries_for_all_and_one_more_if_it_is_never_heard_of() -> None:
    breaker = Breaker("m", most=1, cool_down_s=10.0)
    breaker.failed(0.0)
    tried = [moment for moment in range(40) if is_let_through(breaker, float(moment))]
    assert tried == [10, 20, 30]
    breaker.answered()
    assert all(is_let_through(breaker, 31.0) for _ in range(3))


@given(st.lists(st.sampled_from(["failed", "answered"]), max_size=30))
def test_it_is_open_exactly_while_the_last_five_failed(ends: list[str]) -> None:
    breaker = Breaker("m")
    for end in ends:
        breaker.failed(0.0) if end == "failed" else breaker.answered()
    assert breaker.is_open == (len(ends) >= 5 and set(ends[-5:]) == {"failed"})
