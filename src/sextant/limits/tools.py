"""What may be written to a catalogue of tools, said of their use, and asked of their graph."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sextant.errors import InvalidInput, TooLarge
from sextant.limits.asking import check_ids
from sextant.limits.values import (
    DEFAULT,
    Limits,
    at_most,
    between,
    each,
    label,
    labels,
    moment,
    number,
    one_of,
    text,
    unique,
)
from sextant.types import (
    Category,
    LinkOrigin,
    Outcome,
    RelatedQuery,
    StoredTool,
    Tool,
    ToolChange,
    ToolLink,
    ToolRelation,
    ToolRequest,
    ToolUse,
    UsedTool,
)

_MOST_USES = 2**53
"""No tool is used more often; whole numbers up to here are exact in JSON."""


def check_tool_change(change: ToolChange, limits: Limits = DEFAULT) -> None:
    """Refuse a change of a catalogue that is too large, or says what cannot be."""
    each("tools", change.puts, StoredTool, limits.batch)
    each("relations", change.relations, ToolRelation, limits.batch)
    each("categories", change.categories, Category, limits.batch)
    check_ids("tool id", change.removed, limits)
    unique("tool id", (*(one.tool.id for one in change.puts), *change.removed))
    for stored in change.puts:
        check_tool(stored.tool, limits)
    for relation in change.relations:
        check_tool_relation(relation, limits)
    for category in change.categories:
        label("category", category.name, limits.id)
        text("category's description", category.description, limits.text)
    at_most("relations", len(change.unrelated), limits.batch)


def check_tool(tool: Tool, limits: Limits = DEFAULT) -> None:
    """Refuse a tool that no store takes."""
    label("tool id", tool.id, limits.id)
    text("tool's name", tool.name, limits.name)
    text("tool's description", tool.description, limits.text)
    for what, value in (("category", tool.category), ("server", tool.server)):
        text(f"tool's {what}", value, limits.id)
    text("tool's source", tool.source, limits.url)
    labels("persona", tool.personas, limits)
    labels("entity id", tool.entity_ids, limits)
    labels("flag", tool.flags, limits)
    between("tool's usage", tool.usage, 0, _MOST_USES)
    _check_schema(tool.id, tool.schema, limits)
    _check_schema(tool.id, tool.returns, limits)


def check_tool_relation(relation: ToolRelation, limits: Limits = DEFAULT) -> None:
    """Refuse a relation that joins a tool to itself, or is of no known kind."""
    label("tool id", relation.source, limits.id)
    label("tool id", relation.target, limits.id)
    one_of("kind of relation", relation.kind, ToolLink)
    one_of("origin", relation.origin, LinkOrigin)
    if relation.source == relation.target:
        raise InvalidInput(
            f"The tool {relation.source[:80]!r} is related to itself.", "Name two tools."
        )
    if relation.confidence is not None:
        number("confidence", relation.confidence, 0, 1)
    if relation.seconds_between is not None:
        number("time between", relation.seconds_between, 0, _MOST_USES)
    if relation.co_occurrences is not None:
        between("number of co-occurrences", relation.co_occurrences, 0, _MOST_USES)
    text("reason", relation.reason, limits.name)
    text("version", relation.version, limits.id)
    moment("deprecation", relation.deprecated_at)


def check_tool_uses(uses: Sequence[ToolUse], limits: Limits = DEFAULT) -> None:
    """Refuse sessions that are too many, too long or without an id."""
    each("uses", uses, ToolUse, limits.batch)
    unique("id of a use", (one.id for one in uses))
    for use in uses:
        label("id of a use", use.id, limits.id)
        text("request", use.request, limits.query)
        text("user", use.user, limits.id)
        moment("use", use.at)
        one_of("outcome", use.outcome, Outcome)
        each("calls", use.calls, UsedTool, limits.calls)
        for call in use.calls:
            label("tool id", call.tool_id, limits.id)
            moment("call", call.at)


def check_tool_page(after: str, limit: int, limits: Limits = DEFAULT) -> None:
    """Refuse a page of tools that is too long, or starts after what is no id."""
    text("tool id", after, limits.id)
    between("limit", limit, 1, limits.k)


def check_tool_room(tools: int, limits: Limits = DEFAULT) -> None:
    """Refuse more tools than a tenant may have."""
    at_most("tools", tools, limits.tools, "Remove those that nobody needs.")


def check_usage(increments: Mapping[str, int], limits: Limits = DEFAULT) -> None:
    """Refuse increments that are too many, or cannot be counted."""
    check_ids("tool id", list(increments), limits)
    for step in increments.values():
        between("increment", step, 0, _MOST_USES)


def check_related_query(query: RelatedQuery, limits: Limits = DEFAULT) -> None:
    """Refuse a question for related tools that is too large, or can have no answer."""
    check_ids("tool id", query.tool_ids, limits)
    number("least confidence", query.min_confidence, 0, 1)
    between("number of related tools", query.max_related, 0, limits.k)
    if query.allowed_categories is not None:
        labels("category", query.allowed_categories, limits)


def check_tool_request(request: ToolRequest, limits: Limits = DEFAULT) -> None:
    """Refuse a request for tools that is too large, or can have no answer."""
    label("request", request.text, limits.query)
    between("number of tools", request.k, 1, limits.k)
    if request.token_budget is not None:
        between("token budget", request.token_budget, 1, _MOST_USES)
    if request.allowed_categories is not None:
        labels("category", request.allowed_categories, limits)
    labels("tool id", request.excluded | request.unavailable, limits)
    labels("server", (request.servers or frozenset()) | request.unavailable_servers, limits)


def _check_schema(tool: str, schema: Mapping[str, Any], limits: Limits) -> None:
    if not isinstance(schema, Mapping):
        raise InvalidInput(f"The schema of {tool[:80]!r} is no object.", "Pass a JSON schema.")
    try:
        size = len(json.dumps(schema, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(
            f"The schema of {tool[:80]!r} is not JSON.", "Pass what json.dumps takes."
        ) from None
    if size > limits.schema:
        raise TooLarge(
            f"The schema of {tool[:80]!r} has {size} characters, over {limits.schema}.",
            "Shorten its descriptions, or split the tool.",
        )
