"""Whoever is asked elsewhere is told which span asks, so that its own spans join ours."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import Client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from sextant.errors import Unreachable
from sextant.links.http_retriever import HttpRetriever
from sextant.links.mcp_connection import Connection, telling
from sextant.serve.mcp.tracing import Tracing
from sextant.settings import Settings
from sextant.spans import span, traced
from sextant.types import RetrievalRequest
from tests.links.http_server import Heard, found, served
from tests.loopback import Answer
from tests.telemetry.collector import FAILED, Collector, Told
from tests.telemetry.tracing import tracing

ASK = RetrievalRequest("Who owns the zebrafish?", "zebrafish owner", "the owner")


def parent_named(header: str) -> tuple[str, str]:
    _, trace, parent, _ = header.split("-")
    return trace, parent


async def retrieved(url: str) -> Collector:
    async with tracing() as (tracer, collector):
        retriever = HttpRetriever(f"{url}/find", Settings())
        try:
            with traced(tracer), span("asking"):
                await retriever.retrieve(ASK)
        finally:
            await retriever.close()
    return collector


def test_an_http_retriever_is_told_which_span_asks() -> None:
    with served(lambda _: found(["t"], ["S"])) as server:
        collector = asyncio.run(retrieved(server.url))
    call = collector.one("POST")
    (heard,) = server.heard
    assert parent_named(heard.headers["traceparent"]) == (call.trace, call.id)
    assert (call.kind, call.parent) == ("client", collector.one("asking").id)
    assert call.facts == {
        "http.request.method": "POST",
        "server.address": server.url.removeprefix("http://"),
        "http.response.status_code": 200,
    }
    assert b"zebrafish" not in b"".join(collector.bodies)


def test_a_retriever_that_fails_is_told_by_its_status_and_our_code() -> None:
    async def fail(url: str) -> Collector:
        async with tracing() as (tracer, collector):
            retriever = HttpRetriever(url, Settings())
            with traced(tracer), pytest.raises(Unreachable):
                await retriever.retrieve(ASK)
            await retriever.close()
        return collector

    with served(lambda _: Answer(500)) as server:
        call = asyncio.run(fail(server.url)).one("POST")
    assert (call.status, call.said) == (FAILED, "unreachable")
    assert call.facts["http.response.status_code"] == 500


def test_without_a_tracer_nothing_is_told() -> None:
    async def retrieve(url: str) -> None:
        retriever = HttpRetriever(url, Settings())
        await retriever.retrieve(ASK)
        await retriever.close()

    heard: list[Heard]
    with served(lambda _: found(["t"], ["S"])) as server:
        asyncio.run(retrieve(server.url))
        heard = server.heard
    assert "traceparent" not in heard[0].headers


def telling_what_it_hears() -> Server[Any]:
    """Return a server whose tool says which parent it was given."""

    async def call(
        ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        if params.name == "fails":
            return CallToolResult(content=[], is_error=True)
        meta: Any = ctx.meta or {}
        return CallToolResult(content=[TextContent(text=meta.get("traceparent", ""))])

    async def list_tools(
        ctx: ServerRequestContext[Any, Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        del ctx, params
        return ListToolsResult(tools=[])

    return Server("telling", on_call_tool=call, on_list_tools=list_tools)


async def called(tool: str = "tell") -> tuple[Collector, str]:
    async with tracing() as (tracer, collector):
        server = telling_what_it_hears()
        server.middleware[:] = [Tracing(tracer)]
        connection = Connection(lambda: Client(server))
        with traced(tracer), span("asking"), telling(tool):
            result = await connection.call(tool, {"text": "zebrafish"}, 10.0)
        await connection.close()
    told = "".join(one.text for one in result.content if isinstance(one, TextContent))
    return collector, told


def of_kind(collector: Collector, name: str, kind: str) -> Told:
    (one,) = [one for one in collector.named(name) if one.kind == kind]
    return one


def test_a_tool_elsewhere_is_told_which_span_calls_and_joins_it() -> None:
    collector, told = asyncio.run(called())
    client = of_kind(collector, "tools/call tell", "client")
    server = of_kind(collector, "tools/call tell", "server")
    assert client.parent == collector.one("asking").id
    assert parent_named(told) == (client.trace, client.id)
    assert (server.trace, server.parent) == (client.trace, client.id)
    assert server.facts["gen_ai.tool.name"] == "tell"
    assert server.facts["mcp.method.name"] == "tools/call"
    assert b"zebrafish" not in b"".join(collector.bodies)


def test_a_tool_that_fails_is_told_so() -> None:
    collector, _ = asyncio.run(called("fails"))
    server = of_kind(collector, "tools/call fails", "server")
    assert (server.status, server.said) == (FAILED, "tool_error")


def test_a_name_that_is_none_is_not_told() -> None:
    collector, _ = asyncio.run(called("who owns the zebrafish?"))
    server = of_kind(collector, "tools/call", "server")
    assert "gen_ai.tool.name" not in server.facts
