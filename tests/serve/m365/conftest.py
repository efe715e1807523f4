"""A bot on this machine that knows two pages, and a channel that takes its replies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import pytest

from sextant.build import open_sextant
from sextant.settings import M365Settings, Settings
from sextant.types import Scope
from tests.serve.m365.fake_channel import Channel, open_channel
from tests.serve.running import Served, served, small

PAGES = {
    "service-a.md": "# Service A\n\nService A depends on Process X. Team Y owns Service A.\n",
    "restart.md": "# Restart\n\nTo restart Service A, run:\n\n```sh\nsvc restart a\n```\n",
}
QUESTION = "Who owns Service A?"


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a store that holds the pages."""
    folder = tmp_path_factory.mktemp("m365")
    for name, text in PAGES.items():
        (folder / "docs" / name).parent.mkdir(exist_ok=True)
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    settings = small(folder)

    async def fill() -> None:
        async with await open_sextant(settings) as sextant:
            await sextant.ingest(Scope("default"), [str(folder / "docs")])

    asyncio.run(fill())
    return settings


@pytest.fixture
def channel() -> Iterator[Channel]:
    with open_channel() as opened:
        yield opened


@dataclass(frozen=True)
class Bot:
    """A bot under way, and the channel that it replies to."""

    server: Served
    client: httpx2.AsyncClient
    channel: Channel

    def activity(self, **more: Any) -> dict[str, Any]:
        """Return a message of somebody in Teams; None leaves a part out."""
        own = {
            "type": "message",
            "id": "m1",
            "channelId": "msteams",
            "serviceUrl": self.channel.url,
            "conversation": {"id": "a:1", "conversationType": "personal", "tenantId": "contoso"},
            "from": {"id": "29:ann", "name": "Ann", "aadObjectId": "ann"},
            "recipient": {"id": "28:bot", "name": "Sextant"},
            "text": QUESTION,
            **more,
        }
        return {name: value for name, value in own.items() if value is not None}

    async def send(self, **more: Any) -> httpx2.Response:
        """Send an activity."""
        return await self.client.post("/api/messages", json=self.activity(**more))

    async def ask(self, **more: Any) -> list[dict[str, Any]]:
        """Send a message that is answered at once, and return the replies."""
        answer = await self.send(deliveryMode="expectReplies", **more)
        assert answer.status_code == 200, answer.text
        replies: list[dict[str, Any]] = answer.json()["activities"]
        return replies


@asynccontextmanager
async def running_bot(
    settings: Settings, channel: Channel, m365: M365Settings, **serve: Any
) -> AsyncIterator[Bot]:
    """Run a bot until the block ends."""
    chosen = replace(settings, m365=m365)
    async with served(chosen, doors="rest,m365", **serve) as server, server.client() as client:
        yield Bot(server, client, channel)


@pytest.fixture
async def bot(knowledge: Settings, channel: Channel) -> AsyncIterator[Bot]:
    """A bot that asks nobody who they are."""
    examples = ("Who owns Service A?",)
    m365 = M365Settings(anonymous=True, examples=examples, send_seconds=5.0)
    async with running_bot(knowledge, channel, m365) as opened:
        yield opened
