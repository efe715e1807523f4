"""Tools of MCP servers that nobody here wrote, as actions of a copilot."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.core import Sextant
from sextant.settings import ChatSettings, ServeSettings, ToolboxSettings, ToolServerSettings
from sextant.testing.scripted import Scripted
from sextant.types import ActionReturned, Prompt, Reply, RunEvent, RunFinished, Speaker, ToolCall
from tests.chat.running import PLAIN, events_of, only, opened, request


@asynccontextmanager
async def _served(
    model: Scripted, servers: dict[str, str], tools: int = 20
) -> AsyncIterator[Sextant]:
    chosen = tuple(ToolServerSettings(name, at) for name, at in servers.items())
    chat = ChatSettings(grounding="off", tool_servers=tuple(servers), tools=tools)
    settings = replace(PLAIN, serve=ServeSettings(tenant="acme"), chat=chat)
    async with opened(model, replace(settings, toolbox=ToolboxSettings(servers=chosen))) as own:
        yield own


def _calling(name: str, **arguments: object) -> Scripted:
    def script(prompt: Prompt) -> str | Reply:
        if prompt.messages[-1].speaker is Speaker.TOOL:
            return "Done."
        return Reply("", (ToolCall("c1", name, json.dumps(arguments)),))

    return Scripted(script)


def _returned(events: list[RunEvent]) -> ActionReturned:
    assert isinstance(events[-1], RunFinished)
    (returned,) = only(events, ActionReturned)
    return returned


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a note, by the name that the server for files has for it."""
    (tmp_path / "note.txt").write_text("kept here")
    return tmp_path.resolve()


async def test_files_are_read_by_the_server_for_files(
    npm_server: Callable[[str], str], folder: Path
) -> None:
    servers = {"files": f"{npm_server('server-filesystem')} {folder}"}
    model = _calling("files_read_text_file", path=f"{folder}/note.txt")
    async with _served(model, servers) as sextant:
        told = _returned(await events_of(sextant.copilot, request("Read the text of the note")))
    assert not told.failed
    assert "kept here" in told.result
    outside = _calling("files_read_text_file", path="/etc/hostname")
    async with _served(outside, servers) as sextant:
        told = _returned(await events_of(sextant.copilot, request("Read the host's name")))
    assert told.failed


async def test_of_two_servers_the_tools_that_a_message_needs_are_offered(
    npm_server: Callable[[str], str], folder: Path
) -> None:
    servers = {
        "everything": f"{npm_server('server-everything')} stdio",
        "files": f"{npm_server('server-filesystem')} {folder}",
    }
    model = _calling("everything_echo", message="hi")
    async with _served(model, servers, tools=5) as sextant:
        asked = request("Echo back the message hi")
        told = _returned(await events_of(sextant.copilot, asked))
    assert "Echo: hi" in told.result
    assert len(model.prompts[0].tools) <= 5
