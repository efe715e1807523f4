"""The schema, made of its file, and how values of its own scalars are read."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, cast

from graphql import GraphQLError, GraphQLScalarType, GraphQLSchema, build_schema

_FILE = "schema.graphql"


@cache
def copilot_schema() -> GraphQLSchema:
    """Return the schema; it is made once, by whoever comes first."""
    schema = build_schema(files(__package__).joinpath(_FILE).read_text(encoding="utf-8"))
    _scalar(schema, "DateTimeISO").coerce_input_value = _time_of
    _scalar(schema, "JSONObject").coerce_input_value = _object_of
    return schema


def _scalar(schema: GraphQLSchema, name: str) -> GraphQLScalarType:
    return cast(GraphQLScalarType, schema.type_map[name])


def _time_of(value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise GraphQLError("It is not a time as ISO 8601 writes it.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _object_of(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise GraphQLError("It is not a JSON object.")
    return value
