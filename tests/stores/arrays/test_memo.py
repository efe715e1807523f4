"""A memory that is bounded: what is asked for stays, the rest makes room."""

from hypothesis import given
from hypothesis import strategies as st

from sextant.stores.arrays.snapshots.memo import Memo


def test_what_was_kept_is_there_and_what_was_not_is_none() -> None:
    memo = Memo(1_000)
    memo.keep("a", 1, 10)
    assert memo.get("a") == 1
    assert memo.get("b") is None


def test_what_is_asked_for_outlives_what_is_not() -> None:
    memo = Memo(1_000)
    memo.keep("asked", 1, 100)
    memo.keep("unasked", 2, 100)
    for number in range(50):
        memo.keep(number, number, 100)
        assert memo.get("asked") == 1
    assert memo.get("unasked") is None


def test_a_value_that_would_push_out_all_others_is_not_kept() -> None:
    memo = Memo(1_000)
    memo.keep("small", 1, 10)
    memo.keep("large", 2, 900)
    assert memo.get("small") == 1
    assert memo.get("large") is None


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 125), st.booleans()), max_size=200))
def test_it_never_holds_more_than_it_may_nor_another_value(
    steps: list[tuple[int, int, bool]],
) -> None:
    memo = Memo(1_000)
    last: dict[int, object] = {}
    for key, size, keep in steps:
        if keep:
            last[key] = value = (key, size, object())
            memo.keep(key, value, size)
        else:
            assert memo.get(key) in (None, last.get(key))
    held = [one for one in (memo.get(key) for key in range(21)) if one is not None]
    assert sum(size for _, size, _ in held) <= 1_000
