"""MCP Inspector's command line reaches the real server over stdio and HTTP, and gets the same."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sextant.build import open_sextant
from sextant.types import Scope
from tests.clients.inspector import Inspector
from tests.clients.product import fill, served
from tests.serve.mcp.doors import MOVE, OWNER, stored
from tests.serve.running import TOKEN, small

PORTABLE, DOTTED = "RAGPipeline_SearchAndRank", "RAGPipeline.SearchAndRank"


@dataclass(frozen=True)
class Place:
    """A folder whose store knows something, and what Python finds in it."""

    folder: Path
    cited: Sequence[str]
    ranked: Sequence[str]


@dataclass(frozen=True)
class Way:
    """Inspector on its way to the server, and how the tool for searches is listed there."""

    inspector: Inspector
    search: str


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A little knowledge."""
    folder = tmp_path_factory.mktemp("known")
    fill(folder)
    return asyncio.run(_found(folder))


async def _found(folder: Path) -> Place:
    async with await open_sextant(small(folder)) as sextant:
        answer = await sextant.ask(Scope(), OWNER)
        ranked = await sextant.search(Scope(), MOVE)
    cited = [one.chunk_id for one in answer.citations]
    return Place(folder, cited, [one.passage.chunk.id for one in ranked.hits])


@pytest.fixture(scope="module")
def over_http(node22: str, place: Place) -> Iterator[Inspector]:
    """Inspector with the token of a server that runs, in the newest revision of the protocol."""
    with served(place.folder, token=TOKEN) as url:
        way = ("--protocol-era", "modern", "--header", f"Authorization: Bearer {TOKEN}")
        yield Inspector(node22, place.folder, way, ("--server-url", f"{url}/mcp"))


@pytest.fixture(scope="module")
def over_stdio(node22: str, place: Place) -> Inspector:
    """Inspector, which starts the server itself and begins with a handshake."""
    variables = [part for one in stored(place.folder).items() for part in ("-e", "=".join(one))]
    command = (sys.executable, "-m", "sextant", "mcp", "--portable-names")
    return Inspector(node22, place.folder, ("--protocol-era", "legacy", *variables), command)


@pytest.fixture(scope="module", params=["stdio", "http"])
def way(request: pytest.FixtureRequest) -> Way:
    """One way or the other."""
    name = "over_stdio" if request.param == "stdio" else "over_http"
    return Way(request.getfixturevalue(name), PORTABLE if request.param == "stdio" else DOTTED)


def test_it_lists_our_tools_and_finds_no_schema_that_some_client_cannot_read(way: Way) -> None:
    listed = way.inspector.ask("tools/list", "--strict")["tools"]
    assert {"graphrag_query", "entity_lookup", way.search} <= {one["name"] for one in listed}
    assert all(one["outputSchema"] and one["annotations"] for one in listed)


def test_an_answer_cites_what_python_cites(way: Way, place: Place) -> None:
    given = way.inspector.call("graphrag_query", query=OWNER)
    assert [one["chunkId"] for one in given["citations"]] == place.cited != []


def test_a_search_ranks_what_python_ranks(way: Way, place: Place) -> None:
    given = way.inspector.call(way.search, UserQueryText=MOVE)
    assert [one["PersonaKnowledgeEntryId"] for one in given["Results"]] == place.ranked != []


def test_documents_can_be_listed_and_read(way: Way) -> None:
    listed = way.inspector.ask("resources/list")["resources"]
    uris = {one["name"]: one["uri"] for one in listed}
    assert uris.keys() == {"docs/a.md", "docs/queue.md"}
    read = way.inspector.ask("resources/read", "--uri", uris["docs/queue.md"])
    assert "owned by Team Y" in read["contents"][0]["text"]


def test_prompts_can_be_listed_and_written(way: Way) -> None:
    listed = way.inspector.ask("prompts/list")["prompts"]
    assert "who_owns" in {one["name"] for one in listed}
    given = ("--prompt-name", "who_owns", "--prompt-args", "entity=Harbor Queue")
    written = way.inspector.ask("prompts/get", *given)
    assert "who owns Harbor Queue" in written["messages"][0]["content"]["text"]


def test_names_without_dots_are_listed_over_http_when_the_address_asks(
    over_http: Inspector, place: Place
) -> None:
    option, url = over_http.target
    portable = replace(over_http, target=(option, f"{url}?names=portable"))
    given = portable.call(PORTABLE, UserQueryText=MOVE)
    assert [one["PersonaKnowledgeEntryId"] for one in given["Results"]] == place.ranked


def test_a_wrong_token_or_none_is_refused(over_http: Inspector) -> None:
    wrong = ("--header", "Authorization: Bearer of-somebody-else")
    for way, told in ((wrong, "The token is not valid."), ((), "This needs a token.")):
        refused = replace(over_http, way=way).refusal("tools/list")
        assert refused["code"] == "auth_required"
        assert told in refused["message"]
