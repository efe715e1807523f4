"""The MCP server of specification 000: JSON-RPC over stdio, and its three tools."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from mcp.client import Client

from tests.cli.commands import environment
from tests.seeds.requirement import requirement
from tests.seeds.seed_000_knowledge import ASKED, ENTITY, QUESTION, seeded
from tests.serve.mcp.doors import call, over_http, over_stdio, stored
from tests.serve.rest.knowing import Door, told

T = TypeVar("T")
TOOLS = {"graphrag_query", "entity_lookup", "graph_expansion"}
_SENT: tuple[dict[str, Any], ...] = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "copilot", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "tools/call",
        "params": {"name": "graphrag_query", "arguments": {"query": QUESTION}},
    },
)


def _called(folder: Path, work: Callable[[Client, Door], Coroutine[Any, Any, T]]) -> T:
    async def task() -> T:
        async with seeded(folder) as one, over_http(one.server) as client:
            return await work(client, one)

    return asyncio.run(task())


@requirement("000-033", "000-034", "000-035")
def test_messages_of_json_rpc_are_answered_line_by_line_over_stdio(tmp_path: Path) -> None:
    async def fill() -> None:
        async with seeded(tmp_path):
            pass

    asyncio.run(fill())
    started = subprocess.Popen(
        [sys.executable, "-m", "sextant", "mcp"],
        cwd=tmp_path,
        env=environment(**stored(tmp_path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert started.stdin is not None
    assert started.stdout is not None
    replies: dict[int, Any] = {}
    with started:
        for message in _SENT:
            started.stdin.write(json.dumps(message) + "\n")
            started.stdin.flush()
            while message.get("id") not in (None, *replies):
                reply = json.loads(started.stdout.readline())
                assert reply["jsonrpc"] == "2.0"
                if "id" in reply:
                    replies[reply["id"]] = reply["result"]
        started.stdin.close()
        assert started.stdout.read() == ""
    assert replies[1]["capabilities"]["tools"] is not None
    assert {one["name"] for one in replies[2]["tools"]} >= TOOLS
    answer = replies[3]["structuredContent"]
    assert answer["trace"]["expandedEntityIds"] == ["process-x", "team-y"]
    assert "Process X" in replies[3]["content"][0]["text"]


@requirement("000-034")
def test_each_tool_says_what_it_takes_and_gives(tmp_path: Path) -> None:
    async def task() -> Any:
        async with over_stdio(tmp_path, **stored(tmp_path)) as client:
            return (await client.list_tools()).tools

    listed = {one.name: one for one in asyncio.run(task()) if one.name in TOOLS}
    assert listed.keys() == TOOLS
    assert "query" in listed["graphrag_query"].input_schema["required"]
    assert all(one.description and one.output_schema for one in listed.values())


@requirement("000-036")
def test_a_query_goes_the_whole_way_and_gives_what_rest_gives(tmp_path: Path) -> None:
    async def work(client: Client, one: Door) -> tuple[Any, Any]:
        body = {"query": QUESTION, "context": ASKED["context"]}
        by_rest = told(await one.client.post("/api/ask", json=body))
        return await call(client, "graphrag_query", **body), by_rest

    by_mcp, by_rest = _called(tmp_path, work)
    for reply in (by_mcp, by_rest):
        for step in reply["trace"]["steps"]:
            step.pop("milliseconds")
    assert by_mcp == by_rest
    assert by_mcp["citations"]


@requirement("000-037")
def test_an_entity_is_looked_up_by_its_id_and_by_its_names(tmp_path: Path) -> None:
    async def work(client: Client, _: Door) -> list[Any]:
        names = ("Service A", "ServiceA", "Svc-A")
        found = [await call(client, "entity_lookup", name=one) for one in names]
        return [*found, await call(client, "entity_lookup", entityId="service-a")]

    for found in _called(tmp_path, work):
        assert {name: found[name] for name in ENTITY} == ENTITY
        assert [(one["kind"], one["target"]) for one in found["relations"]] == [
            ("depends_on", "process-x")
        ]


@requirement("000-038")
def test_an_expansion_tells_who_is_related_and_how(tmp_path: Path) -> None:
    async def work(client: Client, _: Door) -> list[Any]:
        return [
            await call(client, "graph_expansion", entityIds=["service-a"], hops=hops)
            for hops in (1, 2)
        ]

    one_hop, two_hops = _called(tmp_path, work)
    assert [one["id"] for one in one_hop["entities"]] == ["service-a", "process-x"]
    assert {one["id"] for one in two_hops["entities"]} == {"service-a", "process-x", "team-y"}
    assert [(one["kind"], one["hop"]) for one in two_hops["relations"]] == [
        ("depends_on", 1),
        ("escalates_to", 2),
    ]
    assert all(one["evidenceChunkIds"] for one in two_hops["relations"])
