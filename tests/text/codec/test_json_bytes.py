from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sextant.text.codec.json_bytes import canonical, written

_WHOLE = st.characters(exclude_categories=["Cs"])
_NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
_LEAVES = st.none() | st.booleans() | _NUMBERS


def _values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        _LEAVES | text, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=30
    )


def _shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, dict):
        names = list(value)
        order.shuffle(names)
        return {name: _shuffled(value[name], order) for name in names}
    return [_shuffled(one, order) for one in value] if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Noun:
    name: str
    parts: tuple[str, ...]


@given(_values(st.text(_WHOLE)))
def test_what_is_written_is_read_as_it_was(value: Any) -> None:
    assert json.loads(written(value)) == value
    assert json.loads(canonical(value)) == value


@given(_values(st.text()), st.randoms(use_true_random=False))
def test_the_order_of_names_changes_no_byte(value: Any, order: random.Random) -> None:
    assert canonical(value) == canonical(_shuffled(value, order))


def test_half_characters_become_question_marks_where_somebody_reads_them() -> None:
    assert json.loads(written({"a": "x\ud800y"})) == {"a": "x?y"}
    assert json.loads(written(Noun("\ud800", ("b",)))) == {"name": "?", "parts": ["b"]}


def test_half_characters_tell_values_apart_by_their_bytes() -> None:
    assert canonical({"a": "\ud800"}) != canonical({"a": "\udfff"})
    assert canonical(Noun("\ud800", ())) == canonical({"parts": [], "name": "\ud800"})


def test_numbers_that_are_none_are_nothing() -> None:
    assert written([float("nan"), float("inf")]) == b"[null,null]"
