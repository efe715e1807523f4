"""Who may read and write when: transactions, the writers' queue, and the turn to tidy up."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOG_BYTES = 4 << 20
"""A write-ahead log longer than this is copied into the database."""


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the one write transaction, waiting for others as long as the connection was told to."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class Queue:
    """One writer at a time, over all processes, from its first statement to its checkpoint.

    SQLite has a write lock of its own, but before version 3.51.3 a checkpoint beside a commit could
    damage the database; so both happen only here, and no connection checkpoints by itself. Waiting
    for a lock is polling, which whoever just had it would win again and again; so who is next holds
    the gate, and nobody passes it meanwhile.
    """

    def __init__(self, path: Path, wait_seconds: float) -> None:
        self._gate = _lock(path.with_name("next.lock"), wait_seconds)
        self._lock = _lock(path.with_name("write.lock"), wait_seconds)
        self._log = path.with_name(f"{path.name}-wal")

    @contextmanager
    def turn(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Hold the write transaction of a connection; wait for others for a bounded time."""
        with _held(self._gate):
            self._lock.execute("BEGIN EXCLUSIVE")
        try:
            with writing(connection):
                yield
            self._checkpoint(connection)
        finally:
            self._lock.execute("ROLLBACK")

    def _checkpoint(self, connection: sqlite3.Connection) -> None:
        # The commit before it is durable: that copying failed must not make it look lost.
        with suppress(OSError, sqlite3.Error):
            if self._log.stat().st_size > _LOG_BYTES:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """Let go of the locks' files."""
        self._gate.close()
        self._lock.close()


def _lock(path: Path, wait_seconds: float) -> sqlite3.Connection:
    """Open a file whose exclusive transaction is a lock that dies with its process."""
    return sqlite3.connect(
        path, timeout=wait_seconds, isolation_level=None, check_same_thread=False
    )


@contextmanager
def _held(lock: sqlite3.Connection) -> Iterator[None]:
    lock.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        lock.execute("ROLLBACK")


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold one state of the database."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def turn(folder: Path, wait_seconds: float = 0.0) -> Iterator[bool]:
    """Hold the turn to make or tidy up a tenant's files; waiters go before who does not wait."""
    gate = _lock(folder / "turn-next.lock", wait_seconds)
    lock = _lock(folder / "turn.lock", wait_seconds)
    try:
        try:
            with _held(gate):
                lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            yield False
            return
        yield True
    finally:
        lock.close()
        gate.close()
