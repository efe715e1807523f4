"""MCP as a door: the official client, whatever carries its messages."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from sextant.prompting.network.trust import trusted
from sextant.serve.mcp.transports.single_server import running_alone
from sextant.settings import RemoteSettings, Settings
from tests.doors import shapes
from tests.doors.calls import CALLS, Ask, Call, Expand, LookUp, Search
from tests.doors.door import NOBODY, Door, No
from tests.doors.rest import ask_bodies, expand_body, personas_of, weights_of
from tests.serve.mcp.doors import over_http, over_stdio
from tests.serve.running import served

SEARCH = "RAGPipeline.SearchAndRank"


@asynccontextmanager
async def http(settings: Settings, user: str) -> AsyncIterator[Mcp]:
    """Serve, and come in over Streamable HTTP."""
    async with served(settings) as server, over_http(server) as client:
        yield Mcp(client, user)


@asynccontextmanager
async def stdio(settings: Settings, user: str, folder: Path) -> AsyncIterator[Mcp]:
    """Start `sextant mcp` for each set of personas that somebody asks as."""
    async with AsyncExitStack() as opened:
        clients = {}
        for personas in sorted({call.personas for call in CALLS.values()}):
            started = [part for persona in personas for part in ("--persona", persona)]
            one = over_stdio(folder, *started, **_variables(settings))
            clients[personas] = await opened.enter_async_context(one)
        yield Started(clients, user)


@asynccontextmanager
async def bridged(settings: Settings, user: str, folder: Path) -> AsyncIterator[Mcp]:
    """Start `sextant mcp --url` for a server that runs."""
    async with (
        served(settings) as server,
        over_stdio(folder, "--url", f"{server.url}/mcp", SEXTANT_TOKEN=server.token) as client,
    ):
        yield Mcp(client, user)


@asynccontextmanager
async def three_servers(settings: Settings, user: str) -> AsyncIterator[Mcp]:
    """Serve each of the three alone, and come in to the pipeline."""
    own = replace(settings, serve=replace(settings.serve, port=0, auth="none"))
    async with (
        running_alone(own, "knowledge-store") as store,
        running_alone(own, "llm-orchestration") as models,
    ):
        remote = RemoteSettings(f"{store.url}/mcp", f"{models.url}/mcp")
        nothing = replace(own, store="sqlite:/nowhere/at/all", remote=remote)
        async with (
            running_alone(nothing, "rag-pipeline") as line,
            httpx2.AsyncClient(timeout=30, verify=trusted()) as plain,
            Client(streamable_http_client(f"{line.url}/mcp", http_client=plain)) as client,
        ):
            yield Mcp(client, user)


class Mcp(Door):
    """A door that calls tools."""

    def __init__(self, client: Client, user: str) -> None:
        self._client, self._user = client, user

    async def ask(self, call: Ask) -> shapes.Answered:
        *before, last = ask_bodies(call, self._user)
        for body in before:
            await self._called("graphrag_query", body)
        return shapes.answered(await self._called("graphrag_query", last))

    async def search(self, call: Search) -> shapes.Found:
        told = await self._called(SEARCH, _search_arguments(call))
        way = json.loads(told["DebugInformation"])
        return shapes.Found(tuple(map(_ranked, told["Results"])), shapes.told_trail(way))

    async def look_up(self, call: LookUp) -> shapes.Known | shapes.Refused:
        asked = {"name": call.name, "limit": call.limit, **personas_of(call)}
        result = await self._client.call_tool("entity_lookup", asked)
        if result.is_error and (result.structured_content or {})["code"] == "not_found":
            return NOBODY
        told = _told(result)
        return shapes.known(told, told["others"])

    async def expand(self, call: Expand) -> shapes.Around:
        return shapes.around(await self._called("graph_expansion", expand_body(call)))

    async def _called(self, name: str, arguments: dict[str, Any]) -> Any:
        return _told(await self._client.call_tool(name, arguments))


class Started(Mcp):
    """Processes that each ask as some personas, and as no other, whatever a call names."""

    def __init__(self, clients: Mapping[tuple[str, ...], Client], user: str) -> None:
        super().__init__(clients[()], user)
        self._clients = clients

    async def reply(self, call: Call) -> shapes.Reply:
        """Let the process of the call's personas reply."""
        return await Mcp(self._clients[call.personas], self._user).reply(call)


def _told(result: CallToolResult) -> Any:
    if result.is_error:
        raise No(result.content[0].text)  # type: ignore[union-attr]
    return result.structured_content


def _search_arguments(call: Search) -> dict[str, Any]:
    """Return a search in the spelling of the protocol."""
    prefs = (
        {name.title(): one for name, one in weights_of(call.weights).items()}
        if call.weights
        else None
    )
    return {
        "UserQueryText": call.query,
        **{f"P{name[1:]}": own for name, own in personas_of(call).items()},
        "TopKInitialRetrieve": call.candidates,
        "TopKFinalRank": call.top_k,
        "RankingPrefs": prefs or call.profile or None,
        "Filters": call.filters,
        "ExpandQueryWithLlm": call.rephrase,
    }


def _ranked(told: shapes.Plain) -> shapes.Ranked:
    artifact, scores = told["AssociatedArtifact"], told["IndividualScores"]
    return shapes.Ranked(
        told["PersonaKnowledgeEntryId"],
        artifact["ArtifactId"],
        told["OverallRankScore"],
        (scores["Relevancy"], scores["Recency"], scores["Richness"], scores["Reputation"]),
        artifact["Title"],
        artifact["Url"],
        artifact["SourceType"],
        told["Snippet"],
    )


def _variables(settings: Settings) -> dict[str, str]:
    return {"SEXTANT_STORE": settings.store, "SEXTANT_EMBEDDER": settings.embedder}
