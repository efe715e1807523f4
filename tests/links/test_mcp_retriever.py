"""A retriever that is a tool of a real MCP server: the same suite over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sextant.build import open_retriever
from sextant.errors import BrokenFile, ConfigError, ReadError, Unreachable
from sextant.ports import Retriever
from sextant.settings import ModelSettings, Settings
from sextant.types import Retrieval, RetrievalRequest

ASK = RetrievalRequest("Who owns A?", "owner of A", "the owner", "sourceType eq 'wiki'")
_ROOT = Path(__file__).parents[2]
_PATIENCE_S = 600.0
_COMMAND = [sys.executable, "-m", "tests.links.mcp_server"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a server over HTTP is."""
    with serving("http") as url:
        yield url


@contextmanager
def serving(how: str) -> Iterator[str]:
    with subprocess.Popen([*_COMMAND, how], cwd=_ROOT, stdout=subprocess.PIPE, text=True) as one:
        watchdog = threading.Timer(_PATIENCE_S, one.kill)
        watchdog.start()
        try:
            assert one.stdout
            yield f"http://127.0.0.1:{int(one.stdout.readline())}/mcp"
        finally:
            watchdog.cancel()
            one.kill()


@pytest.fixture(params=["stdio", "http"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What stands between mcp: and #."""
    if request.param == "http":
        return str(request.getfixturevalue("address"))
    monkeypatch.chdir(_ROOT)
    return f"'{sys.executable}' -m tests.links.mcp_server stdio"


def with_tool(
    server: str,
    tool: str,
    work: Callable[[Retriever], Coroutine[Any, Any, Any]],
    model: ModelSettings | None = None,
) -> Any:
    async def run() -> Any:
        settings = replace(Settings(), model=model or ModelSettings())
        retriever = open_retriever(settings, f"mcp:{server}#{tool}")
        assert retriever
        try:
            return await work(retriever)
        finally:
            await retriever.close()

    return asyncio.run(run())


def called(server: str, tool: str) -> Retrieval:
    found = with_tool(server, tool, lambda retriever: retriever.retrieve(ASK))
    assert isinstance(found, Retrieval)
    return found


def test_the_tool_is_called_with_the_words_of_the_workflow(server: str) -> None:
    found = called(server, "find")
    assert found.query_used == "owner of A"
    assert found.texts[0] == "Who owns A?|owner of A|the owner|sourceType eq 'wiki'"
    assert found.sources == ("A", "B")


def test_where_no_tool_is_named_the_only_one_is_called() -> None:
    with serving("single") as url:
        assert retrieved_without_tool(url).sources == ("A", "B")


def test_of_several_tools_one_must_be_named(address: str) -> None:
    with pytest.raises(Unreachable, match="no single tool, but find, find_as_text"):
        retrieved_without_tool(address)


def retrieved_without_tool(address: str) -> Retrieval:
    async def run() -> Retrieval:
        retriever = open_retriever(Settings(), f"mcp:{address}")
        assert retriever
        try:
            return await retriever.retrieve(ASK)
        finally:
            await retriever.close()

    return asyncio.run(run())


@pytest.mark.parametrize("tool", ["find_as_text", "find_wrapped"])
def test_json_in_the_text_is_taken_too(server: str, tool: str) -> None:
    assert called(server, tool) == Retrieval("owner of A", ("t",), ("S",))


@pytest.mark.parametrize(
    ("tool", "error", "told"),
    [
        ("prose", BrokenFile, "no JSON"),
        ("misaligned", BrokenFile, "1 texts and 0 sources"),
        ("fail", Unreachable, "no index for owner of A"),
        ("absent", Unreachable, "failed"),
        ("large", ReadError, "large"),
        ("large_as_text", ReadError, "large"),
    ],
)
def test_what_is_no_answer_is_a_typed_error(
    server: str, tool: str, error: type[ReadError], told: str
) -> None:
    with pytest.raises(error) as caught:
        called(server, tool)
    assert told in str(caught.value)
    assert "abcdef0123456789" not in str(caught.value)


def test_one_connection_serves_many_calls_at_once(server: str) -> None:
    async def work(retriever: Retriever) -> list[Retrieval]:
        await retriever.retrieve(ASK)
        asks = [replace(ASK, query=str(number)) for number in range(5)]
        return list(await asyncio.gather(*map(retriever.retrieve, asks)))

    found = with_tool(server, "find", work)
    assert [one.query_used for one in found] == ["0", "1", "2", "3", "4"]
    assert len({one.texts[1] for one in found}) == 1


def test_a_tool_that_hangs_is_given_up_in_time(server: str) -> None:
    async def work(retriever: Retriever) -> None:
        with pytest.raises(Unreachable, match="in time"):
            await retriever.retrieve(ASK)

    with_tool(server, "hang", work, ModelSettings(total_seconds=2.0))


def test_whoever_is_cancelled_leaves_the_connection_to_others(server: str) -> None:
    async def work(retriever: Retriever) -> Retrieval:
        first = asyncio.create_task(retriever.retrieve(ASK))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return await retriever.retrieve(ASK)

    assert with_tool(server, "find", work).sources == ("A", "B")


def test_a_server_that_dies_is_told_and_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_ROOT)

    async def work(retriever: Retriever) -> None:
        for _ in range(2):
            with pytest.raises(Unreachable):
                await retriever.retrieve(ASK)

    with_tool(f"'{sys.executable}' -m tests.links.mcp_server stdio", "die", work)


def test_a_closed_retriever_says_so(server: str) -> None:
    async def work(retriever: Retriever) -> None:
        await retriever.close()
        await retriever.retrieve(ASK)

    with pytest.raises(Unreachable, match="was closed"):
        with_tool(server, "find", work)


@pytest.mark.parametrize(
    "nobody", ["http://127.0.0.1:1/mcp", "no-such-command-anywhere --at-all", "true", "echo junk"]
)
def test_what_is_no_server_is_told(nobody: str) -> None:
    with pytest.raises(Unreachable) as caught:
        called(nobody, "find")
    assert "--at-all" not in str(caught.value)


@pytest.mark.parametrize(
    "rest",
    ["", "#tool", "https://u:p@h/mcp", "cmd#", "'cmd#tool", "https://u:p@h/mcp#t", "http://#t"],
)
def test_a_wrong_choice_is_refused(rest: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_retriever(Settings(), f"mcp:{rest}")
    assert "u:p" not in str(caught.value)
