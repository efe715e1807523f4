"""A key opens one tenant and no more than its roles and personas; nothing else exists for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2

from sextant.prompting.network.trust import trusted
from sextant.serve.caller import Role
from sextant.serve.records.folder import server_folder
from sextant.types import Scope
from tests.serve.identity.making import Keys
from tests.serve.rest.knowing import page, told
from tests.serve.running import served, small

READING = (Role.SEARCH, Role.READ)


@asynccontextmanager
async def _two_tenants(folder: Path, *roles: Role) -> AsyncIterator[httpx2.AsyncClient]:
    """Serve two tenants that each know a page of one name, and let in a key of the first."""
    settings = small(folder)
    settings = replace(settings, serve=replace(settings.serve, auth="api-key"))
    keys = Keys(server_folder(settings))
    _, key = keys.create("a's", "a", roles, ["sre"])
    keys.close()
    async with served(settings, auth="api-key") as server:
        for tenant in ("a", "b"):
            pages = [page("same.md", f"Hub of {tenant} is in Oslo."), page(f"{tenant}.md", "Text.")]
            await server.house.sextant.write(Scope(tenant), pages)
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(
            base_url=server.url, headers=headers, verify=trusted()
        ) as client:
            yield client


def test_a_key_never_sees_another_tenant(tmp_path: Path) -> None:
    async def task() -> list[Any]:
        async with _two_tenants(tmp_path, *READING, Role.WRITE) as client:
            listed = told(await client.get("/api/documents"))["documents"]
            search = told(await client.post("/api/search", json={"query": "Hub of b in Oslo"}))
            asked = told(await client.post("/api/ask", json={"query": "Where is the Hub of b?"}))
            return [
                [one["id"] for one in listed],
                {one["snippet"] for one in search["results"]},
                {one["quote"] for one in asked["citations"]},
                (await client.get("/api/documents/b.md")).status_code,
                (await client.delete("/api/documents/b.md")).status_code,
                (await client.get("/api/entities/thing:b.md")).status_code,
                told(await client.get("/api/status"))["counts"]["documents"],
            ]

    listed, found, cited, *rest = asyncio.run(task())
    assert listed == ["a.md", "same.md"]
    assert found == {"Hub of a is in Oslo.", "Text."}
    assert cited <= {"Hub of a is in Oslo."}
    assert rest == [404, 404, 404, 2]


def test_naming_another_tenant_user_or_persona_is_refused_alike_whether_it_is_there(
    tmp_path: Path,
) -> None:
    async def task() -> list[Any]:
        async with _two_tenants(tmp_path, *READING) as client:
            bodies: list[dict[str, Any]] = [
                {"context": {"tenantId": "b"}},
                {"context": {"tenantId": "nobody"}},
                {"user": {"aadObjectId": "somebody"}},
                {"personaId": "hr"},
            ]
            replies = [
                await client.post("/api/ask", json={"query": "Who?", **body}) for body in bodies
            ]
            replies.append(await client.get("/api/documents?tenantId=b"))
            own = {"query": "Who?", "personaId": "sre", "context": {"tenantId": "a"}}
            told(await client.post("/api/ask", json=own))
            return [(one.status_code, one.json()["detail"]) for one in replies]

    there, not_there, user, persona, listed = asyncio.run(task())
    assert there == not_there == listed
    assert {there[0], user[0], persona[0]} == {403}


def test_each_verb_needs_its_role(tmp_path: Path) -> None:
    async def task() -> dict[str, int]:
        async with _two_tenants(tmp_path, Role.SEARCH) as client:
            asked = {"query": "Where is the Hub?"}
            return {
                "ask": (await client.post("/api/ask", json=asked)).status_code,
                "documents": (await client.get("/api/documents")).status_code,
                "delete": (await client.delete("/api/documents/a.md")).status_code,
                "expand": (
                    await client.post("/api/expand", json={"entityIds": ["thing:hub"]})
                ).status_code,
                "profile": (await client.put("/api/profiles/p", json={})).status_code,
                "all": (await client.get("/api/documents?all=true")).status_code,
                "nobody": (
                    await client.get("/api/documents", headers={"authorization": "Bearer no"})
                ).status_code,
            }

    statuses = asyncio.run(task())
    assert statuses.pop("ask") == 200
    assert statuses.pop("nobody") == 401
    assert set(statuses.values()) == {403}
