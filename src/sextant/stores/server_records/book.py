"""A small SQLite file that is written in a thread of its own. Knows no table.

What is acknowledged is on the disk. There is no write-ahead log: several processes share such a
file, and before version 3.51.3 of SQLite a checkpoint beside a commit could damage it.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from sextant.errors import StoreBusy, StoreClosed, StoreError, StoreFull, StoreUnwritable

P = ParamSpec("P")
T = TypeVar("T")
_WAIT_S = 10.0
_OWNER_ONLY = 0o600
_HINT = "Look after the disk and the server's folder."
_BY_CODE: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_BUSY: StoreBusy,
    sqlite3.SQLITE_LOCKED: StoreBusy,
    sqlite3.SQLITE_FULL: StoreFull,
    sqlite3.SQLITE_READONLY: StoreUnwritable,
    sqlite3.SQLITE_CANTOPEN: StoreUnwritable,
}


class Book:
    """An open file: each call of ``write`` is one transaction, one after the other."""

    def __init__(self, path: Path, schema: str) -> None:
        self._thread = ThreadPoolExecutor(1, path.stem)
        self._connection = self._thread.submit(_open, path, schema).result()

    async def write(
        self,
        act: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Do something to the file that is durable on return, or not done at all."""
        return await self._run(lambda: _committed(self._connection, act, *args, **kwargs))

    async def read(
        self,
        act: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Look something up."""
        return await self._run(lambda: _typed_call(act, self._connection, *args, **kwargs))

    async def close(self) -> None:
        """Wait for what is under way, and let go."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._thread.submit(self._connection.close).result()
        self._thread.shutdown()

    async def _run(self, act: Callable[[], T]) -> T:
        try:
            future = self._thread.submit(act)
        except RuntimeError:
            raise StoreClosed("The server is closing.", "Try again in a moment.") from None
        return await asyncio.wrap_future(future)


def _open(path: Path, schema: str) -> sqlite3.Connection:
    with _typed():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, _OWNER_ONLY))
        connection = sqlite3.connect(
            path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = TRUNCATE")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(f"BEGIN IMMEDIATE; {schema}; COMMIT")
    return connection


def _committed(
    connection: sqlite3.Connection,
    act: Callable[Concatenate[sqlite3.Connection, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    with _typed():
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = act(connection, *args, **kwargs)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return result


def _typed_call(act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    with _typed():
        return act(*args, **kwargs)


@contextmanager
def _typed() -> Iterator[None]:
    """Turn what SQLite and the system say into an error that doors can tell."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind = _BY_CODE.get(code, StoreError)
        raise kind(f"The server's own records failed: {error}.", _HINT) from error
    except OSError as error:
        reason = error.strerror or "unknown"
        raise StoreUnwritable(f"The server's own records failed: {reason}.", _HINT) from error
