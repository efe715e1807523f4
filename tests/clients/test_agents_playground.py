"""npm @microsoft/m365agentsplayground: Microsoft's own client of bots shows what ours answers."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect

from sextant.build import open_sextant
from sextant.cli.m365.playground import playground_variables
from sextant.settings import M365Settings, Settings
from sextant.types import Scope
from tests.peers.fixtures import MODULES
from tests.serve.running import served, small

PACKAGE = MODULES / "@microsoft" / "m365agentsplayground"


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[str]:
    """A bot that knows one page."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Service A\n\nTeam Y owns Service A.\n")
    settings: Settings = small(tmp_path, m365=M365Settings(anonymous=True))
    async with await open_sextant(settings) as sextant:
        await sextant.ingest(Scope("default"), [str(tmp_path / "docs")])
    async with served(settings, doors="m365") as server:
        yield f"{server.url}/api/messages"


@contextmanager
def playground(bot: str, folder: Path, channel: str) -> Iterator[str]:
    """Run the playground on this machine, without a browser, and yield its host."""
    node = shutil.which("node")
    if node is None or not PACKAGE.is_dir():
        pytest.skip("missing: npm @microsoft/m365agentsplayground; make test installs it")
    browser = folder / "bin" / "xdg-open"
    browser.parent.mkdir()
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o755)
    variables = playground_variables(
        {**os.environ, "PATH": f"{browser.parent}:{os.environ['PATH']}", "HOME": str(folder)}
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    asked = ["start", "-e", bot, "-c", channel, "-p", str(port), "--disable-telemetry"]
    process = subprocess.Popen(
        [node, str(PACKAGE / "cli.js"), *asked],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        assert any("Listening on" in line for line in process.stdout)
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.communicate()


@dataclass(frozen=True)
class Chat:
    """A chat of somebody with the bot, as the playground's own page has it."""

    client: httpx2.AsyncClient
    events: ClientConnection
    id: str

    async def write(self, text: str, mentions: Sequence[dict[str, Any]] = ()) -> None:
        """Write a message to the bot."""
        sender = {"id": "user-id-0"}
        body = {"text": text, "textFormat": "plain", "from": sender, "mentions": [*mentions]}
        place = f"/_conversation/v1/conversations/{self.id}/messages"
        answer = await self.client.post(place, json=body)
        assert answer.status_code == 200, answer.text

    async def read(self) -> list[dict[str, Any]]:
        """Return what the page is told, up to the answer."""
        seen: list[dict[str, Any]] = []
        while not seen or seen[-1].get("streamEntity", {}).get("streamType", "final") != "final":
            async with asyncio.timeout(30):
                told = json.loads(await self.events.recv())
            seen += [told["message"]] if "message" in told else []
        return seen


async def test_the_playground_streams_an_answer_with_its_citations(
    bot: str, tmp_path: Path
) -> None:
    with playground(bot, tmp_path, "msteams") as host:
        async with (
            httpx2.AsyncClient(base_url=f"http://{host}", timeout=30) as client,
            connect(f"ws://{host}/_ws_conversation/v1/conversations/stream") as events,
        ):
            config = (await client.get("/_internal/v1/config")).json()["config"]
            chat = Chat(client, events, config["personalChat"]["id"])
            await chat.write("Who owns Service A?")
            first, *_, last = await chat.read()
    assert first["text"] == "Looking up Service A…"
    assert first["streamEntity"]["streamType"] == "informative"
    assert last["messageId"] == first["messageId"]
    assert "Team Y" in last["text"]
    assert last["aiEntity"]["citation"][0]["appearance"]["name"] == "Service A"
    assert last["feedbackLoopEnabled"]


async def test_the_playground_shows_one_message_in_a_group(bot: str, tmp_path: Path) -> None:
    with playground(bot, tmp_path, "msteams") as host:
        async with (
            httpx2.AsyncClient(base_url=f"http://{host}", timeout=30) as client,
            connect(f"ws://{host}/_ws_conversation/v1/conversations/stream") as events,
        ):
            config = (await client.get("/_internal/v1/config")).json()["config"]
            chat = Chat(client, events, config["groupChats"][0]["id"])
            mention = {"mentioned": {"id": config["bot"]["id"]}, "text": "<at>Test Bot</at>"}
            await chat.write("<at>Test Bot</at> Who owns Service A?", [mention])
            [only] = await chat.read()
    assert "streamEntity" not in only
    assert "Team Y" in only["text"]
