"""What models found in texts, kept by content so that nothing is paid for twice.

One SQLite file for all tenants; a key is a digest of the tenant, the reader and the text, and no
text is kept. Each call's findings are durable before the next is made; several processes may use
the file at once. A file that is damaged is begun anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self, TypeVar

from sextant.errors import StoreUnwritable
from sextant.ingest.extract.findings import Findings, as_json, from_json
from sextant.settings import Settings

A = TypeVar("A")
R = TypeVar("R")
_MOST = 1_000_000
"""So many texts are remembered; the oldest go first."""

_AT_ONCE = 500
_WAIT_SECONDS = 30.0
_TABLE = "CREATE TABLE IF NOT EXISTS found (key TEXT PRIMARY KEY, findings TEXT NOT NULL)"


def cache_file(settings: Settings, *, to_read: bool = False) -> Path | None:
    """Return where findings are kept: in the folder that is set, or beside the store.

    Beside a store that is no folder they are kept in memory; who only reads makes no file.
    """
    scheme, _, rest = settings.store.partition(":")
    beside = f"{rest}.cache" if scheme == "sqlite" and rest else ""
    folder = settings.ingest.cache or beside
    file = Path(folder) / "extracted.sqlite" if folder else None
    return None if to_read and file and not file.exists() else file


class Cache:
    """An open file of findings. What blocks is done in threads, one piece at a time."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._turn = threading.Lock()
        self._under_way: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        try:
            self._connection = await asyncio.to_thread(_opened, self._path)
        except (OSError, sqlite3.Error) as error:
            raise _unusable(error) from None
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*self._under_way, return_exceptions=True)
        self._connection.close()

    async def get(self, keys: Sequence[str]) -> dict[str, Findings]:
        """Return what is known of these."""
        return await asyncio.to_thread(self._locked, _get, keys)

    async def put(self, found: Mapping[str, Findings]) -> None:
        """Keep findings for good, also if nobody waits any longer; what is known stays as it is."""
        task = asyncio.create_task(asyncio.to_thread(self._locked, _put, found))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.shield(task)

    def _locked(self, work: Callable[[sqlite3.Connection, A], R], what: A) -> R:
        with self._turn:
            try:
                return work(self._connection, what)
            except sqlite3.Error as error:
                raise _unusable(error) from None


def _unusable(error: OSError | sqlite3.Error) -> StoreUnwritable:
    reason = error.strerror if isinstance(error, OSError) else error
    return StoreUnwritable(
        f"What a model finds cannot be kept: {reason}.",
        "Let ingest.cache name a folder with room that can be written to, and run it again.",
    )


def _opened(path: Path | None) -> sqlite3.Connection:
    if path is None:
        return _connected(":memory:")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return _connected(str(path))
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise
        path.unlink()
        return _connected(str(path))


def _connected(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(_TABLE)
        last = connection.execute("SELECT max(rowid) FROM found").fetchone()[0] or 0
        connection.execute("DELETE FROM found WHERE rowid <= ?", (last - _MOST,))
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _get(connection: sqlite3.Connection, keys: Sequence[str]) -> dict[str, Findings]:
    found: dict[str, Findings] = {}
    for start in range(0, len(keys), _AT_ONCE):
        page = keys[start : start + _AT_ONCE]
        marks = ",".join("?" * len(page))
        rows: Iterable[tuple[str, str]] = connection.execute(
            f"SELECT key, findings FROM found WHERE key IN ({marks})",  # noqa: S608 - only marks
            page,
        )
        for key, text in rows:
            with contextlib.suppress(ValueError, TypeError):  # of another version of ours
                found[key] = from_json(text)
    return found


def _put(connection: sqlite3.Connection, found: Mapping[str, Findings]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(
            "INSERT OR IGNORE INTO found (key, findings) VALUES (?, ?)",
            [(key, as_json(one)) for key, one in found.items()],
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
