"""A request at a door is a span inside its caller's, and what is done for it is inside that."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from sextant.serve.mcp.transports.single_server import running_alone
from sextant.settings import RemoteSettings
from tests.serve.running import Served, served
from tests.telemetry.collector import Collector, collecting
from tests.telemetry.tracing import settings_for

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
HEADERS = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "vendor=one"}
MORE = f"00-{TRACE}-{PARENT[::-1]}-01"


def told(folder: Path, visit: Callable[[Served], Awaitable[None]]) -> Collector:
    """Return what a server told of a visit."""

    async def serve(collector: Collector) -> None:
        async with served(settings_for(folder, collector.url)) as server:
            await visit(server)

    with collecting() as collector:
        asyncio.run(serve(collector))
    return collector


def test_a_search_is_a_part_of_its_callers_trace(tmp_path: Path) -> None:
    async def search(server: Served) -> None:
        async with server.client(**HEADERS, **{"x-request-id": "run-7"}) as client:
            body = {"query": "Who owns the zebrafish?", "topK": 3}
            assert (await client.post("/api/search", json=body)).status_code == 200

    collector = told(tmp_path, search)
    door = collector.one("POST /api/search")
    assert (door.trace, door.parent, door.kind) == (TRACE, PARENT, "server")
    assert door.facts == {
        "sextant.run.id": "run-7",
        "http.request.method": "POST",
        "url.scheme": "http",
        "http.route": "/api/search",
        "http.response.status_code": 200,
    }
    verb = collector.one("sextant.search")
    assert (verb.trace, verb.parent, verb.facts["sextant.run.id"]) == (TRACE, door.id, "run-7")
    assert {one.trace for one in collector.spans} == {TRACE}
    assert b"zebrafish" not in b"".join(collector.bodies)


def test_a_refusal_is_told_by_its_status_and_is_no_failure_of_ours(tmp_path: Path) -> None:
    async def come_without_a_token(server: Served) -> None:
        async with server.client(Authorization="Bearer wrong") as client:
            assert (await client.get("/api/documents")).status_code == 401

    (door,) = told(tmp_path, come_without_a_token).spans
    assert (door.name, door.status) == ("GET", 0)
    assert door.facts["http.response.status_code"] == 401


def test_what_is_in_a_path_is_not_told(tmp_path: Path) -> None:
    async def look(server: Served) -> None:
        async with server.client() as client:
            await client.get("/api/documents/zebrafish")
            await client.get("/zebrafish")
            await client.request("ZEBRAFISH", "/health")

    collector = told(tmp_path, look)
    names = sorted(one.name for one in collector.spans if one.kind == "server")
    assert names[0] == "GET"
    assert names[1].startswith("GET /api/documents/{")
    assert names[2].startswith("_OTHER")
    assert b"zebrafish" not in b"".join(collector.bodies).lower()


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["nonsense"],
        ["00-" + "0" * 32 + "-" + "0" * 16 + "-01"],
        [f"ff-{TRACE}-{PARENT}-01"],
        ["x" * 4_000],
        [HEADERS["traceparent"], MORE],
    ],
)
def test_a_parent_that_cannot_be_right_is_left_aside(tmp_path: Path, given: list[str]) -> None:
    async def look(server: Served) -> None:
        async with server.client() as client:
            headers = [("traceparent", one) for one in given]
            await client.get("/health", headers=headers)

    (door,) = told(tmp_path, look).spans
    assert (door.parent, door.trace == TRACE) == ("", False)


def test_a_tool_is_a_part_of_the_trace_that_its_meta_names(tmp_path: Path) -> None:
    async def call(server: Served) -> None:
        async with server.client() as http:
            transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
            async with Client(transport) as client:
                meta: Any = {**HEADERS}
                await client.call_tool("entity_lookup", {"name": "zebrafish"}, meta=meta)
                await client.call_tool("entity_lookup", {"name": "zebrafish"})

    collector = told(tmp_path, call)
    first, second = sorted(collector.named("tools/call entity_lookup"), key=lambda one: one.began)
    assert (first.trace, first.parent, first.kind) == (TRACE, PARENT, "server")
    doors = {one.id for one in collector.named("POST /mcp")}
    assert second.parent in doors
    assert first.facts["gen_ai.tool.name"] == "entity_lookup"
    verbs = [one for one in collector.spans if one.name.startswith("sextant.")]
    assert {one.parent for one in verbs} <= {first.id, second.id, *(one.id for one in verbs)}
    assert {first.id, second.id} <= {one.parent for one in verbs}
    assert {first.said, second.said} == {"tool_error"}
    assert b"zebrafish" not in b"".join(collector.bodies)


def test_three_servers_tell_one_trace(tmp_path: Path) -> None:
    async def serve(collector: Collector) -> None:
        own = settings_for(tmp_path, collector.url)
        own = replace(own, serve=replace(own.serve, port=0, auth="none"))
        async with (
            running_alone(own, "knowledge-store") as store,
            running_alone(own, "llm-orchestration") as models,
        ):
            remote = RemoteSettings(f"{store.url}/mcp", f"{models.url}/mcp")
            async with running_alone(replace(own, remote=remote), "rag-pipeline") as line:
                await _searched(line.url)

    with collecting() as collector:
        asyncio.run(serve(collector))
    search = collector.one("tools/call RAGPipeline.SearchAndRank")
    assert (search.trace, search.parent) == (TRACE, PARENT)
    outward = {one.id: one for one in collector.spans if one.kind == "client"}
    inward = [one for one in collector.spans if one.kind == "server" and one.parent in outward]
    called = [one for one in inward if one.name.startswith("tools/call ")]
    names = {one.name for one in called if one.trace == TRACE}
    assert "tools/call LlmOrchestration.GenerateEmbeddings" in names
    assert any(name.startswith("tools/call KnowledgeStore.") for name in names)
    assert all(one.name == outward[one.parent].name for one in called)
    assert b"zebrafish" not in b"".join(collector.bodies)


async def _searched(url: str) -> None:
    async with httpx2.AsyncClient() as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(transport) as client:
            meta: Any = {**HEADERS}
            asked = {"UserQueryText": "Who owns the zebrafish?", "PersonaId": "sre"}
            found = await client.call_tool("RAGPipeline.SearchAndRank", asked, meta=meta)
            assert not found.is_error, found.content
