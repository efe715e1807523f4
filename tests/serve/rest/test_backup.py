"""/api/backups: whoever runs the server gets all tenants in one file, and nobody else does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sextant import build
from sextant.serve.caller import EVERY_ROLE, Role
from sextant.types import Scope
from tests.serve.jobs.working import in_loop
from tests.serve.rest.sending import TENANT, WAIT, api, refused, upload
from tests.serve.running import served, small

GUIDE = "# Guide\n\nHarbor Queue is owned by Team Y.\n"


@in_loop
async def test_a_backup_is_made_fetched_restored_and_deleted(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        await upload(client, {"a.md": GUIDE})
        job = (await client.post("/api/backups", headers=WAIT)).json()
        assert (job["kind"], job["state"]) == ("backup", "done"), job
        name = job["report"]["name"]
        [listed] = (await client.get("/api/backups")).json()["backups"]
        assert (listed["name"], listed["bytes"]) == (name, job["report"]["bytes"])
        whole = await client.get(f"/api/backups/{name}")
        assert len(whole.content) == listed["bytes"]
        part = await client.get(f"/api/backups/{name}", headers={"Range": "bytes=10-19"})
        assert (part.status_code, part.content) == (206, whole.content[10:20])
        assert (await client.delete(f"/api/backups/{name}")).status_code == 204
        refused(await client.get(f"/api/backups/{name}"), 404, "not_found")
        assert (await client.get("/api/backups")).json()["backups"] == []
    (tmp_path / "b.tar").write_bytes(whole.content)
    restored = replace(small(tmp_path), store=f"sqlite:{tmp_path}/restored")
    assert build.restore(restored, tmp_path / "b.tar") == ["default"]
    async with await build.open_sextant(restored) as sextant:
        [document] = await sextant.store.truth.documents(Scope())
        assert document.id == "upload/a.md"


@pytest.mark.parametrize("missing", [Role.ADMIN, Role.ON_BEHALF])
@in_loop
async def test_an_administrator_of_one_tenant_gets_no_backup(tmp_path: Path, missing: Role) -> None:
    async with api(tmp_path) as door, door.client(roles=EVERY_ROLE - {missing}) as client:
        refused(await client.post("/api/backups"), 403, "forbidden")
        refused(await client.get("/api/backups"), 403, "forbidden")
        refused(await client.get("/api/backups/x.tar"), 403, "forbidden")
        refused(await client.delete("/api/backups/x.tar"), 403, "forbidden")


@in_loop
async def test_the_operator_backs_up_every_tenant(tmp_path: Path) -> None:
    async with (
        api(tmp_path) as door,
        door.client("acme") as ann,
        door.client("evil") as eve,
        door.client("home", EVERY_ROLE) as operator,
        door.client("home", TENANT) as admin,
    ):
        for client in (ann, eve):
            await upload(client, {"a.md": GUIDE})
        job = await operator.post("/api/backups", headers=WAIT)
        assert job.json()["state"] == "done"
        refused(await admin.get(f"/api/backups/{job.json()['report']['name']}"), 403, "forbidden")


@in_loop
async def test_only_backups_can_be_fetched(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        for name in ("..%2Fjobs.sqlite", "jobs.sqlite", "sextant-x.tar", "%00"):
            refused(await client.get(f"/api/backups/{name}"), 404, "not_found")


@in_loop
async def test_a_range_that_is_none_is_refused(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        await upload(client, {"a.md": GUIDE})
        name = (await client.post("/api/backups", headers=WAIT)).json()["report"]["name"]
        for asked in ("bytes=5-2", "bytes=-", "bytes=-0", "pages=1-2", "bytes=99999999-", "x"):
            response = await client.get(f"/api/backups/{name}", headers={"Range": asked})
            refused(response, 416, "invalid_range")


@in_loop
async def test_a_store_that_does_not_last_has_no_backup(tmp_path: Path) -> None:
    settings = replace(small(tmp_path), store="memory:")
    async with served(settings) as server, server.client() as client:
        job = (await client.post("/api/backups", headers=WAIT)).json()
        assert (job["state"], job["problem"]["code"]) == ("failed", "store")
