"""Filters as OData text: what is taken, what is refused, and that nothing is lost on the way."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import InvalidFilter
from sextant.query import (
    AllOf,
    AnyOf,
    ChunksAny,
    DocumentsAny,
    EntitiesAny,
    Filter,
    Not,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
    passes,
)
from sextant.text.odata.filters import LONGEST, MOST_TERMS, parse, render
from tests.strategies import filters, puts

NEW_YEAR = datetime(2025, 1, 1, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("tags/any(t: t eq 'x')", TagsAny(("x",))),
        ("tags/any(t:t eq 'x' or t eq 'y')", TagsAny(("x", "y"))),
        ("tags/any(t: t in ('x', 'y'))", TagsAny(("x", "y"))),
        ("tags/any(t: search.in(t, 'x, y'))", TagsAny(("x", "y"))),
        ("tags/any(t: search.in(t, 'x y|z', '|'))", TagsAny(("x y", "z"))),
        ("entityIds/any(e: e eq 'o''neal' or e eq 'b')", EntitiesAny(("o'neal", "b"))),
        ("sourceType eq 'wiki'", SourceTypes(("wiki",))),
        ("sourceType eq 'wiki' or sourceType eq 'runbook'", SourceTypes(("wiki", "runbook"))),
        ("sourceType in ('wiki', 'runbook')", SourceTypes(("wiki", "runbook"))),
        ("search.in(sourceType, 'wiki,runbook')", SourceTypes(("wiki", "runbook"))),
        ("sourceType ne 'wiki'", Not(SourceTypes(("wiki",)))),
        ("not sourceType eq 'wiki'", Not(SourceTypes(("wiki",)))),
        ("not(sourceType eq 'not(this')", Not(SourceTypes(("not(this",)))),
        ("documentId eq 'a'", DocumentsAny(("a",))),
        ("chunkId eq 'a#1'", ChunksAny(("a#1",))),
        ("created ge 2025-01-01T00:00:00Z", TimeRange(NEW_YEAR, None, "created")),
        ("created ge 2025-01-01T01:00:00+01:00", TimeRange(NEW_YEAR, None, "created")),
        ("created ge 2025-01-01T00:00:00", TimeRange(NEW_YEAR, None, "created")),
        ("modified lt 2025-01-01T00:00:00Z", TimeRange(None, NEW_YEAR)),
        ("modified gt 2025-01-01T00:00:00Z", TimeRange(NEW_YEAR + INSTANT)),
        ("modified le 2025-01-01T00:00:00Z", TimeRange(None, NEW_YEAR + INSTANT)),
        ("modified eq 2025-01-01T00:00:00Z", TimeRange(NEW_YEAR, NEW_YEAR + INSTANT)),
        ("modified ge 2025-01-01", TimeRange(NEW_YEAR)),
        ("modified le 2025-01-01", TimeRange(None, NEW_YEAR + timedelta(days=1))),
        ("modified eq 2025-01-01", TimeRange(NEW_YEAR, NEW_YEAR + timedelta(days=1))),
        ("modified ne 2025-01-01", Not(TimeRange(NEW_YEAR, NEW_YEAR + timedelta(days=1)))),
        ("modified ne null", TimeRange()),
        ("modified eq null", Not(TimeRange())),
        (
            "modified ge 2025-01-01T00:00:00Z and modified lt 2026-01-01T00:00:00Z",
            TimeRange(NEW_YEAR, datetime(2026, 1, 1, tzinfo=UTC)),
        ),
        (
            "tags/any(t: t eq 'a') and (sourceType eq 'b' or not (sourceType eq 'c'))",
            AllOf((TagsAny(("a",)), AnyOf((SourceTypes(("b",)), Not(SourceTypes(("c",))))))),
        ),
        (
            "sourceType eq 'a' or sourceType eq 'b' and tags/any(t: t eq 'c')",
            AnyOf((SourceTypes(("a",)), AllOf((SourceTypes(("b",)), TagsAny(("c",)))))),
        ),
    ],
)
def test_odata_is_read_as_the_filter_it_means(text: str, meant: Filter) -> None:
    assert parse(text) == meant


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "at its end"),
        ("   ", "at its end"),
        ("tags", ": tags."),
        ("tags eq 'x'", "tags cannot be compared"),
        ("tags/any()", "any() or all()"),
        ("tags/all(t: t eq 'x')", "any() or all()"),
        ("tags/any(t: t ne 'x')", "any() takes t eq 'x'"),
        ("tags/any(t: s eq 'x')", "any() takes t eq 'x'"),
        ("tags/any(t: t eq 'x' and t eq 'y')", "any() takes t eq 'x'"),
        ("tags/any(t: t eq 3)", "no text in quotes"),
        ("tag/any(t: t eq 'x')", "Did you mean tags?"),
        ("sourcetype eq 'x'", "Did you mean sourceType?"),
        ("sourceType gt 'x'", "takes eq, ne and in alone"),
        ("sourceType eq null", "no text in quotes"),
        ("tenant eq 'other'", "tenant cannot be compared"),
        ("created ge 'yesterday'", "not a time"),
        ("created ge 2025-02-31T00:00:00Z", "2025-02-31"),
        ("created gt 9999-12-31T23:59:59.999999Z", "not a time"),
        ("created in (2025-01-01, 2025-01-02)", "not a time"),
        ("contains(sourceType, 'x')", "contains()"),
        ("contain(sourceType, 'x')", "contain"),
        ("search.in(tags, 'x')", "search.in()"),
        ("search.ismatch('x')", "search.ismatch()"),
        ("search.in(sourceType, 'x', '')", "search.in()"),
        ("sourceType eq 'x", "not understood at"),
        ("sourceType eq 'x' and", "not understood"),
        ("sourceType eq 'x' ; drop", "not understood at"),
        ("a/b/c eq 'x'", "a comparison"),
        ("f(a=1,b=2,c=3)", "not understood"),
        ("1 add 2", "a calculation"),
        ("-1", "'-1'"),
        ("not " * 30 + "true", "nested deeper"),
        (f"sourceType eq '{'x' * 5_000}'", "too many"),
        ("created ge 0001-01-01T00:00:00Z", "not understood"),
    ],
)
def test_what_is_no_filter_is_told_with_what_is(text: str, told: str) -> None:
    with pytest.raises(InvalidFilter) as caught:
        parse(text)
    assert told in str(caught.value)
    assert caught.value.hint


def test_long_filters_are_refused_before_they_are_parsed() -> None:
    with pytest.raises(InvalidFilter, match="longer"):
        parse("x" * (LONGEST + 1))
    with pytest.raises(InvalidFilter, match="terms"):
        parse(" or ".join(["sourceType eq 'x'"] * (MOST_TERMS // 2 + 1)))


def test_many_terms_are_still_one_level() -> None:
    names = [f"e{number}" for number in range(MOST_TERMS // 2)]
    assert parse(render(EntitiesAny(tuple(names)))) == EntitiesAny(tuple(names))


@given(filters, puts())
def test_a_written_filter_lets_the_same_through(tree: Filter, unit: Any) -> None:
    again = parse(render(tree))
    for chunk in unit.chunks:
        assert passes(again, unit.document, chunk) == passes(tree, unit.document, chunk)


@given(filters, puts())
def test_a_filter_written_with_lists_lets_the_same_through(tree: Filter, unit: Any) -> None:
    again = parse(render(tree, 0))
    for chunk in unit.chunks:
        assert passes(again, unit.document, chunk) == passes(tree, unit.document, chunk)


def test_many_texts_are_one_list_between_signs_that_none_of_them_has() -> None:
    assert render(SourceTypes(("a", "b", "c")), 2) == "search.in(sourceType, 'a|b|c', '|')"
    assert render(TagsAny(("a|b", "c,d", " e", "f")), 1) == (
        "tags/any(t: t eq ' e' or search.in(t, 'a|b;c,d;f', ';'))"
    )
    assert render(SourceTypes(("|", ";", ",~")), 1).count(" eq ") == 3


@given(filters)
def test_what_was_read_is_written_and_read_as_the_same(tree: Filter) -> None:
    read = parse(render(tree))
    assert parse(render(read)) == read


_texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
_values = st.lists(_texts, min_size=1, max_size=3).map(tuple)
_moments = st.datetimes(datetime(1000, 1, 2), datetime(9990, 1, 1)).map(
    lambda at: at.replace(tzinfo=UTC)
)
_leaves: st.SearchStrategy[Filter] = st.one_of(
    st.builds(TagsAny, _values),
    st.builds(EntitiesAny, _values),
    st.builds(SourceTypes, _values),
    st.builds(TimeRange, _moments, _moments, st.sampled_from(["created", "modified"])),
)


@given(_leaves, _leaves, _leaves)
def test_the_shapes_of_odata_come_back_equal(one: Filter, other: Filter, third: Filter) -> None:
    for tree in (
        one,
        Not(one),
        AllOf((one, other)),
        AllOf((one, AnyOf((Not(other), third)))),
        AnyOf((AllOf((one, Not(other))), Not(third))),
    ):
        assert parse(render(tree)) == tree


@given(st.text(max_size=60) | st.from_regex(r"[a-z()/:' ,.=0-9-]{0,60}", fullmatch=True))
def test_no_text_raises_anything_but_an_invalid_filter(text: str) -> None:
    with suppress(InvalidFilter):
        parse(text)


def test_filters_that_odata_cannot_name_are_written_in_its_words() -> None:
    assert render(TagsAll(("a", "b"))) == "tags/any(t: t eq 'a') and tags/any(t: t eq 'b')"
    assert render(AllOf(())) == "true"
    assert render(SourceTypes(())) == "false"
    assert render(AnyOf((TimeRange(NEW_YEAR, NEW_YEAR), TagsAny(("o'x",))))) == (
        "(modified ge 2025-01-01T00:00:00Z and modified lt 2025-01-01T00:00:00Z) or "
        "tags/any(t: t eq 'o''x')"
    )
