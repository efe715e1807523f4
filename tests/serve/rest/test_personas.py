"""Whoever has several personas asks as all of them, or as those that it names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from sextant.serve.caller import Role
from sextant.types import Scope
from tests.serve.jobs.working import in_loop
from tests.serve.rest.knowing import page, told
from tests.serve.rest.sending import WAIT, api, refused

ROLES = frozenset({Role.SEARCH, Role.READ, Role.WRITE})
BOTH = "Where is Gate Seven, and who owns Gate Seven?"
_PAGES = (
    page("open.md", "The Hub is open to all."),
    page("sre.md", "Gate Seven is in Oslo.", personas=("sre",)),
    page("hr.md", "Team Reef owns Gate Seven.", personas=("hr",)),
    page("law.md", "The Hub is for sale.", personas=("law",)),
)


@asynccontextmanager
async def _clients(folder: Path) -> AsyncIterator[tuple[httpx2.AsyncClient, httpx2.AsyncClient]]:
    """Let in who has two personas, and who asks on behalf of others as any of them."""
    async with (
        api(folder) as door,
        door.client("home", ROLES, ["sre", "hr"]) as team,
        door.client("home", ROLES | {Role.ON_BEHALF}, ["*"]) as service,
    ):
        await door.server.house.sextant.write(Scope("home"), _PAGES)
        yield team, service


async def _ids(client: httpx2.AsyncClient, query: str = "") -> list[str]:
    listed = told(await client.get(f"/api/documents{query}"))["documents"]
    return [one["id"] for one in listed]


async def _found(client: httpx2.AsyncClient, **fields: Any) -> set[str]:
    reply = told(
        await client.post(
            "/api/search", json={"query": "Gate Seven of the Hub", "topK": 50, **fields}
        )
    )
    return {one["snippet"] for one in reply["results"]}


async def _cited(client: httpx2.AsyncClient, **fields: Any) -> set[str]:
    reply = told(await client.post("/api/ask", json={"query": BOTH, **fields}))
    return {one["quote"] for one in reply["citations"]}


@in_loop
async def test_who_names_no_persona_gets_what_any_of_its_own_may_see(tmp_path: Path) -> None:
    async with _clients(tmp_path) as (team, service):
        assert await _ids(team) == ["hr.md", "open.md", "sre.md"]
        assert await _ids(service) == ["open.md"]
        assert await _cited(team) >= {"Gate Seven is in Oslo.", "Team Reef owns Gate Seven."}
        found = await _found(team)
        assert found == await _found(service, PersonaIds=["hr", "sre"])
        assert "The Hub is for sale." not in found
        assert "Gate Seven is in Oslo." not in await _found(team, PersonaId="hr")


@in_loop
async def test_several_personas_are_named_in_the_address_or_in_the_body(tmp_path: Path) -> None:
    async with _clients(tmp_path) as (team, service):
        assert await _ids(team, "?personaId=sre") == ["open.md", "sre.md"]
        assert await _ids(team, "?personaId=sre&personaId=hr") == ["hr.md", "open.md", "sre.md"]
        assert await _ids(service, "?personaId=sre&personaId=law") == [
            "law.md",
            "open.md",
            "sre.md",
        ]
        both = await _cited(service, personaIds=["sre", "hr"])
        assert both == await _cited(service, personaId="hr", personaIds=["sre"])
        assert both >= {"Gate Seven is in Oslo.", "Team Reef owns Gate Seven."}
        for fields in ({"personaIds": ["sre", "law"]}, {"personaId": "sre", "personaIds": ["law"]}):
            reply = await team.post("/api/ask", json={"query": BOTH, **fields})
            refused(reply, 403, "forbidden")
        refused(await team.get("/api/documents?personaId=sre&personaId=law"), 403, "forbidden")
        reply = await team.post(
            "/api/ask?personaId=sre", json={"query": BOTH, "personaIds": ["hr"]}
        )
        refused(reply, 422, "invalid_input")
        many = {"query": BOTH, "personaIds": [f"group {number}" for number in range(201)]}
        refused(await service.post("/api/ask", json=many), 422, "invalid_input")


@in_loop
async def test_what_several_bring_is_for_all_of_them_and_its_job_is_theirs(tmp_path: Path) -> None:
    async with _clients(tmp_path) as (team, service):
        body = {"documents": [{"id": "new", "text": "The Hub has a door."}]}
        job = await team.post("/api/ingest", json=body, headers=WAIT)
        assert told(job)["state"] == "done"
        [new] = [
            one for one in told(await team.get("/api/documents"))["documents"] if one["id"] == "new"
        ]
        assert new["personas"] == ["hr", "sre"]
        at = job.headers["location"]
        assert told(await team.get(at))["state"] == "done"
        refused(await team.get(f"{at}?personaId=hr"), 404, "not_found")
        named = "?personaId=hr&personaId=law"
        own = {"documents": [{"id": "another", "text": "The Hub has a gate."}]}
        job = await service.post(f"/api/ingest{named}", json=own, headers=WAIT)
        assert job.headers["location"].endswith(named)
        assert told(await service.get(job.headers["location"]))["state"] == "done"


@in_loop
async def test_a_profile_is_saved_for_one_of_several_personas(tmp_path: Path) -> None:
    async with _clients(tmp_path) as (team, _):
        refused(await team.put("/api/profiles/p", json={}), 422, "invalid_input")
        assert told(await team.put("/api/profiles/p?personaId=sre", json={}))["persona"] == "sre"
        assert told(await team.get("/api/profiles/p"))["persona"] == "sre"
        assert told(await team.put("/api/profiles/p?personaId=hr", json={}))["persona"] == "hr"
        assert told(await team.get("/api/profiles/p"))["persona"] == "hr"


@in_loop
async def test_a_persona_can_be_named_in_the_context_and_none_of_a_list_is_refused(
    tmp_path: Path,
) -> None:
    async with _clients(tmp_path) as (team, _):
        assert "Gate Seven is in Oslo." not in await _cited(team, context={"personaId": "hr"})
        query = {"query": BOTH}
        foreign = await team.post("/api/ask", json={**query, "context": {"personaIds": ["law"]}})
        assert foreign.status_code == 403
        assert (await team.post("/api/ask", json={**query, "personaIds": []})).status_code == 422
