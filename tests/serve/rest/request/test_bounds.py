"""Requests are bounded: no list is without an end, and of many wrong values one is told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from tests.serve.rest.knowing import Door, door, told
from tests.serve.rest.sending import refused

MANY = 1_000
CALL = {"accept": "application/json, text/event-stream"}
POSTED: list[tuple[str, Any, str]] = [
    ("/api/feedback", {"verdict": "helpful", "answer": {"citations": [1] * MANY}}, "citations"),
    ("/api/feedback", {"verdict": "helpful", "answer": {"missing": [1] * MANY}}, "missing"),
    ("/api/ingest", {"documents": [1] * MANY}, "documents"),
    ("/api/ingest", {"documents": [{"text": "a", "tags": [1] * MANY}] * 100}, "tags"),
    ("/api/ingest", {"entities": [1] * MANY}, "entities"),
    ("/api/search", {"query": "a", "UserQueryVector": ["x"] * MANY}, "UserQueryVector"),
]
BULKY: list[tuple[str, Any]] = [
    ("tools/call", {"name": "x", "arguments": {}, "inputResponses": {"a": [1] * 1_100}}),
    ("initialize", {"clientInfo": {"name": "x", "icons": [1] * 1_100}}),
    ("prompts/get", {"name": "x", "arguments": {str(n): n for n in range(1_100)}}),
    ("initialize", {"capabilities": [[[1] * 40] * 5] * 6}),
]
VECTOR = {"UserQueryText": "a", "UserQueryVector": [0.5] * 5_000}


@dataclass
class Heard:
    """What one server says to all of it."""

    posted: list[httpx2.Response] = field(default_factory=list)
    bulky: list[httpx2.Response] = field(default_factory=list)
    called: dict[str, Any] = field(default_factory=dict)
    document: Any = None
    tools: Any = None


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Heard:
    """What one server says to all of it."""

    async def task() -> Heard:
        found = Heard()
        async with door(tmp_path_factory.mktemp("bounds")) as one:
            found.document = told(await one.client.get("/openapi.json"))
            found.tools = told(await _sent(one, "tools/list"))["result"]["tools"]
            for path, body, _ in POSTED:
                found.posted.append(await one.client.post(path, json=body))
            for method, params in BULKY:
                found.bulky.append(await _sent(one, method, **params))
            for name, given in (
                ("graph_expansion", {"entityIds": ["hub", *[1] * 40]}),
                ("RAGPipeline.SearchAndRank", VECTOR),
            ):
                reply = await _sent(one, "tools/call", name=name, arguments=given)
                found.called[name] = told(reply)["result"]["content"][0]["text"]
        return found

    return asyncio.run(task())


async def _sent(one: Door, method: str, **params: Any) -> httpx2.Response:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return await one.client.post("/mcp", json=message, headers=CALL)


def _arrays(schema: Any, parts: Any) -> Iterator[Any]:
    """Yield every list that a schema has, also in the parts that it refers to."""
    if isinstance(schema, list):
        for one in schema:
            yield from _arrays(one, parts)
    elif isinstance(schema, dict):
        if schema.get("type") == "array":
            yield schema
        if "$ref" in schema:
            yield from _arrays(parts[schema["$ref"].rpartition("/")[2]], parts)
        yield from (found for one in schema.values() for found in _arrays(one, parts))


def test_every_list_of_a_request_has_an_end(heard: Heard) -> None:
    operations = [one for path in heard.document["paths"].values() for one in path.values()]
    bodies = [one["requestBody"] for one in operations if "requestBody" in one]
    parts = heard.document["components"]["schemas"]
    lists = [*_arrays(bodies, parts)]
    assert len(lists) > 30
    assert [one for one in lists if "maxItems" not in one] == []


@pytest.mark.parametrize("at", range(len(POSTED)))
def test_of_many_wrong_values_one_is_told(heard: Heard, at: int) -> None:
    field = POSTED[at][2]
    errors = told(heard.posted[at], 422)["errors"]
    [named] = [one["field"] for one in errors if field in one["field"]]
    assert f"{field}.0" in named


def test_a_tool_tells_one_of_many_wrong_arguments(heard: Heard) -> None:
    text = heard.called["graph_expansion"]
    assert "entityIds.1" in text
    assert "more" not in text


@pytest.mark.parametrize("at", range(len(BULKY)))
def test_a_message_holds_only_so_much_beside_arguments(heard: Heard, at: int) -> None:
    refused(heard.bulky[at], 413, "too_large")


def test_arguments_may_be_as_long_as_their_shape_lets_them(heard: Heard) -> None:
    assert "(1, 5000)" in heard.called["RAGPipeline.SearchAndRank"]
