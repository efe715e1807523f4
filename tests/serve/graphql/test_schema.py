"""The schema: the same as CopilotKit's own, in every type, field, argument, enum and default."""

from __future__ import annotations

from graphql import GraphQLSchema, build_schema
from graphql.utilities import SafeChangeType, find_schema_changes

from sextant.serve.graphql.schema import copilot_schema
from tests.serve.graphql.recordings import recorded_schema


def _changes(old: GraphQLSchema, new: GraphQLSchema) -> list[str]:
    found = find_schema_changes(old, new)
    return [one.description for one in found if one.type != SafeChangeType.DESCRIPTION_CHANGED]


def test_the_schema_is_the_recorded_one_both_ways() -> None:
    recorded = build_schema(recorded_schema())
    assert _changes(recorded, copilot_schema()) == []
    assert _changes(copilot_schema(), recorded) == []


def test_a_missing_field_would_be_noticed() -> None:
    recorded = build_schema(recorded_schema().replace("  runId: String\n", "", 1))
    assert _changes(recorded, copilot_schema()) != []
