"""What goes to a store in another process and comes back is the same to the last bit."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import InvalidInput
from sextant.query import AllOf, AnyOf, ChunksAny, Filter, Not, Query, TagsAny, TimeRange
from sextant.text.codec.decode import item
from sextant.text.codec.encode import plain_of
from sextant.text.codec.remote import (
    pieces_of,
    pieces_plain,
    query_of,
    query_plain,
    web_of,
    web_plain,
)
from sextant.types import Chunk, Document, Found, Match, Passage, Pieces, Web

MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
LEAVES: st.SearchStrategy[Filter] = st.one_of(
    st.builds(TagsAny, st.lists(st.text(max_size=3), max_size=3).map(tuple)),
    st.builds(ChunksAny, st.lists(st.text(max_size=3), max_size=3).map(tuple)),
    st.builds(
        TimeRange,
        st.none() | MOMENTS,
        st.none() | MOMENTS,
        st.sampled_from(["created", "modified"]),
    ),
)
TREES = st.recursive(
    LEAVES,
    lambda trees: st.one_of(
        st.builds(AllOf, st.lists(trees, max_size=3).map(tuple)),
        st.builds(AnyOf, st.lists(trees, max_size=3).map(tuple)),
        st.builds(Not, trees),
    ),
    max_leaves=4,
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def across(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))


@given(st.none() | TREES, st.lists(st.floats(-1, 1, width=32), max_size=9), st.integers(1, 99))
def test_a_query_comes_through(tree: Filter | None, row: list[float], k: int) -> None:
    vector = np.array(row, np.float32)
    query = Query("what", vector, tree, k, 7)
    got = query_of(across(query_plain(query)))
    assert got == query
    assert got.vector is not None
    assert got.vector.tobytes() == vector.tobytes()


@given(FLOATS, st.none() | FLOATS, st.none() | MOMENTS)
def test_what_was_found_comes_through(score: float, leg: float | None, at: datetime | None) -> None:
    document = Document("d", tags=frozenset({"b", "a"}), modified=at, metadata={"k": "v"})
    passage = Passage(Chunk("d#1", "text", headings=("h",), page=None), document, "v1")
    found = Found((Match(passage, score, leg),), 3, {"word": 2}, 9)
    assert item(Found, across(plain_of(found)), "Value") == found


def test_a_web_comes_through() -> None:
    web = Web(
        ("a", "b"),
        {"e": 0},
        np.array([0, 1], np.int64),
        np.array([0, 0], np.int64),
        np.array([True, False]),
        np.array([2**40], np.int64),
        np.array([1], np.int64),
    )
    got = web_of(across(web_plain(web)))
    assert got == web
    for name in ("chunk", "entity", "about", "mentions", "abouts"):
        own, other = getattr(web, name), getattr(got, name)
        assert own.dtype == other.dtype
        assert own.tolist() == other.tolist()


@given(st.integers(0, 5), st.integers(1, 9))
def test_pieces_come_through(count: int, width: int) -> None:
    spans = np.arange(2 * count, dtype=np.int32).reshape(count, 2)
    codes = np.arange(count * width).astype(np.int8).reshape(count, width)
    told = {"d#1": Pieces(spans, codes)}
    got = pieces_of(across(pieces_plain(told)))
    assert got == told
    assert got["d#1"].spans.shape == spans.shape
    assert got["d#1"].codes.shape == codes.shape or not count


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"d#1": {"spans": ""}},
        {"d#1": {"spans": "AAAA", "codes": ""}},
        {"d#1": {"spans": "AAAAAA==", "codes": ""}},
        {"d#1": {"spans": "", "codes": "AA=="}},
        {"d#1": {"spans": "", "codes": "", "more": ""}},
    ],
)
def test_what_are_no_pieces_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInput):
        pieces_of(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"vector": "no base64!"},
        {"vector": "AAA="},
        {"vector": [1.0]},
        {"k": "10"},
        {"filter": {"colour": ["red"]}},
        {"more": 1},
    ],
)
def test_what_is_no_query_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        query_of({**query_plain(Query("what")), **wrong})
