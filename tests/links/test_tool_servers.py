"""Servers of others with tools: real ones from npm, one behind a token, and hostile ones."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sextant.build import open_tool_server
from sextant.errors import ConfigError, InvalidInput, PeerError, PeerRefused, PeerUnreachable
from sextant.links.tool_servers.listing import whole_list
from sextant.links.tool_servers.opening import find_server
from sextant.ports import ToolServer
from sextant.settings import Settings, ToolboxSettings, ToolServerSettings
from tests.peers.running import running

_ROOT = Path(__file__).parents[2]
_TOKEN = "guard-0123456789abcdef"
Work = Callable[[ToolServer], Coroutine[Any, Any, Any]]


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_ROOT)


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    """Where a server is that wants a token."""
    with running([sys.executable, "-m", "tests.links.guarded_server", _TOKEN], _ROOT) as url:
        yield f"{url}/mcp"


def hostile(mode: str) -> str:
    return f"evil='{sys.executable}' -m tests.links.hostile_server {mode}"


def with_server(choice: str | ToolServerSettings, work: Work, **toolbox: Any) -> Any:
    async def run() -> Any:
        server = open_tool_server(Settings(toolbox=ToolboxSettings(**toolbox)), choice)
        try:
            return await work(server)
        finally:
            await server.close()

    return asyncio.run(run())


def names(choice: str | ToolServerSettings, **toolbox: Any) -> list[str]:
    async def listed(server: ToolServer) -> list[str]:
        return [str(one["name"]) for one in await server.tools()]

    found = with_server(choice, listed, **toolbox)
    assert isinstance(found, list)
    return found


def text_of(result: Mapping[str, Any]) -> str:
    return str(result["content"][0]["text"])


def test_a_real_server_is_listed_and_called(npm_server: Callable[[str], str]) -> None:
    async def work(server: ToolServer) -> None:
        tools = {str(one["name"]): one for one in await server.tools()}
        assert tools["echo"]["inputSchema"]["properties"].keys() == {"message"}
        assert "Echo: hi" in text_of(await server.call("echo", {"message": "hi"}))
        failed = await server.call("echo", {})
        assert failed["isError"] is True

    with_server(f"everything={npm_server('server-everything')} stdio", work)


def test_a_server_that_works_on_files_does(
    npm_server: Callable[[str], str], tmp_path: Path
) -> None:
    folder = tmp_path.resolve()
    (folder / "note.txt").write_text("kept here")

    async def work(server: ToolServer) -> str:
        assert "read_text_file" in [one["name"] for one in await server.tools()]
        return text_of(await server.call("read_text_file", {"path": f"{folder}/note.txt"}))

    choice = f"files={npm_server('server-filesystem')} {folder}"
    assert "kept here" in with_server(choice, work)


def test_each_server_gets_its_own_token_and_no_other(
    guarded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEXTANT_TOOLS_MY_GUARD_TOKEN", _TOKEN)
    monkeypatch.setenv("SEXTANT_TOKEN", "token-of-our-own-callers")

    async def work(server: ToolServer) -> str:
        assert [one["name"] for one in await server.tools()] == ["headers"]
        return text_of(await server.call("headers", {}))

    told = with_server(ToolServerSettings("my-guard", guarded), work)
    assert f"Bearer {_TOKEN}" in told
    assert "token-of-our-own-callers" not in told


def test_without_its_token_the_error_names_the_variable(
    guarded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEXTANT_TOKEN", _TOKEN)  # that of our own servers is not sent to others
    with pytest.raises(PeerRefused, match="guard does not let us in") as caught:
        names(f"guard={guarded}")
    assert "SEXTANT_TOOLS_GUARD_TOKEN" in caught.value.hint


def test_a_command_gets_only_the_variables_that_it_was_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEXTANT_TOKEN", "secret")
    monkeypatch.setenv("PROMISED_TOKEN", "promised-to-it")

    async def told(server: ToolServer) -> str:
        return str((await server.tools())[0]["description"])

    at = hostile("variables").partition("=")[2]
    given = with_server(ToolServerSettings("v", at, ("PROMISED_TOKEN",)), told)
    assert "PROMISED_TOKEN" in given.split()
    assert "SEXTANT_TOKEN" not in given.split()


@pytest.mark.parametrize("mode", ["hangs", "mute", "garbage", "floods"])
def test_a_server_that_does_not_answer_costs_its_time_and_no_more(mode: str) -> None:
    with pytest.raises(PeerUnreachable, match="evil did not list its tools within 3 seconds"):
        names(hostile(mode), list_seconds=3.0)


def test_a_server_that_dies_in_mid_list_gives_nothing() -> None:
    with pytest.raises(PeerUnreachable, match="evil cannot be reached, or ended before"):
        names(hostile("dies"))


def test_a_list_without_an_end_is_an_error() -> None:
    with pytest.raises(PeerError, match="evil lists more than"):
        names(hostile("endless"))


def test_more_tools_than_anybody_has_are_an_error() -> None:
    @dataclass(frozen=True)
    class Page:
        next_cursor: str | None
        tools: Sequence[Mapping[str, Any]] = ({},) * 10_000

    async def read(cursor: str | None) -> Page:
        return Page(f"{cursor}+")

    with pytest.raises(PeerError, match="evil lists more than 50,000 tools"):
        asyncio.run(whole_list("evil", read, lambda: 0))


def test_a_page_that_comes_again_is_an_error() -> None:
    with pytest.raises(PeerError, match="evil lists the same page"):
        names(hostile("loop"))


def test_a_list_that_never_rests_is_an_error() -> None:
    with pytest.raises(PeerError, match="evil keeps changing its list"):
        names(hostile("changing"))


def test_a_list_that_changes_while_it_is_read_is_read_anew() -> None:
    async def work(server: ToolServer) -> None:
        assert [one["name"] for one in await server.tools()] == ["new"]
        assert server.changes == 1

    with_server(hostile("settles"), work)


def test_what_is_no_list_of_the_protocol_is_an_error() -> None:
    with pytest.raises(PeerError, match="evil did not list its tools as the protocol has it"):
        names(hostile("wrong_shape"))


def test_what_a_server_says_of_its_failure_is_shown_without_secrets() -> None:
    with pytest.raises(PeerError, match="evil does not list its tools: no list for") as caught:
        names(hostile("refuses"))
    assert "abcdef0123456789" not in str(caught.value)


def test_a_command_that_cannot_be_started_is_named() -> None:
    with pytest.raises(PeerUnreachable, match="nowhere cannot be reached"):
        names("nowhere=/no/such/program --stdio")


def test_a_call_that_is_refused_leaves_the_server_as_it_was() -> None:
    async def work(server: ToolServer) -> None:
        before = text_of(await server.call("first", {}))
        with pytest.raises(PeerError, match="evil refuses the call of refuse: not like this"):
            await server.call("refuse", {})
        assert text_of(await server.call("first", {})) == before

    with_server(hostile("calls"), work)


def test_a_call_that_hangs_or_ends_the_server_is_named_and_the_next_one_works() -> None:
    async def work(server: ToolServer) -> None:
        with pytest.raises(PeerUnreachable, match="did not answer the call of hang within 1 sec"):
            await server.call("hang", {}, seconds=1.0)
        with pytest.raises(PeerUnreachable, match="evil cannot be reached, or ended before"):
            await server.call("die", {})
        assert text_of(await server.call("again", {})).startswith("again of")

    with_server(hostile("calls"), work)


def test_a_closed_server_is_not_asked() -> None:
    async def run() -> None:
        server = open_tool_server(Settings(), hostile("calls"))
        await server.close()
        with pytest.raises(PeerError, match="The connection to evil was closed"):
            await server.tools()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("choice", "name"),
    [
        ("https://mcp.example.com/mcp", "mcp.example.com"),
        ("github=https://mcp.example.com/mcp?a=b", "github"),
        ("npx -y @modelcontextprotocol/server-everything@2026.8.31", "server-everything"),
        ("uvx mcp-server-git --repository .", "mcp-server-git"),
        ("node /opt/weather/dist/index.js", "weather"),
        ("python3 tools.py", "tools"),
    ],
)
def test_a_server_without_a_name_is_called_after_what_it_is(choice: str, name: str) -> None:
    assert find_server(choice, Settings()).name == name


def test_a_server_of_the_settings_is_found_by_its_name() -> None:
    own = ToolServerSettings("files", "npx files /srv", personas=("ops",))
    settings = Settings(toolbox=ToolboxSettings(servers=(own,)))
    assert find_server("files", settings) is own


@pytest.mark.parametrize(
    "choice", ["", "x=", "x=npx 'open", "x=https://user:pass@host/mcp", "x=http://:0/", "-y"]
)
def test_what_can_be_no_server_is_refused_before_anything_is_started(choice: str) -> None:
    with pytest.raises((ConfigError, InvalidInput)):
        find_server(choice, Settings())
