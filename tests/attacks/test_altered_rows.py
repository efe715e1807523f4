"""Whatever somebody writes into the database past the store, readers get typed errors or values."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sextant.errors import SextantError, StoreError
from sextant.llms.tiny import Tiny
from sextant.ports import Store
from sextant.query import Query, TagsAny
from sextant.settings import Settings
from sextant.stores.digest import json_values
from sextant.stores.sqlite.store import open_store
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.samples import OPERATOR_SCOPE as SCOPE
from sextant.types import (
    Append,
    EntryRange,
    Feedback,
    NameMode,
    Reach,
    Scope,
    Thread,
    ThreadEntry,
    Walk,
)
from tests.stores.sqlite.house import truth

ALTERED: Sequence[Any] = (b"\xff\xfe", "{broken", "[1, null]", "null", 2**62)
"""What does not belong there: other types, broken or other JSON, numbers that are out of range."""

USER = Scope(SCOPE.tenant, user="ann", roles=SCOPE.roles)
Read = Callable[[Store], Awaitable[Any]]


async def _dump(store: Store) -> list[str]:
    return [line async for line in store.admin.dump(SCOPE)]


async def _search(store: Store, query: Query) -> Any:
    return json_values((await store.index.search(SCOPE, query)).matches)


READS: dict[str, Read] = {
    "commit": lambda store: store.truth.commit(SCOPE),
    "documents": lambda store: store.truth.documents(SCOPE),
    "units": lambda store: store.truth.units(SCOPE, ["runbook", "policy"]),
    "chunk ids": lambda store: store.truth.chunk_ids(SCOPE, ["runbook"]),
    "passages": lambda store: store.truth.passages(SCOPE, ["runbook#c1", "policy#c1"]),
    "definitions": lambda store: store.truth.definitions(SCOPE),
    "changed": lambda store: store.truth.changed(SCOPE, 0),
    "counts": lambda store: store.truth.counts(SCOPE),
    "search": lambda store: _search(store, Query("Service A escalation")),
    "filter": lambda store: _search(store, Query("pods", filter=TagsAny(("ops",)))),
    "vector": lambda store: _search(store, Query(vector=samples.direction(1.0, 0.2))),
    "facets": lambda store: store.index.facets(SCOPE),
    "holding": lambda store: store.index.holding(SCOPE, ["service a"]),
    "entities": lambda store: store.graph.entities(SCOPE, ["a", "x", "y"]),
    "lookup": lambda store: store.graph.lookup(SCOPE, ["Service A"], NameMode.FUZZY, 5),
    "neighbours": lambda store: store.graph.neighbours(SCOPE, ["a"], Walk(hops=2)),
    "web": lambda store: store.graph.web(SCOPE, ["runbook#c1"], ["a"], Reach()),
    "mentioning": lambda store: store.graph.mentioning(SCOPE, ["a"]),
    "threads": lambda store: store.records.threads(USER, ["t"]),
    "entries": lambda store: store.records.read_entries(USER, "t", EntryRange()),
    "thread list": lambda store: store.records.list_threads(USER),
    "feedback": lambda store: store.records.feedback(SCOPE),
    "counters": lambda store: store.records.counters(SCOPE, ["n"]),
    "status": lambda store: store.admin.status(SCOPE),
    "check": lambda store: store.admin.check(SCOPE),
    "dump": _dump,
    "rebuild": lambda store: store.admin.rebuild(SCOPE),
}


async def _opened(folder: Path) -> Store:
    return await open_store(str(folder), Settings(), Tiny(samples.WIDTH).identity)


async def _fill(folder: Path) -> None:
    store = await _opened(folder)
    await store.truth.write(SCOPE, [samples.runbook(), samples.policy(), samples.secret()])
    await store.admin.rebuild(SCOPE)
    await store.records.save_thread(USER, Thread("t", "state"))
    await store.records.append_entries(USER, [Append("t", (ThreadEntry("user", '"Hello."'),))])
    await store.records.append_feedback(SCOPE, [Feedback("runbook", "up", "ann")])
    await store.records.count(SCOPE, {"n": 1})
    await store.admin.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "s"
    asyncio.run(_fill(folder))
    return folder


TABLES = (
    *("documents", "chunks", "vectors", "symbols", "definitions", "contributions"),
    *("meta", "state", "segments", "counters", "threads", "entries", "feedback"),
)


def _columns(path: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]


def _alter(path: Path, statement: str, *values: Any) -> bool:
    """Change the database behind the store's back; False where SQLite itself refuses."""
    with closing(sqlite3.connect(path)) as connection:
        try:
            with connection:
                connection.execute(statement, values)
        except sqlite3.Error:
            return False
    return True


async def _slips(folder: Path, does: str) -> list[str]:
    """Read everything, and return what went wrong otherwise than by an error of ours."""
    slips: list[str] = []
    try:
        store = await _opened(folder)
    except SextantError:
        return slips
    for name, read in READS.items():
        try:
            json.dumps(json_values(await read(store)))
        except SextantError:
            continue
        except Exception as error:
            slips.append(f"{does}: {name}: {error!r}")
    await store.admin.close()
    return slips


@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_somebody_altered_gives_a_typed_error(
    filled: Path, tmp_path: Path, table: str
) -> None:
    slips: list[str] = []
    for column in _columns(truth(filled), table):
        for value in ALTERED:
            shutil.copytree(filled, folder := tmp_path / "s")
            if _alter(truth(folder), f"UPDATE {table} SET {column} = ?", value):
                slips += asyncio.run(_slips(folder, f"{table}.{column} = {value!r}"))
            shutil.rmtree(folder)
    assert not slips, "\n".join(slips)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_without_a_column_gives_a_typed_error(
    filled: Path, tmp_path: Path, table: str
) -> None:
    slips: list[str] = []
    for column in _columns(truth(filled), table):
        shutil.copytree(filled, folder := tmp_path / "s")
        if _alter(truth(folder), f"ALTER TABLE {table} RENAME COLUMN {column} TO other"):
            slips += asyncio.run(_slips(folder, f"{table} without {column}"))
        shutil.rmtree(folder)
    assert not slips, "\n".join(slips)


def test_what_is_told_of_an_altered_row_is_that_the_store_is_damaged(
    filled: Path, tmp_path: Path
) -> None:
    shutil.copytree(filled, folder := tmp_path / "s")
    assert _alter(truth(folder), "UPDATE documents SET title = ?", b"\xff")

    async def task() -> None:
        store = await _opened(folder)
        with pytest.raises(StoreError, match="damaged") as refusal:
            await store.truth.documents(SCOPE)
        assert "backup" in refusal.value.hint
        await store.admin.close()

    asyncio.run(task())
