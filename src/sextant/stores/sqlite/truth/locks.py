"""Who may read and write when: transactions, the writers' queue, and the turn to tidy up."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOG_BYTES = 4 << 20
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

    def __init__(self, path: Path) -> None:
        self._gate = open_lock(path.with_name("next.lock"))
        self._lock = open_lock(path.with_name("write.lock"))
        self._log = path.with_name(f"{path.name}-wal")

    @contextmanager
    def turn(self, connection: sqlite3.Connection, until: float) -> Iterator[None]:
        """Hold the write transaction of a connection; wait until a time of the monotonic clock."""
        with _held(self._gate, until):
            _take(self._lock, until)
        try:
            _wait_until(connection, until)
            with writing(connection):
                yield
            self._checkpoint(connection)
        finally:
            self._lock.execute("ROLLBACK")

    def _checkpoint(self, connection: sqlite3.Connection) -> None:
        # The commit before it is durable: that copying failed must not make it look lost.
        with suppress(OSError, sqlite3.Error):
            if self._log.stat().st_size > LOG_BYTES:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """Let go of the locks' files."""
        self._gate.close()
        self._lock.close()


def open_lock(path: Path) -> sqlite3.Connection:
    """Open a file whose exclusive transaction is a lock that dies with its process."""
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


def _take(lock: sqlite3.Connection, until: float) -> None:
    _wait_until(lock, until)
    lock.execute("BEGIN EXCLUSIVE")


@contextmanager
def _held(lock: sqlite3.Connection, until: float) -> Iterator[None]:
    _take(lock, until)
    try:
        yield
    finally:
        lock.execute("ROLLBACK")


def _wait_until(connection: sqlite3.Connection, until: float) -> None:
    left = max(0.0, until - time.monotonic())
    connection.execute(f"PRAGMA busy_timeout = {round(left * 1000)}")


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
def turn(folder: Path, wait_seconds: float = 0.0, name: str = "turn") -> Iterator[bool]:
    """Hold a turn, by default that to make or tidy up a tenant's files, or say that others do.

    Those who wait for it go before who does not.
    """
    until = time.monotonic() + wait_seconds
    gate, lock = open_lock(folder / f"{name}-next.lock"), open_lock(folder / f"{name}.lock")
    try:
        try:
            with _held(gate, until):
                _take(lock, until)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            yield False
            return
        yield True
    finally:
        lock.close()
        gate.close()
