"""Idempotency keys: sent again, the same reply comes back; nothing is done twice."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from sextant.errors import Conflict, InvalidInput
from sextant.serve.records.folder import server_folder
from sextant.serve.records.idempotency import REPLAYED, Replies
from sextant.serve.records.opening import server_records
from sextant.settings import Settings
from sextant.stores.server_records import replies as rows
from sextant.stores.server_records.sqlite import REPLIES as FILE
from sextant.types.serving import ReplyBounds
from tests.serve.jobs.working import ANN, BOB, EVE, SOON, in_loop, left_meanwhile, settings_in
from tests.serve.rest.sending import WAIT, refused
from tests.serve.running import served, small

GUIDE = "# Guide\n\nHarbor Queue is owned by Team Y.\n"


def request(key: str, path: str = "/api/x", query: str = "") -> Request:
    headers = [(b"idempotency-key", key.encode())]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
    return Request({**scope, "query_string": query.encode(), "server": ("localhost", 80)})


@asynccontextmanager
async def open_replies(
    settings: Settings,
    bounds: ReplyBounds = ReplyBounds(),  # noqa: B008 - frozen
) -> AsyncIterator[Replies]:
    async with server_records(settings) as records:
        yield Replies(await records.open_replies(), await records.open_presence(), bounds)


class Acts:
    """Something that is to happen once."""

    def __init__(self) -> None:
        self.count = 0

    async def act(self) -> Response:
        self.count += 1
        return Response(str(self.count), 202, {"location": "/there"}, "text/plain")


class Paused(Acts):
    """Something that is under way until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.going, self.goes_on = asyncio.Event(), asyncio.Event()

    async def act(self) -> Response:
        self.going.set()
        await self.goes_on.wait()
        return await super().act()


@in_loop
async def test_the_same_upload_with_the_same_key_is_one_job_also_after_a_restart(
    tmp_path: Path,
) -> None:
    files, headers = {"f": ("a.md", GUIDE)}, {"Idempotency-Key": '"k-1"'}
    async with served(small(tmp_path)) as server, server.client() as client:
        first = await client.post("/api/ingest", files=files, headers=headers)
        # Another boundary, the same upload.
        again = await client.post("/api/ingest", files=files, headers=headers)
        assert first.status_code == again.status_code == 202
        assert first.content == again.content
        assert first.headers["location"] == again.headers["location"]
        assert (REPLAYED in first.headers, again.headers[REPLAYED]) == (False, "true")
    async with served(small(tmp_path)) as server, server.client() as client:
        later = await client.post("/api/ingest", files=files, headers=headers)
        assert later.content == first.content
        assert len((await client.get("/api/jobs")).json()["jobs"]) == 1
        other = await client.post("/api/ingest", files={"f": ("b.md", GUIDE)}, headers=headers)
        refused(other, 422, "invalid_input")


@in_loop
async def test_a_reply_that_was_waited_for_comes_back_as_it_ended(tmp_path: Path) -> None:
    body, headers = {"documents": [{"id": "a", "text": "Alpha."}]}, {"Idempotency-Key": "k", **WAIT}
    async with served(small(tmp_path)) as server, server.client() as client:
        first = await client.post("/api/ingest", json=body, headers=headers)
        again = await client.post("/api/ingest", json=body, headers=headers)
        assert (first.status_code, first.json()["state"]) == (200, "done")
        assert (again.status_code, again.content) == (200, first.content)


@in_loop
async def test_feedback_with_a_key_counts_once(tmp_path: Path) -> None:
    headers = {"Idempotency-Key": "f-1"}
    async with served(small(tmp_path)) as server, server.client() as client:
        await client.post("/api/ingest", files={"f": ("a.md", GUIDE)}, headers=WAIT)
        said = {"verdict": "helpful", "documentId": "upload/a.md"}
        first = await client.post("/api/feedback", json=said, headers=headers)
        again = await client.post("/api/feedback", json=said, headers=headers)
        assert first.status_code == 200, first.text
        assert again.json() == first.json()
        fresh = await client.post("/api/feedback", json=said)
        assert fresh.json()["number"] > first.json()["number"]


@in_loop
async def test_a_key_is_its_callers_own(tmp_path: Path) -> None:
    acts = Acts()
    async with open_replies(settings_in(tmp_path)) as replies:
        some = [
            replace(ANN, personas=frozenset(one)) for one in ({"hr"}, {"hr", "it"}, {"it", "hr"})
        ]
        for by in (ANN, BOB, EVE, *some, ANN):
            await replies.once(request("k"), by, "d", acts.act)
    assert acts.count == 5


@in_loop
async def test_a_key_is_for_one_request_only(tmp_path: Path) -> None:
    acts = Acts()
    async with open_replies(settings_in(tmp_path)) as replies:
        await replies.once(request("k"), ANN, "d", acts.act)
        for other, digest in (
            (request("k"), "other"),
            (request("k", "/api/y"), "d"),
            (request("k", query="tenantId=z"), "d"),
        ):
            with pytest.raises(InvalidInput):
                await replies.once(other, ANN, digest, acts.act)
    assert acts.count == 1


@in_loop
async def test_who_comes_while_it_is_under_way_is_told_to_wait(tmp_path: Path) -> None:
    acts = Paused()
    async with open_replies(settings_in(tmp_path)) as replies:
        first = asyncio.create_task(replies.once(request("k"), ANN, "d", acts.act))
        await acts.going.wait()
        with pytest.raises(Conflict):
            await replies.once(request("k"), ANN, "d", acts.act)
        acts.goes_on.set()
        assert (await first).body == b"1"


@in_loop
async def test_what_is_begun_is_kept_also_for_who_left_meanwhile(tmp_path: Path) -> None:
    acts = Paused()
    async with open_replies(settings_in(tmp_path)) as replies:
        leaving = asyncio.create_task(replies.once(request("k"), ANN, "d", acts.act))
        await acts.going.wait()
        leaving.cancel()
        acts.goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        again = await replies.once(request("k"), ANN, "d", acts.act)
        assert (again.body, again.headers["location"]) == (b"1", "/there")
    assert acts.count == 1


@in_loop
async def test_who_leaves_while_it_is_noted_locks_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted, goes_on, acts = threading.Event(), threading.Event(), Acts()
    begun = rows.begin

    def slow(*args: Any) -> Any:
        found = begun(*args)
        noted.set()
        goes_on.wait(SOON)
        return found

    async with open_replies(settings_in(tmp_path)) as replies:
        monkeypatch.setattr(rows, "begin", slow)
        await left_meanwhile(replies.once(request("k"), ANN, "d", acts.act), noted, goes_on)
        again = await replies.once(request("k"), ANN, "d", acts.act)
        assert (again.body, again.headers[REPLAYED]) == (b"1", "true")
    assert acts.count == 1


@in_loop
async def test_who_is_told_twice_to_leave_still_leaves_a_whole_reply(tmp_path: Path) -> None:
    acts = Paused()
    async with open_replies(settings_in(tmp_path)) as replies:
        leaving = asyncio.create_task(replies.once(request("k"), ANN, "d", acts.act))
        await acts.going.wait()
        for _ in range(3):
            leaving.cancel()
            await asyncio.sleep(0)
        acts.goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        assert (await replies.once(request("k"), ANN, "d", acts.act)).body == b"1"


@in_loop
async def test_what_failed_may_be_tried_again(tmp_path: Path) -> None:
    acts = Acts()

    async def fail() -> Response:
        raise Conflict("Not now.", "Read it again.")

    async def refuse() -> Response:
        return Response("no", 503)

    async with open_replies(settings_in(tmp_path)) as replies:
        with pytest.raises(Conflict, match="Not now"):
            await replies.once(request("k"), ANN, "d", fail)
        assert (await replies.once(request("k"), ANN, "d", refuse)).status_code == 503
        assert (await replies.once(request("k"), ANN, "d", acts.act)).status_code == 202


@in_loop
async def test_what_a_dead_process_was_at_is_begun_anew(tmp_path: Path) -> None:
    acts = Acts()
    async with open_replies(settings_in(tmp_path)) as replies:
        await replies.once(request("k"), ANN, "d", acts.act)
        _die_before_the_reply(settings_in(tmp_path))
        assert (await replies.once(request("k"), ANN, "d", acts.act)).status_code == 202


@pytest.mark.parametrize("path", ["/api/ingest", "/api/backups"])
@in_loop
async def test_a_job_whose_process_died_before_it_was_told_of_is_no_second_job(
    tmp_path: Path, path: str
) -> None:
    async with (
        served(small(tmp_path)) as server,
        server.client(**{"Idempotency-Key": "k"}) as client,
    ):
        body = {"documents": [{"id": "a", "text": "Alpha."}]} if path == "/api/ingest" else None
        first = await client.post(path, json=body)
        assert first.status_code == 202, first.text
        _die_before_the_reply(server.house.settings)
        again = await client.post(path, json=body)
        assert again.json()["id"] == first.json()["id"]
        assert REPLAYED not in again.headers
        assert len((await client.get("/api/jobs")).json()["jobs"]) == 1
        spool = server_folder(small(tmp_path)) / "spool"
        assert {one.name for one in spool.iterdir()} <= {first.json()["id"]}


@in_loop
async def test_replies_are_kept_for_a_time_and_up_to_a_number(tmp_path: Path) -> None:
    acts = Acts()
    async with open_replies(settings_in(tmp_path), ReplyBounds(kept=2)) as replies:
        for key in ("a", "b", "c", "d", "a"):
            await replies.once(request(key), ANN, "d", acts.act)
        assert acts.count == 5
    async with open_replies(settings_in(tmp_path), ReplyBounds(kept_seconds=-1.0)) as replies:
        await replies.once(request("a"), ANN, "d", acts.act)
        assert acts.count == 6


@pytest.mark.parametrize("key", ["", "a" * 256, "a b", "\x7f"])
@in_loop
async def test_a_key_that_cannot_be_one_is_refused(tmp_path: Path, key: str) -> None:
    acts = Acts()
    async with open_replies(settings_in(tmp_path)) as replies:
        with pytest.raises(InvalidInput):
            await replies.once(request(key), ANN, "d", acts.act)
    assert acts.count == 0


def _die_before_the_reply(settings: Settings) -> None:
    """Leave a reply as a server that is killed before it could keep it does."""
    with closing(sqlite3.connect(server_folder(settings) / FILE)) as db, db:
        db.execute("UPDATE replies SET status = 0, body = x'', owner = '0123456789abcdef'")
