"""Requests are bounded: no list is without an end, and of many wrong values one is told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.serve.rest.knowing import Door, door, told
from tests.serve.rest.sending import refused

MANY = 1_000
CALL = {"accept": "application/json, text/event-stream"}


async def _called(one: Door, method: str, **params: Any) -> httpx2.Response:
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


def test_every_list_of_a_request_has_an_end(tmp_path: Path) -> None:
    async def task() -> tuple[Any, Any]:
        async with door(tmp_path) as one:
            tools = told(await _called(one, "tools/list"))["result"]["tools"]
            return told(await one.client.get("/openapi.json")), tools

    document, tools = asyncio.run(task())
    operations = [one for path in document["paths"].values() for one in path.values()]
    bodies = [one["requestBody"] for one in operations if "requestBody" in one]
    parts = document["components"]["schemas"]
    lists = [*_arrays(bodies, parts), *_arrays([one["inputSchema"] for one in tools], {})]
    assert len(lists) > 30
    assert [one for one in lists if "maxItems" not in one] == []


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/api/feedback", {"verdict": "helpful", "answer": {"citations": [1] * MANY}}, "citations"),
        ("/api/feedback", {"verdict": "helpful", "answer": {"missing": [1] * MANY}}, "missing"),
        ("/api/ingest", {"documents": [1] * MANY}, "documents"),
        ("/api/ingest", {"documents": [{"text": "a", "tags": [1] * MANY}] * MANY}, "tags"),
        ("/api/ingest", {"entities": [1] * MANY}, "entities"),
        ("/api/search", {"query": "a", "UserQueryVector": ["x"] * MANY}, "UserQueryVector"),
    ],
)
def test_of_many_wrong_values_one_is_told(tmp_path: Path, path: str, body: Any, field: str) -> None:
    async def task() -> Any:
        async with door(tmp_path) as one:
            return told(await one.client.post(path, json=body), 422)["errors"]

    named = [one["field"] for one in asyncio.run(task()) if field in one["field"]]
    assert len(named) == 1
    assert f"{field}.0" in named[0]


def test_a_tool_tells_one_of_many_wrong_arguments(tmp_path: Path) -> None:
    async def task() -> str:
        async with door(tmp_path) as one:
            wrong = {"entityIds": ["hub", *[1] * 40]}
            reply = await _called(one, "tools/call", name="graph_expansion", arguments=wrong)
            text: str = told(reply)["result"]["content"][0]["text"]
            return text

    text = asyncio.run(task())
    assert "entityIds.1" in text
    assert "more" not in text


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "x", "arguments": {}, "inputResponses": {"a": [1] * 1_100}}),
        ("initialize", {"clientInfo": {"name": "x", "icons": [1] * 1_100}}),
        ("prompts/get", {"name": "x", "arguments": {str(n): n for n in range(1_100)}}),
        ("initialize", {"capabilities": [[[1] * 40] * 5] * 6}),
    ],
)
def test_a_message_holds_only_so_much_beside_arguments(
    tmp_path: Path, method: str, params: Any
) -> None:
    async def task() -> httpx2.Response:
        async with door(tmp_path) as one:
            return await _called(one, method, **params)

    refused(asyncio.run(task()), 413, "too_large")


def test_arguments_may_be_as_long_as_their_shape_lets_them(tmp_path: Path) -> None:
    async def task() -> Any:
        async with door(tmp_path) as one:
            vector = {"UserQueryText": "a", "UserQueryVector": [0.5] * 5_000}
            name = "RAGPipeline.SearchAndRank"
            return told(await _called(one, "tools/call", name=name, arguments=vector))["result"]

    assert "(1, 5000)" in str(asyncio.run(task()))
