"""Catalogues in every form that is taken, and what is said of those that are not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import BrokenFile, ReadError, SextantError, TooMuch, UnknownFormat
from sextant.toolbox.catalogue import Catalogue, CatalogueForm, Naming, read_catalogue
from sextant.types import Category, LinkOrigin, ToolLink, ToolRelation

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}


def read(value: Any, file: str = "github.json") -> Catalogue:
    return read_catalogue(file, json.dumps(value).encode())


def test_our_own_form_has_tools_categories_and_relations() -> None:
    found = read(
        {
            "tools": [
                {
                    "id": "github.createPullRequest",
                    "name": "Create Pull Request",
                    "category": "code",
                    "description": "Opens one.",
                    "schema": SCHEMA,
                    "server": "github",
                    "personas": ["dev"],
                    "entityIds": ["repo"],
                    "usageCount": 850,
                }
            ],
            "categories": ["code", {"name": "chat", "description": "Talk"}],
            "relations": [{"source": "a", "target": "b", "kind": "DEPENDS_ON"}],
        }
    )
    (tool,) = found.tools
    assert (tool.id, tool.name, tool.category) == (
        "github.createPullRequest",
        "Create Pull Request",
        "code",
    )
    assert tool.schema == SCHEMA
    assert (tool.server, tool.source, tool.usage) == ("github", "github", 850)
    assert (tool.personas, tool.entity_ids) == (frozenset({"dev"}), ("repo",))
    assert found.categories == (Category("code"), Category("chat", "Talk"))
    assert found.relations == (ToolRelation("a", "b", ToolLink.DEPENDS_ON),)


def test_nodes_and_edges_keep_every_field_of_the_specification() -> None:
    found = read(
        {
            "nodes": [
                {"id": "a", "labels": ["Tool"], "properties": {"name": "A", "usageCount": 7}},
                {"id": "b", "type": "Tool", "name": "B"},
                {"labels": ["Category"], "properties": {"name": "code", "description": "Code"}},
            ],
            "edges": [
                {
                    "from": "a",
                    "to": "b",
                    "type": "OFTEN_USED_WITH",
                    "properties": {"confidence": 0.92, "coOccurrences": 157},
                },
                {"from": "a", "to": "b", "type": "PRECEDES", "avgTimeBetween": 3600},
                {
                    "from": "a",
                    "to": "b",
                    "type": "REPLACES",
                    "version": "v2",
                    "deprecatedAt": "2024-01-01",
                },
                {"from": "a", "to": "code", "type": "BELONGS_TO"},
            ],
        }
    )
    assert [(one.id, one.name, one.category, one.usage) for one in found.tools] == [
        ("a", "A", "code", 7),
        ("b", "B", "", 0),
    ]
    assert found.categories == (Category("code", "Code"),)
    used, precedes, replaces = found.relations
    assert (used.confidence, used.co_occurrences) == (0.92, 157)
    assert precedes.seconds_between == 3600
    assert (replaces.version, replaces.deprecated_at) == ("v2", datetime(2024, 1, 1, tzinfo=UTC))
    assert used.origin is LinkOrigin.DECLARED
    assert not found.refused


@pytest.mark.parametrize(
    "value",
    [
        {"tools": [{"name": "find", "description": "Finds.", "inputSchema": SCHEMA}]},
        [{"name": "find", "description": "Finds.", "inputSchema": SCHEMA}],
        {
            "jsonrpc": "2.0",
            "id": 1,
            "result": {"tools": [{"name": "find", "title": "Finds.", "inputSchema": SCHEMA}]},
        },
        [
            {
                "type": "function",
                "function": {"name": "find", "description": "Finds.", "parameters": SCHEMA},
            }
        ],
        [{"type": "function", "name": "find", "description": "Finds.", "parameters": SCHEMA}],
        {"functions": [{"name": "find", "description": "Finds.", "parameters": SCHEMA}]},
        [{"name": "find", "description": "Finds.", "input_schema": SCHEMA}],
    ],
)
def test_lists_of_mcp_openai_and_anthropic_are_the_same_tool(value: Any) -> None:
    (tool,) = read(value).tools
    assert (tool.id, tool.name, tool.description) == ("github.find", "find", "Finds.")
    assert tool.schema == SCHEMA


def test_json_lines_may_mix_tools_categories_and_relations() -> None:
    lines = [
        {"id": "a", "schema": SCHEMA},
        {"category": "code", "description": "Code"},
        {"source": "a", "target": "b", "kind": "VALIDATES"},
    ]
    found = read_catalogue("x.jsonl", b"\n".join(json.dumps(one).encode() for one in lines))
    assert [one.id for one in found.tools] == ["a"]
    assert found.categories == (Category("code", "Code"),)
    assert [one.kind for one in found.relations] == [ToolLink.VALIDATES]


def test_json_lines_need_no_ending_of_the_name() -> None:
    assert len(read_catalogue("tools", b'{"id": "a"}\n{"id": "b"}\n').tools) == 2


def test_what_a_tool_returns_is_kept() -> None:
    (tool,) = read([{"name": "a", "inputSchema": SCHEMA, "outputSchema": SCHEMA}]).tools
    assert tool.returns == SCHEMA


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (5, "it is a int, not an object"),
        ({"description": "nameless"}, "it has neither an id nor a name"),
        ({"id": "a", "schema": [1]}, "its schema is a list, not an object"),
        ({"id": "a", "schema": {"type": "banana"}}, "has the unknown type 'banana'"),
        ({"id": "a", "schema": {"type": "array"}}, "not an object"),
        ({"id": "a", "schema": {"required": "title"}}, "requires something else than names"),
        ({"id": "a", "schema": {"properties": {"x": 5}}}, "its schema.x is no schema"),
        ({"id": "a", "schema": {"anyOf": [7]}}, "its schema.anyOf is no schema"),
        ({"id": "a", "name": 7}, "its name is a int, not text"),
        ({"id": "a", "usageCount": 1.5}, "its usageCount is no whole number"),
        ({"id": "a", "usageCount": -1}, "its usageCount is no number from 0 on"),
        ({"id": "a", "personas": "dev"}, "its personas are no list of texts"),
        ({"id": "a\u202eb"}, "cannot be seen or that turn"),
        ({"id": "a", "name": "x" * 201}, "its name has more than 200 characters"),
    ],
)
def test_one_tool_that_cannot_be_taken_is_named_and_the_others_are_taken(
    entry: Any, reason: str
) -> None:
    found = read({"tools": [{"id": "good"}, entry]})
    assert [one.id for one in found.tools] == ["good"]
    (refused,) = found.refused
    assert reason in refused.reason
    assert f"{refused.name}: {refused.reason}".count("tools[1]: ") == 1


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("a", "it is a str, not an object"),
        ({"source": "a", "target": "a", "kind": "PRECEDES"}, "it joins a tool to itself"),
        ({"source": "a", "target": "b", "kind": "LIKES"}, "it is of the unknown kind 'LIKES'"),
        ({"source": "a", "target": "b", "kind": "PRECEDES", "confidence": 2}, "above 1"),
        ({"source": "a", "target": "b", "kind": "PRECEDES", "required": 1}, "neither true nor"),
        ({"source": "a", "target": "b", "kind": "REPLACES", "deprecatedAt": "soon"}, "not a time"),
        ({"source": "a", "target": "b", "kind": "PRECEDES", "origin": "learnt"}, "its origin is"),
        ({"source": "", "target": "b", "kind": "PRECEDES"}, "is empty"),
    ],
)
def test_one_relation_that_cannot_be_taken_is_named(entry: Any, reason: str) -> None:
    found = read({"tools": [{"id": "a"}], "relations": [entry]})
    assert not found.relations
    assert reason in found.refused[0].reason


def test_of_two_tools_with_one_id_the_first_is_taken() -> None:
    found = read({"tools": [{"id": "a", "description": "one"}, {"id": "a", "description": "two"}]})
    assert [one.description for one in found.tools] == ["one"]
    assert found.refused[0].reason == "tools[1]: its id comes twice; the first is taken"


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"", UnknownFormat, "it holds a NoneType"),
        (b"just words", UnknownFormat, "it holds a str"),
        (b"{}", UnknownFormat, "at its top are no names"),
        (b'{"services": []}', UnknownFormat, "at its top are 'services'"),
        (b"[1, 2", BrokenFile, "it is no JSON"),
        (b'{"tools": {}}', BrokenFile, "tools is no list"),
        (b"\xff\xfe", BrokenFile, "is not written in UTF-8"),
        (b'{"tools": [], "tools": []}', BrokenFile, "a field comes twice"),
        (b"[" * 100_000, BrokenFile, "nested too deeply"),
        (b"a: [" * 200, TooMuch, "nested deeper than 100"),
        (b"a: b: c", BrokenFile, "x.json, line 1: it is neither JSON nor YAML"),
        (b"a: 2026-99-99", BrokenFile, "cannot be read"),
    ],
)
def test_what_is_no_catalogue_says_where_it_breaks(
    data: bytes, error: type[SextantError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        read_catalogue("x.json", data)
    assert caught.value.hint


def test_an_unknown_form_names_those_that_are_taken() -> None:
    with pytest.raises(UnknownFormat) as caught:
        read({"services": []})
    for form in ("tools, categories, relations", "nodes, edges", "MCP", "OpenAI", "OpenAPI"):
        assert form in caught.value.hint


def test_the_line_of_json_lines_that_is_none_is_named() -> None:
    with pytest.raises(BrokenFile, match=r"x.jsonl, line 2: it is no JSON"):
        read_catalogue("x.jsonl", b'{"id": "a"}\n{"id": \n')


def test_what_is_said_to_be_openapi_must_be() -> None:
    with pytest.raises(UnknownFormat, match="does not say that it is OpenAPI"):
        read_catalogue("x.json", b'{"tools": []}', form=CatalogueForm.OPENAPI)


def test_a_schema_of_a_megabyte_is_read_and_one_of_many_values_is_refused() -> None:
    long = {"type": "object", "description": "x" * 900_000}
    wide = {"type": "object", "properties": {f"p{one}": {} for one in range(30_000)}}
    found = read({"tools": [{"id": "long", "schema": long}, {"id": "wide", "schema": wide}]})
    assert [one.id for one in found.tools] == ["long"]
    assert "too many values" in found.refused[0].reason


def test_halves_of_characters_are_replaced() -> None:
    found = read_catalogue("x.json", b'[{"name": "a", "inputSchema": {"title": "\\ud800"}}]')
    assert found.tools[0].schema == {"title": "?"}


_KEYS = (
    *("id", "name", "tools", "schema", "properties", "type", "required", "items", "paths", "get"),
    *("relations", "source", "target", "kind", "openapi", "parameters", "$ref", "nodes", "edges"),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5)
    ),
    max_leaves=30,
)


@given(json_values)
def test_no_json_does_anything_but_be_read_or_refused(value: Any) -> None:
    try:
        found = read_catalogue("x.json", json.dumps(value).encode(), Naming("x"))
    except ReadError:
        return
    assert len({one.id for one in found.tools}) == len(found.tools)
