"""Replies that repeat themselves are told from those that do not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sextant.prompting.calls.runaway import repeats

UNITS = st.text("ab", min_size=1, max_size=260)


@given(UNITS, st.integers(0, 300))
def test_a_tail_repeats_if_and_only_if_it_has_a_short_period(unit: str, cut: int) -> None:
    tail = (unit * 2_400)[cut : cut + 2_000]
    expected = any(tail[shift:] == tail[:-shift] for shift in range(1, 201))
    assert repeats(tail) == expected


@given(UNITS, st.integers(0, 1_999), st.sampled_from("abc"))
def test_one_letter_that_breaks_the_rhythm_counts(unit: str, at: int, letter: str) -> None:
    tail = (unit * 2_000)[:2_000]
    tail = tail[:at] + letter + tail[at + 1 :]
    expected = any(tail[shift:] == tail[:-shift] for shift in range(1, 201))
    assert repeats(tail) == expected


def test_a_short_text_may_repeat_itself() -> None:
    assert not repeats("ha" * 999)
