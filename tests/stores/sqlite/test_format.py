"""Stores of an older format are brought up to date when they are opened; newer ones are refused."""

import asyncio
import json
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from sextant.errors import FormatMismatch
from sextant.llms.tiny import Tiny
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.sqlite.store import open_store, restore_store
from sextant.stores.sqlite.truth.schema import FORMAT
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import versions
from sextant.testing.store_suite.samples import OPERATOR_SCOPE, SCOPE
from sextant.testing.tool_suite.opening import DRAWN
from sextant.types import Append, Scope, Thread, ThreadEntry, Unembedded
from tests.stores.sqlite import house
from tests.stores.sqlite.house import Task, fill, lines, truth

IDS = ["runbook#c1", "secret#c1"]


def use(folder: Path, task: Task, *, adopt: bool = False) -> Any:
    return house.use(folder, task, Settings(), adopt=adopt)


def made_before(folder: Path) -> list[str]:
    """Make a store as the first format was, and return what was in it."""
    without = [replace(one, pieces=None) for one in (samples.runbook(), samples.secret())]

    async def write(store: Store) -> list[str]:
        await store.truth.write(SCOPE, without)
        await store.admin.rebuild(SCOPE)
        return await lines(store)

    before: list[str] = use(folder, write)
    undo(truth(folder))
    mark = folder / "sextant-store.json"
    mark.write_text(mark.read_text().replace(str(FORMAT), "1"))
    return before


def undo(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        undo_third_format(connection)
        connection.execute("ALTER TABLE vectors DROP COLUMN pieces")
        connection.execute("ALTER TABLE next_vectors DROP COLUMN pieces")
        connection.execute("PRAGMA user_version = 1")


def undo_third_format(connection: sqlite3.Connection) -> None:
    """Make the tables as they were in format 2."""
    undo_fourth_format(connection)
    connection.execute("DROP TABLE removed")
    connection.execute("DROP TABLE entries")
    connection.execute("DROP INDEX threads_by_change")
    for name in ("title", "changed", "count", "last"):
        connection.execute(f"ALTER TABLE threads DROP COLUMN {name}")


def undo_fourth_format(connection: sqlite3.Connection) -> None:
    """Make the tables as they were in format 3."""
    undo_fifth_format(connection)
    connection.execute("ALTER TABLE documents DROP COLUMN owner")


def undo_fifth_format(connection: sqlite3.Connection) -> None:
    """Make the tables as they were in format 4."""
    undo_sixth_format(connection)
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in rows:
        if name.startswith("tool"):
            connection.execute(f"DROP TABLE {name}")


def undo_sixth_format(connection: sqlite3.Connection) -> None:
    """Make the tables as they were in format 5."""
    connection.execute("DROP TABLE unembedded")


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


async def with_pieces(store: Store) -> set[str]:
    return set(await store.index.pieces(OPERATOR_SCOPE, await versions(store, SCOPE, IDS)))


async def take_pieces(store: Store) -> None:
    """See that there are none, and that there can be."""
    assert not await with_pieces(store)
    assert (await store.truth.units(SCOPE, ["runbook"]))["runbook"].pieces is None
    await store.truth.write(SCOPE, [replace(samples.runbook(), key="new")])
    assert await with_pieces(store) == {"runbook#c1"}
    assert (await store.admin.status(SCOPE)).format == FORMAT


@pytest.mark.parametrize("task", [take_pieces, lines])
def test_a_store_of_the_first_format_is_brought_up_to_date(tmp_path: Path, task: Task) -> None:
    before = made_before(tmp_path / "s")
    assert use(tmp_path / "s", lines) == before
    assert version_of(truth(tmp_path / "s")) == FORMAT
    use(tmp_path / "s", task)


def test_a_rebuild_gives_an_older_store_its_pieces(tmp_path: Path) -> None:
    made_before(tmp_path / "s")
    use(tmp_path / "s", lambda store: store.admin.rebuild(SCOPE, Tiny(samples.WIDTH)), adopt=True)

    async def look(store: Store) -> None:
        assert await with_pieces(store) == set(IDS)

    use(tmp_path / "s", look)


def test_threads_of_the_second_format_are_listed_and_appended_to(tmp_path: Path) -> None:
    ann, bob = Scope("acme", user="ann"), Scope("acme", user="bob")

    async def write(store: Store) -> list[str]:
        for scope, name in ((ann, "b"), (ann, "a"), (bob, "a")):
            await store.records.save_thread(scope, Thread(name, f"state of {name}"))
        return await lines(store)

    async def look(store: Store) -> None:
        found = await store.records.list_threads(ann)
        assert [one.id for one in found] == ["b", "a"]
        assert all(one.changed < datetime.now(UTC) for one in found)
        assert (await store.records.threads(ann, ["a"]))["a"] == Thread("a", "state of a", 1)
        [grown] = await store.records.append_entries(
            ann, [Append("a", (ThreadEntry("user", "1"),))]
        )
        assert (grown.version, grown.count) == (2, 1)
        assert [one.id for one in await store.records.list_threads(ann)] == ["a", "b"]
        assert [one.version for one in await store.records.list_threads(bob)] == [1]

    before = use(tmp_path / "s", write)
    with closing(sqlite3.connect(truth(tmp_path / "s"))) as connection, connection:
        undo_third_format(connection)
        connection.execute("PRAGMA user_version = 2")
    assert use(tmp_path / "s", lines) == before
    use(tmp_path / "s", look)


def test_documents_of_the_third_format_are_the_operators(tmp_path: Path) -> None:
    async def look(store: Store) -> None:
        found = await store.truth.documents(OPERATOR_SCOPE)
        assert {one.owner for one in found} == {""}
        owned = replace(samples.runbook().document, owner="key:1")
        await store.truth.write(SCOPE, [replace(samples.runbook(), document=owned, key="new")])
        assert (await store.truth.units(SCOPE, ["runbook"]))["runbook"].document == owned

    use(tmp_path / "s", fill)
    before = use(tmp_path / "s", lines)
    with closing(sqlite3.connect(truth(tmp_path / "s"))) as connection, connection:
        undo_fourth_format(connection)
        connection.execute("PRAGMA user_version = 3")
    assert use(tmp_path / "s", lines) == before
    use(tmp_path / "s", look)


def test_a_store_of_the_fourth_format_can_hold_tools(tmp_path: Path) -> None:
    async def look(store: Store) -> None:
        assert store.tools
        await store.tools.change_tools(SCOPE, DRAWN)
        assert (await store.tools.tool_stats(SCOPE)).tools == len(DRAWN.puts)

    use(tmp_path / "s", fill)
    before = use(tmp_path / "s", lines)
    with closing(sqlite3.connect(truth(tmp_path / "s"))) as connection, connection:
        undo_fifth_format(connection)
        connection.execute("PRAGMA user_version = 4")
    assert use(tmp_path / "s", lines) == before
    use(tmp_path / "s", look)


def test_a_store_of_the_fifth_format_knows_what_has_no_vectors(tmp_path: Path) -> None:
    async def write(store: Store) -> None:
        await fill(store)
        await store.truth.write(SCOPE, [replace(samples.policy(), vectors=None, key="bare")])

    async def look(store: Store) -> None:
        assert await store.truth.unembedded(SCOPE) == [Unembedded("policy", 1)]
        await store.truth.write(SCOPE, [replace(samples.policy(), key="bare")])
        assert await store.truth.unembedded(SCOPE) == []

    use(tmp_path / "s", write)
    before = use(tmp_path / "s", lines)
    with closing(sqlite3.connect(truth(tmp_path / "s"))) as connection, connection:
        undo_sixth_format(connection)
        connection.execute("PRAGMA user_version = 5")
    assert use(tmp_path / "s", lines) == before
    use(tmp_path / "s", look)


def test_a_rebuild_leaves_nothing_without_vectors(tmp_path: Path) -> None:
    async def write(store: Store) -> None:
        await store.truth.write(SCOPE, [replace(samples.policy(), vectors=None, key="bare")])
        await store.admin.rebuild(SCOPE, Tiny(samples.WIDTH))
        assert await store.truth.unembedded(SCOPE) == []

    use(tmp_path / "s", write)


def test_whoever_is_killed_before_the_end_leaves_the_first_format(tmp_path: Path) -> None:
    """The folder says what it will be already; the next to open it goes on."""
    before = made_before(tmp_path / "s")
    mark = tmp_path / "s" / "sextant-store.json"
    mark.write_text(mark.read_text().replace("1", str(FORMAT)))
    with closing(sqlite3.connect(truth(tmp_path / "s"), isolation_level=None)) as killed:
        killed.execute("BEGIN IMMEDIATE")
        killed.execute("ALTER TABLE vectors ADD COLUMN pieces BLOB")
        killed.execute("PRAGMA user_version = 3")
    assert version_of(truth(tmp_path / "s")) == 1
    assert use(tmp_path / "s", lines) == before


def test_many_who_open_an_older_store_at_once_bring_it_up_to_date_once(tmp_path: Path) -> None:
    before = made_before(tmp_path / "s")

    async def run() -> list[list[str]]:
        identity = Tiny(samples.WIDTH).identity
        opening = (open_store(str(tmp_path / "s"), Settings(), identity) for _ in range(6))
        stores = await asyncio.gather(*opening)
        told = await asyncio.gather(*map(lines, stores))
        for store in stores:
            await store.admin.close()
        return told

    assert asyncio.run(run()) == [before] * 6


def test_several_processes_may_open_an_older_store_at_once(tmp_path: Path) -> None:
    before = made_before(tmp_path / "s")
    code = (
        "import json, sys; from pathlib import Path; from sextant.settings import Settings;"
        "from tests.stores.sqlite.house import lines, use;"
        f"print(json.dumps(use(Path({str(tmp_path / 's')!r}), lines, Settings())))"
    )
    command = [sys.executable, "-c", code]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    told = [process.communicate()[0] for process in started]
    assert [json.loads(one) for one in told] == [before] * 3


def test_a_backup_of_the_first_format_is_restored(tmp_path: Path) -> None:
    before = made_before(tmp_path / "s")
    old = tmp_path / "old.tar"
    asyncio.run(_back_up(tmp_path / "s", tmp_path / "new.tar"))
    _say_format(tmp_path / "new.tar", old, 1)
    assert restore_store(old, tmp_path / "restored") == ["acme"]
    assert version_of(truth(tmp_path / "restored")) == 1
    assert use(tmp_path / "restored", lines) == before
    use(tmp_path / "restored", take_pieces)


@pytest.mark.parametrize("version", [0, FORMAT + 1, 99, str(FORMAT), None])
def test_a_backup_of_a_format_that_nobody_knows_is_refused(tmp_path: Path, version: object) -> None:
    use(tmp_path / "s", fill)
    asyncio.run(_back_up(tmp_path / "s", tmp_path / "good.tar"))
    _say_format(tmp_path / "good.tar", tmp_path / "bad.tar", version)
    with pytest.raises(FormatMismatch, match=f"format {version}"):
        restore_store(tmp_path / "bad.tar", tmp_path / "restored")
    assert not (tmp_path / "restored").exists()


async def _back_up(folder: Path, target: Path) -> None:
    """Back up a store of which no tenant has been opened."""
    store = await open_store(str(folder), Settings(), None)
    await store.admin.backup(target)
    await store.admin.close()


def _say_format(source: Path, target: Path, version: object) -> None:
    """Copy a backup with another format in its list."""
    with tarfile.open(source) as archive, tarfile.open(target, "w") as copy:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            content = file.read()
            if member.name == "sextant-backup.json":
                content = json.dumps({**json.loads(content), "format": version}).encode()
                member.size = len(content)
            copy.addfile(member, BytesIO(content))


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    with closing(sqlite3.connect(truth(tmp_path / "s"))) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(FormatMismatch, match="format 99"):
        use(tmp_path / "s", lines)
    assert version_of(truth(tmp_path / "s")) == 99
    mark = tmp_path / "s" / "sextant-store.json"
    mark.write_text(mark.read_text().replace(str(FORMAT), str(FORMAT + 1)))
    with pytest.raises(FormatMismatch, match=f"format {FORMAT + 1}"):
        use(tmp_path / "s", lines)
    assert str(FORMAT + 1) in mark.read_text()
