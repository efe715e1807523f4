"""A real server of ours on a port of its own, in the loop of the test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2

from sextant.prompting.network.trust import trusted
from sextant.serve.app import App
from sextant.serve.house import House
from sextant.serve.running import running
from sextant.settings import Settings

TOKEN = "token-for-tests-0123456789"


@dataclass(frozen=True)
class Served:
    """A server under way: where it is, what lets one in, and what stands behind it."""

    url: str
    token: str
    house: House
    app: App

    @property
    def port(self) -> int:
        """Where raw sockets connect to."""
        return int(self.url.rpartition(":")[2])

    @property
    def headers(self) -> dict[str, str]:
        """What lets one in."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def client(self, **headers: str) -> httpx2.AsyncClient:
        """Return a client that is let in."""
        return httpx2.AsyncClient(
            base_url=self.url, headers=self.headers | headers, timeout=30, verify=trusted()
        )


def small(folder: Path, **more: Any) -> Settings:
    """Return settings for a store in a folder, with an embedder that costs nothing."""
    return Settings(store=f"sqlite:{folder}/s", embedder="tiny:", **more)


@asynccontextmanager
async def served(settings: Settings, **options: Any) -> AsyncIterator[Served]:
    """Serve until the block ends; options are settings of [serve]."""
    chosen = replace(settings, serve=replace(settings.serve, port=0, **options))
    async with running(chosen, TOKEN if chosen.serve.auth == "local" else "") as server:
        yield Served(server.url, server.token, server.house, server.app)
