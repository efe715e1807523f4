"""/api/jobs: the caller's own jobs, listed, read, waited for, followed and cancelled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sextant.serve.caller import Role
from sextant.serve.rest import jobs
from sextant.settings import Settings
from tests.serve.jobs.working import in_loop
from tests.serve.rest.sending import TENANT, WRITER, api, refused, upload
from tests.serve.running import served, small

GUIDE = "# Guide\n\nHarbor Queue is owned by Team Y.\n"


async def events(client: httpx2.AsyncClient, path: str) -> list[tuple[str, Any]]:
    """Return what a stream sends until it ends."""
    heard: list[tuple[str, Any]] = []
    async with client.stream("GET", path, headers={"Accept": "text/event-stream"}) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        name = ""
        async for line in response.aiter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                heard.append((name, json.loads(line[6:])))
    return heard


@asynccontextmanager
async def site(answering: asyncio.Event) -> AsyncIterator[str]:
    """Yield the address of a site that answers once it may."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            await reader.readuntil(b"\r\n\r\n")
            await answering.wait()
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        finally:
            answering.set()


def reaching(folder: Path) -> Settings:
    """Return settings that let sites of this machine be read."""
    settings = small(folder)
    return replace(settings, ingest=replace(settings.ingest, private_addresses=True))


@in_loop
async def test_jobs_are_listed_page_by_page_the_newest_first(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        sent = [(await upload(client, {f"{n}.md": GUIDE})).json()["id"] for n in range(3)]
        first = await client.get("/api/jobs", params={"limit": 2})
        assert [job["id"] for job in first.json()["jobs"]] == [sent[2], sent[1]]
        assert first.headers["link"] == f'<{first.json()["next"]}>; rel="next"'
        second = (await client.get(first.json()["next"])).json()
        assert [job["id"] for job in second["jobs"]] == [sent[0]]
        assert second["next"] is None
        refused(await client.get("/api/jobs", params={"after": "gone"}), 404, "not_found")


@in_loop
async def test_a_job_is_read_again_only_if_it_has_changed(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        location = (await upload(client, {"a.md": GUIDE})).headers["location"]
        job = await client.get(location)
        assert job.json()["state"] == "done"
        known = {"If-None-Match": job.headers["etag"]}
        assert (await client.get(location, headers=known)).status_code == 304
        assert (await client.get(location, params={"wait": 30}, headers=known)).status_code == 304


@in_loop
async def test_a_job_is_followed_to_its_end(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        files = [("f", (f"{n}.md", GUIDE)) for n in range(20)]
        response = await client.post("/api/ingest", files=files)
        heard = await events(client, f"{response.headers['location']}/events")
        assert [name for name, _ in heard[:-1]] == ["progress"] * (len(heard) - 1)
        name, job = heard[-1]
        assert (name, job["state"], job["progress"]["done"]) == ("done", "done", 20)
        again = await events(client, f"{response.headers['location']}/events")
        assert again == [("done", job)]


@in_loop
async def test_who_follows_a_job_is_heard_no_more_once_the_key_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "KEEP_ALIVE_S", 0.01)
    async with (
        site(asyncio.Event()) as url,
        api(tmp_path, reaching(tmp_path)) as server,
        server.client() as client,
    ):
        job = (await client.post("/api/ingest", json={"url": url})).json()
        async with client.stream("GET", f"/api/jobs/{job['id']}/events") as response:
            lines = response.aiter_lines()
            assert await anext(lines) == "event: progress"
            server.revoke_all()
            *_, name, told, _ = [line async for line in lines]
        assert name == "event: error"
        problem = json.loads(told.removeprefix("data: "))
        assert (problem["status"], bool(problem["requestId"])) == (401, True)


@in_loop
async def test_a_job_that_is_over_stays_as_it_is_when_it_is_cancelled(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        location = (await upload(client, {"a.md": GUIDE})).headers["location"]
        response = await client.delete(location)
        assert (response.status_code, response.json()["state"]) == (200, "done")


@in_loop
async def test_jobs_that_wait_can_be_cancelled(tmp_path: Path) -> None:
    async with served(small(tmp_path), jobs=1) as server, server.client() as client:
        files = [("f", (f"{n}.md", GUIDE * 50)) for n in range(50)]
        first = await client.post("/api/ingest", files=files)
        second = await client.post("/api/ingest", files={"f": ("late.md", GUIDE)})
        response = await client.delete(second.headers["location"])
        assert response.json()["state"] == "cancelled"
        await events(client, f"{first.headers['location']}/events")
        gone = await client.get("/api/documents/upload/late.md")
        assert gone.status_code == 404


@in_loop
async def test_who_waits_for_a_job_takes_no_place_from_others(tmp_path: Path) -> None:
    answering = asyncio.Event()
    async with (
        site(answering) as url,
        served(reaching(tmp_path), concurrency=1, waiting=1) as server,
        server.client() as client,
        server.client() as other,
    ):
        prefer = client.post("/api/ingest", json={"url": url}, headers={"Prefer": "wait=30"})
        sending = asyncio.create_task(prefer)
        while not (known := (await other.get("/api/jobs")).json()["jobs"]):
            pass
        path = f"/api/jobs/{known[0]['id']}"
        polling = asyncio.create_task(client.get(path, params={"wait": 30}))
        for _ in range(20):
            assert (await other.get("/api/status")).status_code == 200
        assert not sending.done()
        answering.set()
        assert (await polling).status_code == (await sending).status_code == 200


@in_loop
async def test_a_job_of_somebody_else_is_not_there(tmp_path: Path) -> None:
    async with (
        api(tmp_path) as door,
        door.client() as ann,
        door.client() as bob,
        door.client("evil", TENANT) as eve,
        door.client(roles=frozenset({Role.ADMIN})) as admin,
        door.client(roles=frozenset({Role.READ})) as reader,
    ):
        path = (await upload(ann, {"a.md": GUIDE})).headers["location"]
        for other in (bob, eve):
            refused(await other.get(path), 404, "not_found")
            refused(await other.get(f"{path}/events"), 404, "not_found")
            refused(await other.delete(path), 404, "not_found")
            assert (await other.get("/api/jobs")).json()["jobs"] == []
        refused(await ann.get("/api/jobs/nothing"), 404, "not_found")
        assert (await admin.get(path)).json()["state"] == "done"
        assert len((await admin.get("/api/jobs")).json()["jobs"]) == 1
        refused(await reader.get("/api/jobs"), 403, "forbidden")


@in_loop
async def test_who_asks_on_behalf_finds_the_jobs_of_each_user_where_it_was_told(
    tmp_path: Path,
) -> None:
    trusted = WRITER | {Role.ON_BEHALF}
    async with api(tmp_path) as door, door.client("home", trusted) as backend:
        query = {"tenantId": "acme", "aadObjectId": "ann"}
        sent = await backend.post("/api/ingest", files={"f": ("a.md", GUIDE)}, params=query)
        assert sent.headers["location"].endswith("?tenantId=acme&aadObjectId=ann")
        assert (await backend.get(sent.headers["location"])).status_code == 200
        path = sent.headers["location"].partition("?")[0]
        for other in ({"tenantId": "acme", "aadObjectId": "bob"}, {}):
            refused(await backend.get(path, params=other), 404, "not_found")
