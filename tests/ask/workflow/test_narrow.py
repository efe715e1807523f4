"""Lists that belong together, and lists that are shortened."""

from typing import Any

import pytest

from sextant.ask.workflow.narrow import aligned, misaligned


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"queries": ["a"], "retrieval_goals": ["b"], "filter": ""}, ""),
        ({"queries": ["a", "b"], "retrieval_goals": ["b"]}, "queries has 2, retrieval_goals has 1"),
        ({"key_points": [], "key_point_sources": ["x"]}, "key_points has 0"),
        (
            {"selected_chunk_texts": ["a"], "selected_sources": ["b"], "selected_rationales": []},
            "selected_rationales has 0",
        ),
        ({"sources": ["a"]}, ""),
    ],
)
def test_lists_that_do_not_fit_each_other_are_named(value: dict[str, Any], told: str) -> None:
    found = misaligned(value)
    assert told in found
    assert bool(found) == bool(told)
    assert not misaligned(aligned(value))


def test_what_has_a_partner_is_kept() -> None:
    value = {"chunk_texts": ["a", "b"], "chunk_sources": ["x"], "query_used": "q"}
    assert aligned(value) == {"chunk_texts": ["a"], "chunk_sources": ["x"], "query_used": "q"}
