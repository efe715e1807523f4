"""Leases of the processes that share a store's folder, in a small database beside the tenants.

A lease is a line of claims: the first one whose time is not over, and whose process is alive, holds
it. Nothing here is knowledge: it is in no backup, and all of it may be deleted while nobody writes.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

from sextant.stores.sqlite.truth.locks import open_lock, writing
from sextant.types import Lease

_TABLE = """
CREATE TABLE IF NOT EXISTS claims (
    token INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    lease TEXT NOT NULL,
    holder TEXT NOT NULL,
    until REAL NOT NULL,
    process TEXT NOT NULL,
    UNIQUE (tenant, lease, holder)
)
"""
_IN_LINE = "SELECT token, holder, until, process FROM claims WHERE tenant = ? AND lease = ?"
_Claim = tuple[int, str, float, str]


class SqliteLeases:
    """Opened when the first lease is asked for. Times are of the clock that processes share."""

    def __init__(self, root: Path, wait_seconds: float) -> None:
        self._root, self._wait_seconds = root, wait_seconds
        self._guard = threading.Lock()
        self._process = secrets.token_hex(8)
        self._alive: sqlite3.Connection | None = None
        self._database: sqlite3.Connection | None = None

    def take(self, tenant: str, name: str, holder: str, seconds: float) -> Lease | None:
        """Get in line, or stay there, and return the lease if it is the holder's turn."""
        with self._guard, writing(connection := self._opened()):
            now = time.monotonic()
            line = self._line(connection, tenant, name, now)
            own = next((claim for claim in line if claim[1] == holder), None)
            if own is None:
                values = (tenant, name, holder, now + seconds, self._process)
                connection.execute(
                    "INSERT INTO claims (tenant, lease, holder, until, process) "
                    "VALUES (?, ?, ?, ?, ?)",
                    values,
                )
                line = self._line(connection, tenant, name, now)
            elif own[2] < now + seconds / 2:  # else asking again costs no write
                until = (now + seconds, own[0])
                connection.execute("UPDATE claims SET until = ? WHERE token = ?", until)
        token, first, *_ = line[0]
        return Lease(name, holder, token, len(line) > 1) if first == holder else None

    def release(self, tenant: str, name: str, holder: str) -> None:
        """Leave the line."""
        with self._guard, writing(connection := self._opened()):
            connection.execute(
                "DELETE FROM claims WHERE tenant = ? AND lease = ? AND holder = ?",
                (tenant, name, holder),
            )

    def close(self) -> None:
        """End every claim that was made here."""
        with self._guard:
            if self._database is not None:
                self._database.close()
                self._database = None
            if self._alive is not None:
                self._alive.close()
                self._alive = None
                self._path(self._process).unlink(missing_ok=True)

    def _line(
        self, connection: sqlite3.Connection, tenant: str, name: str, now: float
    ) -> list[_Claim]:
        """Return the claims that count, first come first; the others go."""
        claims = connection.execute(f"{_IN_LINE} ORDER BY token", (tenant, name)).fetchall()
        dead = {process for *_, process in claims if not self._is_alive(process)}
        line = [claim for claim in claims if claim[2] > now and claim[3] not in dead]
        gone = [(claim[0],) for claim in claims if claim not in line]
        connection.executemany("DELETE FROM claims WHERE token = ?", gone)
        return line

    def _opened(self) -> sqlite3.Connection:
        if self._alive is None:
            alive = open_lock(self._path(self._process))
            alive.execute("BEGIN EXCLUSIVE")
            self._alive = alive
        if self._database is None:
            self._sweep()
            self._database = self._connect()
        return self._database

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._root / "leases.db",
            timeout=self._wait_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.execute(_TABLE)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _sweep(self) -> None:
        """Remove the locks of processes that died without a claim."""
        for path in self._root.glob("lease-*.lock"):
            self._is_alive(path.stem.removeprefix("lease-"))

    def _is_alive(self, process: str) -> bool:
        """Whether a process still holds its lock; the file of a dead one is removed."""
        path = self._path(process)
        if process == self._process or not path.exists():
            return process == self._process
        with closing(open_lock(path)) as lock:
            lock.execute("PRAGMA busy_timeout = 0")
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                return True
        path.unlink(missing_ok=True)
        return False

    def _path(self, process: str) -> Path:
        return self._root / f"lease-{process}.lock"
