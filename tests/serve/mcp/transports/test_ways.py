"""The same talk by every way in: stdio, Streamable HTTP, the bridge; with a handshake or none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp.client import Client
from mcp.shared.dispatcher import ProgressFnT as Progress
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from sextant.build import open_sextant
from sextant.testing.fault_server.deeds import DEEDS, Exchange
from sextant.testing.fault_server.server import FaultServer
from sextant.types import Scope
from tests.serve.mcp.doors import (
    HANDSHAKE,
    LATEST,
    OWNER,
    call,
    over_http,
    over_stdio,
    refusal,
    server,
    stored,
    take_in,
)
from tests.serve.running import TOKEN, small

WAYS = [(way, mode) for way in ("stdio", "http", "bridge") for mode in (LATEST, HANDSHAKE)]
PATIENCE_S = 60.0


@asynccontextmanager
async def come_in(way: str, mode: str, folder: Path, llm: str = "none") -> AsyncIterator[Client]:
    """Come to that knowledge by a way."""
    if way == "stdio":
        await take_in(folder)
        async with over_stdio(folder, "--llm", llm, mode=mode, **stored(folder)) as client:
            yield client
        return
    async with server(folder, llm=llm) as one:
        if way == "http":
            async with over_http(one, mode) as client:
                yield client
        else:
            url = ("--url", f"{one.url}/mcp")
            async with over_stdio(folder, *url, mode=mode, SEXTANT_TOKEN=TOKEN) as client:
                yield client


async def hang_for_comets(exchange: Exchange) -> None:
    """Hang where comets are asked for, and refuse everything else."""
    deed = "hangs" if "Comet" in json.dumps(exchange.body) else "404"
    await DEEDS[deed](exchange)


def hearing(heard: list[str | None]) -> Progress:
    """Return what takes down how a call goes on, step by step."""

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert (progress, total) == (len(heard) + 1, None)
        heard.append(message)

    return hear


async def cancelled(client: Client, model: FaultServer, hear: Progress | None = None) -> None:
    """Ask what takes for ever, and change one's mind once the work is under way."""

    async def ask() -> None:
        await client.call_tool("graphrag_query", {"query": "Comet?"}, progress_callback=hear)

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await model.until_asked()
        group.cancel_scope.cancel()


async def citations(folder: Path) -> list[str]:
    """Return what an answer cites when it is asked for in Python."""
    async with await open_sextant(small(folder)) as sextant:
        return [one.chunk_id for one in (await sextant.ask(Scope(), OWNER)).citations]


@pytest.mark.parametrize(("way", "mode"), WAYS)
def test_every_way_leads_to_the_same_answer_and_back(tmp_path: Path, way: str, mode: str) -> None:
    heard: list[str | None] = []
    hear = hearing(heard)

    async def run() -> None:
        async with (
            asyncio.timeout(PATIENCE_S),
            FaultServer(hang_for_comets) as model,
            come_in(way, mode, tmp_path, f"{model.url}#fault-1") as client,
        ):
            assert (client.protocol_version == LATEST) == (mode == LATEST)
            await cancelled(client, model)
            await model.until_hung_up()
            asked = {"query": OWNER}
            result = await client.call_tool("graphrag_query", asked, progress_callback=hear)
            given = [own["chunkId"] for own in result.structured_content["citations"]]
            with pytest.raises(MCPError) as unknown:
                await client.call_tool("no_such_tool", {})
            assert unknown.value.code == INVALID_PARAMS
            wrong = await refusal(client, "graphrag_query", query=5)
            assert wrong["code"] == "invalid_input"
            listed = await client.list_resources()
            assert [one.name for one in listed.resources] == ["docs/a.md", "docs/queue.md"]
            prompt = await client.get_prompt("who_owns", {"entity": "HQ"})
            assert "who owns HQ" in str(prompt.messages[0].content)
        assert given == await citations(tmp_path) != []

    asyncio.run(run())
    assert heard[:2] == ["Reading the question", "Deciding whether knowledge is needed"]
    assert "Writing the answer" in heard


@pytest.mark.parametrize("mode", [LATEST, HANDSHAKE])
def test_a_call_that_tells_of_progress_can_be_cancelled(tmp_path: Path, mode: str) -> None:
    heard: list[str | None] = []
    hear = hearing(heard)

    async def run() -> None:
        async with (
            asyncio.timeout(PATIENCE_S),
            FaultServer(hang_for_comets) as model,
            come_in("http", mode, tmp_path, f"{model.url}#fault-1") as client,
        ):
            await cancelled(client, model, hear)
            await model.until_hung_up()
            assert (await call(client, "entity_lookup", name="HQ"))["id"] == "harbor-queue"

    asyncio.run(run())


def test_portable_names_are_listed_when_asked_for_and_always_understood(tmp_path: Path) -> None:
    async def run() -> None:
        await take_in(tmp_path)
        async with over_stdio(
            tmp_path, "--portable-names", "--persona", "sre", mode=HANDSHAKE, **stored(tmp_path)
        ) as client:
            tools = (await client.list_tools()).tools
            names = [one.name for one in tools]
            assert "RAGPipeline_SearchAndRank" in names
            told = [client.instructions or "", *(one.description or "" for one in tools)]
            assert not any("RAGPipeline." in one for one in told)
            assert "RAGPipeline_SearchAndRank" in told[0]
            assert all(name.replace("_", "").isalnum() for name in names)
            for name in ("RAGPipeline_SearchAndRank", "RAGPipeline.SearchAndRank"):
                found = await call(client, name, UserQueryText="Where does Harbor Queue move to?")
                assert any("Oslo" in one["Snippet"] for one in found["Results"])
            other = await refusal(client, "graphrag_query", query=OWNER, personaId="hr")
            assert other["code"] == "forbidden"

    asyncio.run(run())


@pytest.mark.parametrize("mode", [LATEST, HANDSHAKE])
def test_what_is_no_part_of_the_protocol_is_an_error_of_it(tmp_path: Path, mode: str) -> None:
    async def run() -> None:
        async with server(tmp_path) as one, over_http(one, mode) as client:
            with pytest.raises(MCPError) as wrong:
                await client.get_prompt("no_such_prompt", {})
            assert wrong.value.code == INVALID_PARAMS
            with pytest.raises(MCPError) as blank:
                await client.get_prompt("who_owns", {"entity": " "})
            assert blank.value.code == INVALID_PARAMS

    asyncio.run(run())
