"""What a model found is kept by content, for a tenant and a model, and damage costs only money."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.errors import StoreUnwritable
from sextant.ingest.extract.claims import FoundName
from sextant.ingest.extract.findings import Findings, FoundRelation
from sextant.ingest.model_extraction import cache
from sextant.ingest.model_extraction.cache import Cache, cache_file, forget
from sextant.ingest.model_extraction.prompt import Excerpt
from sextant.settings import IngestSettings, Settings

SOME = Findings(
    (FoundName("Dock DB", "database", ("DDB",)),), (FoundRelation("A B", "uses", "Dock DB"),)
)


async def kept(path: Path | None, *keys: str) -> dict[str, Findings]:
    async with Cache(path) as opened:
        return await opened.get(keys)


async def keep(path: Path | None, **found: Findings) -> None:
    async with Cache(path) as opened:
        await opened.put(found, "document")


def test_what_was_kept_is_there_after_the_file_was_closed(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "extracted.sqlite"
    asyncio.run(keep(path, one=SOME))
    asyncio.run(keep(path, one=Findings(), two=Findings()))
    assert asyncio.run(kept(path, "one", "two", "three")) == {"one": SOME, "two": Findings()}
    assert path.parent.stat().st_mode & 0o077 == 0


def test_two_at_once_see_what_the_other_keeps(tmp_path: Path) -> None:
    async def task() -> None:
        path = tmp_path / "extracted.sqlite"
        async with Cache(path) as one, Cache(path) as other:
            puts = [side.put({f"{n}": SOME}, "d") for n in range(20) for side in (one, other)]
            await asyncio.gather(*puts)
            assert len(await other.get([str(n) for n in range(20)])) == 20

    asyncio.run(task())


def test_who_stops_waiting_has_it_kept_all_the_same(tmp_path: Path) -> None:
    async def task() -> None:
        path = tmp_path / "extracted.sqlite"
        async with Cache(path) as opened:
            waiting = asyncio.create_task(opened.put({"one": SOME}, "d"))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        assert await kept(path, "one") == {"one": SOME}

    asyncio.run(task())


def test_only_so_many_are_kept_and_the_oldest_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_MOST", 2)
    path = tmp_path / "extracted.sqlite"
    asyncio.run(keep(path, one=SOME, two=SOME, three=SOME))
    assert set(asyncio.run(kept(path, "one", "two", "three"))) == {"two", "three"}


def test_a_damaged_file_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "extracted.sqlite"
    path.write_bytes(b"no database" * 1_000)
    asyncio.run(keep(path, one=SOME))
    assert asyncio.run(kept(path, "one")) == {"one": SOME}


def test_a_place_that_cannot_be_written_to_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnwritable, match=r"ingest\.cache"):
        asyncio.run(kept(tmp_path / "file" / "extracted.sqlite"))


def test_it_lies_beside_the_store_or_where_it_is_set(tmp_path: Path) -> None:
    own = Settings(store="sqlite:kept")
    assert cache_file(own) == Path("kept.cache/extracted.sqlite")
    assert cache_file(Settings(store="memory:")) is None
    there = replace(own, ingest=IngestSettings(cache=str(tmp_path)))
    assert cache_file(there) == tmp_path / "extracted.sqlite"
    assert cache_file(there, to_read=True) is None


def test_a_key_tells_tenants_readers_and_texts_apart() -> None:
    text = Excerpt("Above", "Text")
    keys = {
        text.key("a", "model"),
        text.key("b", "model"),
        text.key("a", "other"),
        Excerpt("", "Text").key("a", "model"),
        Excerpt("Above", "Text.").key("a", "model"),
    }
    assert len(keys) == 5
    assert text.key("a", "model") == Excerpt("Above", "Text", "elsewhere").key("a", "model")


def test_nobody_else_may_read_the_file_however_it_came_to_be(tmp_path: Path) -> None:
    path = tmp_path / "extracted.sqlite"
    for _ in range(2):
        asyncio.run(keep(path, one=SOME))
        assert path.stat().st_mode & 0o777 == 0o600
        path.unlink()
        path.write_bytes(b"no database" * 1_000)


def test_what_was_found_in_a_document_is_dropped_with_it_and_leaves_no_bytes(
    tmp_path: Path,
) -> None:
    async def task() -> None:
        path = tmp_path / "extracted.sqlite"
        async with Cache(path) as opened:
            await opened.put({"one": SOME, "two": SOME}, "own")
            await opened.put({"three": Findings((FoundName("Salt Box"),))}, "other")
            await opened.drop(["own", "unknown"])
            assert set(await opened.get(["one", "two", "three"])) == {"three"}
        assert b"Dock DB" not in path.read_bytes()
        assert b"Salt Box" in path.read_bytes()

    asyncio.run(task())


def test_a_file_of_an_earlier_version_is_emptied(tmp_path: Path) -> None:
    path = tmp_path / "extracted.sqlite"
    with closing(sqlite3.connect(path)) as old:
        old.execute("CREATE TABLE found (key TEXT PRIMARY KEY, findings TEXT NOT NULL)")
        old.execute("INSERT INTO found VALUES ('one', 'Secret Name')")
        old.commit()
    asyncio.run(keep(path, two=SOME))
    assert set(asyncio.run(kept(path, "one", "two"))) == {"two"}
    assert b"Secret Name" not in path.read_bytes()


def test_forgetting_without_a_file_makes_none(tmp_path: Path) -> None:
    own = Settings(store=f"sqlite:{tmp_path / 'kept'}")
    asyncio.run(forget(own, "tenant", ["d"]))
    assert list(tmp_path.iterdir()) == []
