"""Two servers on one emulator of Cosmos DB: what one writes down, the other knows."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.serve.caller import Role
from sextant.serve.identity.keys import Keys
from sextant.serve.records.idempotency import REPLAYED
from sextant.serve.records.opening import server_records
from sextant.settings import ServeSettings, Settings
from tests.serve.jobs.working import in_loop
from tests.serve.rest.sending import WAIT, refused
from tests.serve.running import Served, served
from tests.stores.azure.opening import azure_settings, emulator_key, make_database

BODY = {"documents": [{"id": "a", "text": "Harbor Queue is owned by Team Y."}]}


@pytest.fixture
def settings(cosmosdb: str, tmp_path: Path) -> Settings:
    own = azure_settings(cosmosdb, tmp_path, fresh_seconds=0.0)
    serve = ServeSettings(auth="api-key", records="azure:", folder=str(tmp_path / "own"))
    return replace(own, embedder="tiny:", serve=serve)


@in_loop
async def test_a_key_made_beside_two_servers_opens_both_until_it_is_revoked(
    settings: Settings, tmp_path: Path
) -> None:
    async with two_servers(settings, tmp_path) as (one, other), server_records(settings) as own:
        keys = Keys(await own.open_keys())
        key, text = await keys.create("ci", "acme", [Role.WRITE])
        for server in (one, other):
            assert await status(server, text) == 200
        await keys.revoke(key.id)
        for server in (one, other):
            assert await status(server, text) == 401


@in_loop
async def test_a_request_that_is_sent_again_to_another_server_has_the_same_reply(
    settings: Settings, tmp_path: Path
) -> None:
    async with two_servers(settings, tmp_path) as (one, other), server_records(settings) as own:
        keys = Keys(await own.open_keys())
        _, text = await keys.create("ci", "acme", [Role.READ, Role.WRITE])
        headers = {"Authorization": f"Bearer {text}", "Idempotency-Key": "k", **WAIT}
        async with one.client(**headers) as mine, other.client(**headers) as theirs:
            first = await mine.post("/api/ingest", json=BODY)
            assert (first.status_code, first.json()["state"]) == (200, "done")
            again = await theirs.post("/api/ingest", json=BODY)
            assert (again.content, again.headers[REPLAYED]) == (first.content, "true")
            refused(await theirs.post("/api/ingest", json={"documents": []}), 422, "invalid_input")
            listed = [(await client.get("/api/jobs")).json()["jobs"] for client in (mine, theirs)]
            assert [job["id"] for job in listed[0]] == [first.json()["id"]]
            assert listed[0] == listed[1]


@asynccontextmanager
async def two_servers(settings: Settings, folder: Path) -> AsyncIterator[tuple[Served, Served]]:
    """Serve twice, each with a folder of its own, as two machines would."""
    with emulator_key():
        await make_database(settings)
        async with (
            served(settings, folder=str(folder / "one")) as one,
            served(settings, folder=str(folder / "other")) as other,
        ):
            yield one, other


async def status(server: Served, key: str) -> int:
    async with server.client(Authorization=f"Bearer {key}") as client:
        return (await client.get("/api/jobs")).status_code
