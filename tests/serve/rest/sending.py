"""Callers with keys of their own, and ways to send something in and wait for its end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2

from sextant.prompting.network.trust import trusted
from sextant.serve.caller import EVERY_ROLE, Role
from sextant.serve.records.folder import server_folder
from sextant.settings import Settings
from tests.serve.identity.making import Keys
from tests.serve.running import Served, served, small

WAIT = {"Prefer": "wait=30"}
TENANT = EVERY_ROLE - {Role.ON_BEHALF}
WRITER = frozenset({Role.READ, Role.WRITE, Role.SEARCH})
CURATOR = WRITER | {Role.ADMIN}


@asynccontextmanager
async def api(folder: Path, settings: Settings | None = None, **options: Any) -> AsyncIterator[Api]:
    """Serve with keys."""
    chosen = settings or small(folder)
    async with served(chosen, auth="api-key", **options) as server:
        yield Api(server, replace(chosen, serve=server.house.settings.serve))


class Api:
    """A server that lets in whoever has a key."""

    def __init__(self, server: Served, settings: Settings) -> None:
        self.server, self._settings = server, settings

    def client(
        self,
        tenant: str = "acme",
        roles: frozenset[Role] = WRITER,
        personas: Sequence[str] = (),
    ) -> httpx2.AsyncClient:
        """Return a client with a new key."""
        with closing(Keys(server_folder(self._settings))) as keys:
            _, text = keys.create("test", tenant, roles, personas)
        headers = {"Authorization": f"Bearer {text}"}
        return httpx2.AsyncClient(
            base_url=self.server.url, headers=headers, timeout=60, verify=trusted()
        )

    def revoke_all(self) -> None:
        """End every key."""
        with closing(Keys(server_folder(self._settings))) as keys:
            for key in keys.all():
                keys.revoke(key.id)


async def upload(
    client: httpx2.AsyncClient, files: Mapping[str, str | bytes], **fields: Any
) -> httpx2.Response:
    """Send files, and wait for the end of the job."""
    parts = [
        ("files", (name, text.encode() if isinstance(text, str) else text))
        for name, text in files.items()
    ]
    return await client.post("/api/ingest", files=parts, data=fields, headers=WAIT)


async def post(client: httpx2.AsyncClient, body: Any, **query: str) -> httpx2.Response:
    """Send JSON, and wait for the end of the job."""
    return await client.post("/api/ingest", json=body, params=query, headers=WAIT)


async def ids(client: httpx2.AsyncClient) -> list[str]:
    """Return the ids of the documents that a client sees."""
    found = (await client.get("/api/documents")).json()
    return [document["id"] for document in found["documents"]]


def refused(response: httpx2.Response, status: int, code: str) -> None:
    """Check that an answer is a problem of a kind, and tells nothing of this machine."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["code"] == code, problem
    assert problem["hint"]
    assert "/tmp" not in response.text
    assert "spool" not in response.text
