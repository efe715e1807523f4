"""What models found in texts, kept by content so that nothing is paid for twice.

One SQLite file for all tenants, which nobody else may read; a key is a digest of the tenant, the
reader and the text, and no text is kept. Each call's findings are durable before the next is made;
several processes may use the file at once. A file that is damaged is begun anew.

What was ever found in a document goes when the document is removed. Where several hold the very
same text, it goes with the one that it was first read for.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self, TypeVar

from sextant.errors import StoreUnwritable
from sextant.ingest.extract.findings import Findings, as_json, from_json
from sextant.ingest.threads import in_thread
from sextant.settings import Settings

A = TypeVar("A")
R = TypeVar("R")
_MOST = 1_000_000
"""So many texts are remembered; the oldest go first."""

_AT_ONCE = 500
_WAIT_SECONDS = 30.0
_TABLES = (
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    "DROP TABLE IF EXISTS found",  # of an earlier version, which did not know whose it was
    """CREATE TABLE IF NOT EXISTS readings
    (key TEXT PRIMARY KEY, findings TEXT NOT NULL, document TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS of_document ON readings (document)",
)


def cache_file(settings: Settings, *, to_read: bool = False) -> Path | None:
    """Return where findings are kept: in the folder that is set, or beside the store.

    Beside a store that is not a folder they are kept in memory; who only reads makes no file.
    """
    scheme, _, rest = settings.store.partition(":")
    beside = f"{rest}.cache" if scheme == "sqlite" and rest else ""
    folder = settings.ingest.cache or beside
    file = Path(folder) / "extracted.sqlite" if folder else None
    return None if to_read and file and not file.exists() else file


async def forget(settings: Settings, tenant: str, document_ids: Iterable[str]) -> None:
    """Drop what was found in documents that are gone."""
    file = cache_file(settings, to_read=True)
    digests = [document_digest(tenant, one) for one in document_ids]
    if file and digests:
        async with Cache(file) as cache:
            await cache.drop(digests)


def document_digest(tenant: str, document_id: str) -> str:
    """Return what stands for a document of a tenant."""
    told = json.dumps([tenant, document_id])
    return hashlib.blake2b(told.encode(), digest_size=20).hexdigest()


class Cache:
    """An open file of findings. What blocks is done in threads, one piece at a time."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._turn = threading.Lock()
        self._under_way: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        try:
            self._connection = await in_thread(_opened, self._path)
        except (OSError, sqlite3.Error) as error:
            raise _unusable(error) from None
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*self._under_way, return_exceptions=True)
        self._connection.close()

    async def get(self, keys: Sequence[str]) -> dict[str, Findings]:
        """Return what is known of these."""
        return await in_thread(self._locked, _get, keys)

    async def put(self, found: Mapping[str, Findings], document: str) -> None:
        """Keep findings for good, also if nobody waits any longer; what is known stays as it is."""
        rows = [(key, as_json(one), document) for key, one in found.items()]
        task = asyncio.create_task(in_thread(self._locked, _put, rows))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.shield(task)

    async def drop(self, documents: Sequence[str]) -> None:
        """Let go of all that was kept of these documents."""
        await in_thread(self._locked, _drop, documents)

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
    path.touch(0o600)
    try:
        return _connected(str(path))
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise
        path.unlink()
        path.touch(0o600)
        return _connected(str(path))


def _connected(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        for line in _TABLES:
            connection.execute(line)
        last = connection.execute("SELECT max(rowid) FROM readings").fetchone()[0] or 0
        connection.execute("DELETE FROM readings WHERE rowid <= ?", (last - _MOST,))
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
            f"SELECT key, findings FROM readings WHERE key IN ({marks})",  # noqa: S608 - only marks
            page,
        )
        for key, text in rows:
            with contextlib.suppress(ValueError, TypeError):  # of another version of ours
                found[key] = from_json(text)
    return found


def _put(connection: sqlite3.Connection, rows: Sequence[tuple[str, str, str]]) -> None:
    _written(connection, "INSERT OR IGNORE INTO readings VALUES (?, ?, ?)", rows)


def _drop(connection: sqlite3.Connection, documents: Sequence[str]) -> None:
    rows = [(one,) for one in documents]
    _written(connection, "DELETE FROM readings WHERE document = ?", rows)


def _written(
    connection: sqlite3.Connection, statement: str, rows: Sequence[tuple[str, ...]]
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(statement, rows)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
