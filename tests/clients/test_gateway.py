"""`sextant tools gateway` before real servers, used by the official client and Inspector."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from sextant.build import open_sextant
from sextant.types import Scope
from tests.cli.commands import environment, hear, sextant, started
from tests.clients.inspector import Inspector
from tests.links.test_tool_servers import text_of
from tests.peers.running import running
from tests.serve.mcp.doors import HANDSHAKE, LATEST, stored
from tests.serve.running import small

_ROOT = Path(__file__).parents[2]
_GUARD = "guard-0123456789abcdef"
_WHERE = r"gateway answers at (http://\S+)"
Work = Callable[[Client], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Front:
    """A folder with a note, and the options of a gateway before two servers of npm."""

    folder: Path
    options: tuple[str, ...]

    @property
    def note(self) -> str:
        """A file that one of the servers can read."""
        return f"{self.folder}/note.txt"


@pytest.fixture
def front(npm_server: Callable[[str], str], tmp_path: Path) -> Front:
    """Two real servers, one of them with a folder to work on."""
    folder = tmp_path.resolve()
    (folder / "note.txt").write_text("kept here")
    everything = f"everything={npm_server('server-everything')} stdio"
    files = f"files={npm_server('server-filesystem')} {folder}"
    return Front(folder, ("--mcp", everything, "--mcp", files))


@asynccontextmanager
async def over_stdio(front: Front, *options: str, mode: str = LATEST) -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sextant", "tools", "gateway", *front.options, *options],
        cwd=front.folder,
        env=environment(**stored(front.folder)),
    )
    async with Client(stdio_client(command), mode=mode) as client:
        yield client


def with_client(front: Front, work: Work, *options: str, mode: str = LATEST) -> None:
    async def run() -> None:
        async with over_stdio(front, *options, mode=mode) as client:
            await work(client)

    asyncio.run(run())


async def called(client: Client, name: str, /, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    return text_of(result.model_dump(mode="json", by_alias=True))


@pytest.mark.parametrize("mode", [LATEST, HANDSHAKE])
def test_a_client_sees_two_tools_and_reaches_all_others(front: Front, mode: str) -> None:
    async def work(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [one.name for one in listed] == ["search_tools", "call_tool"]
        found = await client.call_tool("search_tools", {"query": "read the text of a file"})
        assert found.structured_content
        ids = [one["id"] for one in found.structured_content["tools"]]
        assert "files.read_text_file" in ids
        given = {"name": "files.read_text_file", "arguments": {"path": front.note}}
        assert "kept here" in await called(client, "call_tool", **given)
        given = {"name": "everything.echo", "arguments": {"message": "hi"}}
        assert "Echo: hi" in await called(client, "call_tool", **given)

    with_client(front, work, mode=mode)


def test_for_one_request_its_tools_are_listed_under_names_that_models_take(front: Front) -> None:
    async def work(client: Client) -> None:
        listed = {one.name: one for one in (await client.list_tools()).tools}
        assert "files_read_text_file" in listed
        assert len(listed) <= 5
        assert listed["files_read_text_file"].input_schema["required"] == ["path"]
        assert "kept here" in await called(client, "files_read_text_file", path=front.note)

    with_client(front, work, "--for", "read the text of a file")


def test_results_come_back_as_they_are_with_pictures_and_errors(front: Front) -> None:
    async def work(client: Client) -> None:
        picture = await client.call_tool("call_tool", {"name": "everything.get-tiny-image"})
        assert "image" in {one.type for one in picture.content}
        wrong = await client.call_tool("call_tool", {"name": "everything.echo", "arguments": {}})
        assert wrong.is_error
        unknown = await client.call_tool("call_tool", {"name": "everything.eko"})
        assert unknown.is_error
        assert unknown.structured_content
        assert unknown.structured_content["hint"] == "Did you mean everything.echo?"

    with_client(front, work)


def test_what_was_called_for_a_request_is_remembered(front: Front) -> None:
    async def work(client: Client) -> None:
        await client.call_tool("search_tools", {"query": "say hello"})
        given = {"name": "everything.echo", "arguments": {"message": "hello"}}
        await client.call_tool("call_tool", given)

    async def uses() -> list[tuple[str, list[str]]]:
        async with await open_sextant(small(front.folder)) as opened:
            found = await opened.toolbox.graph.read_uses(Scope())
        return [(use.request, [call.tool_id for call in use.calls]) for use in found]

    with_client(front, work)
    assert asyncio.run(uses()) == [("say hello", ["everything.echo"])]


def test_a_server_that_fails_does_not_keep_the_others_away(front: Front) -> None:
    async def work(client: Client) -> None:
        given = {"name": "everything.echo", "arguments": {"message": "hi"}}
        assert "Echo: hi" in await called(client, "call_tool", **given)

    broken = Front(front.folder, (*front.options, "--mcp", "gone=http://127.0.0.1:9/mcp"))
    with_client(broken, work)


def test_a_server_that_hangs_keeps_nobody_waiting_and_ends_with_the_gateway(
    front: Front,
) -> None:
    hangs = f"hangs=tail -f {front.note}"

    async def work(client: Client) -> None:
        assert [one.name for one in (await client.list_tools()).tools]

    with_client(Front(front.folder, ("--mcp", hangs)), work)
    assert not [one for one in processes() if f"tail -f {front.note}" in one]


def processes() -> list[str]:
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(one.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return found


@pytest.fixture
def guarded() -> Iterator[str]:
    """Where a server is that wants a token, and says which headers came to it."""
    with running([sys.executable, "-m", "tests.links.guarded_server", _GUARD], _ROOT) as url:
        yield f"{url}/mcp"


@asynccontextmanager
async def over_http(url: str, token: str, rest: str = "") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{url}{rest}", http_client=http)) as client,
    ):
        yield client


@pytest.fixture
def served(guarded: str, tmp_path: Path) -> Iterator[str]:
    """The address of a gateway with keys, before a server with a token of its own."""
    options = ("--mcp", f"guard={guarded}", "--http", "--port", "0", "--auth", "api-key")
    variables = {**stored(tmp_path), "SEXTANT_TOOLS_GUARD_TOKEN": _GUARD}
    command = ("tools", "gateway", *options)
    with started(tmp_path, *command, patience_s=300.0, files=None, **variables) as child:
        where = re.search(_WHERE, hear(child.stdout, _WHERE))
        assert where
        yield where[1]


def key(folder: Path, *roles: str) -> str:
    given = [part for role in roles for part in ("--role", role)]
    made = sextant(
        folder, "keys", "create", "--name", "-".join(roles), *given, "--json", **stored(folder)
    )
    return str(json.loads(made.stdout)["key"])


def test_over_http_the_key_decides_and_the_callers_token_goes_nowhere(
    served: str, tmp_path: Path
) -> None:
    both, only_search = key(tmp_path, "search", "call"), key(tmp_path, "search")

    async def work() -> None:
        async with over_http(served, both) as client:
            told = await called(client, "call_tool", name="guard.headers")
            assert f"Bearer {_GUARD}" in told
            assert both not in told
        async with over_http(served, both, "?for=which+headers+came") as client:
            assert [one.name for one in (await client.list_tools()).tools] == ["guard_headers"]
        async with over_http(served, only_search) as client:
            assert [one.name for one in (await client.list_tools()).tools] == ["search_tools"]
            with pytest.raises(Exception, match=r"Toolbox\.CallAccess|403"):
                await client.call_tool("call_tool", {"name": "guard.headers"})
            with pytest.raises(Exception, match=r"Toolbox\.CallAccess|403"):
                await client.call_tool("guard_headers", {})

    asyncio.run(work())


def test_the_inspector_searches_and_calls(front: Front, node22: str) -> None:
    variables = [part for one in stored(front.folder).items() for part in ("-e", "=".join(one))]
    command = (sys.executable, "-m", "sextant", "tools", "gateway", *front.options)
    inspector = Inspector(node22, front.folder, ("--protocol-era", "legacy", *variables), command)
    listed = inspector.ask("tools/list", "--strict")["tools"]
    assert [one["name"] for one in listed] == ["search_tools", "call_tool"]
    found = inspector.call("search_tools", query="read the text of a file")
    assert "files.read_text_file" in [one["id"] for one in found["tools"]]
    asked = {"name": "everything.echo", "arguments": {"message": "hi"}}
    given = ("--tool-name", "call_tool", "--tool-args-json", json.dumps(asked))
    assert "Echo: hi" in json.dumps(inspector.ask("tools/call", *given))
