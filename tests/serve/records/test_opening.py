"""Where a server keeps its records is a setting, and several servers may choose the same place."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from sextant import entrypoints
from sextant.errors import ConfigError, UnknownScheme
from sextant.serve.jobs import State
from sextant.serve.records.folder import server_folder
from sextant.serve.records.idempotency import REPLAYED
from sextant.serve.records.opening import server_records
from sextant.settings import ServeSettings, Settings
from sextant.stores.server_records import sqlite
from tests.serve.jobs.working import ANN, ended, in_loop, jobs_of, open_watched, send, settings_in
from tests.serve.rest.sending import WAIT
from tests.serve.running import served, small


@in_loop
async def test_a_server_with_records_in_memory_writes_no_file_of_them(tmp_path: Path) -> None:
    body, headers = {"documents": [{"id": "a", "text": "Alpha."}]}, {"Idempotency-Key": "k", **WAIT}
    async with served(small(tmp_path), records="memory:") as server, server.client() as client:
        first = await client.post("/api/ingest", json=body, headers=headers)
        assert (first.status_code, first.json()["state"]) == (200, "done")
        again = await client.post("/api/ingest", json=body, headers=headers)
        assert (again.content, again.headers[REPLAYED]) == (first.content, "true")
        assert len((await client.get("/api/jobs")).json()["jobs"]) == 1
        assert not list(server_folder(server.house.settings).glob("*.sqlite"))


@in_loop
async def test_servers_that_choose_one_place_take_each_others_jobs_over(tmp_path: Path) -> None:
    records = f"sqlite:{tmp_path / 'shared'}"
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path, records=records) as stays,
    ):
        async with jobs_of(watched, tmp_path, records=records) as goes:
            sent = [await send(goes, ANN, f"{at}.md", source=f"s{at}") for at in range(3)]
            for _ in range(2):  # each of the two is at one of them
                await watched.each.acquire()
        watched.gate.set()
        for job in sent:
            assert (await ended(stays, ANN, job)).state == State.DONE
    assert (tmp_path / "shared" / sqlite.JOBS).exists()
    assert not (server_folder(settings_in(tmp_path)) / sqlite.JOBS).exists()


@pytest.mark.parametrize(
    ("records", "error"),
    [("sqlite", UnknownScheme), ("carrier-pigeon:", UnknownScheme), ("memory:x", ConfigError)],
)
@in_loop
async def test_a_place_that_is_none_is_refused(
    tmp_path: Path, records: str, error: type[ConfigError]
) -> None:
    settings = Settings(serve=ServeSettings(folder=str(tmp_path), records=records))
    with pytest.raises(error) as raised:
        async with server_records(settings):
            pass
    assert raised.value.hint


@in_loop
async def test_a_folder_that_cannot_be_made_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    serve = ServeSettings(folder=str(tmp_path / "s"), records=f"sqlite:{tmp_path / 'file' / 'x'}")
    async with server_records(Settings(serve=serve)) as records:
        with pytest.raises(ConfigError, match=r"serve\.records"):
            await records.open_keys()


@in_loop
async def test_a_place_of_another_package_is_found_by_its_scheme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = "sextant.server_records"
    found = EntryPoint("elsewhere", "sextant.stores.server_records.memory:open_records", group)
    points = EntryPoints([found])
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)
    settings = Settings(serve=ServeSettings(folder=str(tmp_path), records="elsewhere:"))
    async with server_records(settings) as records:
        assert (await records.open_presence()).name
