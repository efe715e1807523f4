"""Filters from plain JSON values."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sextant import query
from sextant.errors import InvalidFilter


def test_fields_of_one_object_must_all_hold() -> None:
    tree = query.parse({"tags_any": ["a"], "not": {"source_types": ["wiki"]}})
    assert tree == query.AllOf((query.TagsAny(("a",)), query.Not(query.SourceTypes(("wiki",)))))


def test_every_leaf_and_branch_can_be_written() -> None:
    start = "2026-01-31T00:00:00+00:00"
    tree = query.parse(
        {
            "any": [
                {"tags_all": ["a", "b"]},
                {"entity_ids_any": ["e"]},
                {"document_ids_any": ["d"]},
                {"chunk_ids_any": ["d#1"]},
                {"modified": {"start": start}},
                {"created": {"end": start}},
                {"all": [{"tags_any": []}]},
            ]
        }
    )
    moment = datetime(2026, 1, 31, tzinfo=UTC)
    assert tree == query.AnyOf(
        (
            query.TagsAll(("a", "b")),
            query.EntitiesAny(("e",)),
            query.DocumentsAny(("d",)),
            query.ChunksAny(("d#1",)),
            query.TimeRange(moment, None, "modified"),
            query.TimeRange(None, moment, "created"),
            query.AllOf((query.TagsAny(()),)),
        )
    )


def nested(depth: int) -> dict[str, Any]:
    tree: dict[str, Any] = {"tags_any": ["a"]}
    for _ in range(depth):
        tree = {"not": tree}
    return tree


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"tag": ["a"]}, "unknown field 'tag'"),
        ({}, "at least one field"),
        ("tags_any", "at least one field"),
        ({"tags_any": "a"}, "list of strings"),
        ({"tags_any": [1]}, "strings only"),
        ({"any": {"tags_any": []}}, "list of filters"),
        ({"modified": {}}, "start, end"),
        ({"modified": {"since": "x"}}, "start, end"),
        ({"created": {"start": "yesterday"}}, "is not a time"),
        (nested(40), "nested deeper"),
    ],
)
def test_a_wrong_filter_is_refused_with_what_is_known(tree: Any, said: str) -> None:
    with pytest.raises(InvalidFilter, match=said):
        query.parse(tree)
