"""The keys of programs, as rows of a SQLite file. Knows no secret, only digests."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sextant.errors import ConfigError, Overloaded
from sextant.types.serving import Key

_MODE = 0o600
_WAIT_S = 2.0  # a request waits for its key, so it is told soon that the file is busy
_SCHEMA = """
CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY, digest BLOB NOT NULL, name TEXT NOT NULL, tenant TEXT NOT NULL,
    personas TEXT NOT NULL, roles TEXT NOT NULL, created REAL NOT NULL, expires REAL NOT NULL,
    revoked REAL NOT NULL DEFAULT 0, used REAL NOT NULL DEFAULT 0
) WITHOUT ROWID
"""
_COLUMNS = "id, name, tenant, personas, roles, created, expires, revoked, used, digest"
_ALL = f"SELECT {_COLUMNS} FROM keys ORDER BY created, id"  # noqa: S608
_ONE = f"SELECT {_COLUMNS} FROM keys WHERE id = ?"  # noqa: S608


class SqliteKeys:
    """A book of keys that several processes may share.

    One row by its id comes from memory: handing it to a thread would take longer than reading it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._connection = _connect(path)
        except (sqlite3.Error, OSError):
            raise ConfigError(
                f"{path.name} in the server's folder cannot be opened.",
                "Let serve.folder name a folder of the server's own that can be written to.",
            ) from None

    async def add_key(self, key: Key) -> None:
        """Keep a new key."""
        personas, roles = json.dumps(key.personas), json.dumps(key.roles)
        times = (key.created, key.expires, key.revoked, key.used)
        self._rows(
            f"INSERT INTO keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            *(key.id, key.name, key.tenant, personas, roles, *times, key.digest),
        )

    async def find_key(self, key_id: str) -> Key | None:
        """Return a key by its id, also if it no longer works."""
        return next((_key(*row) for row in self._rows(_ONE, key_id)), None)

    async def list_keys(self) -> list[Key]:
        """Return all keys, the oldest first, those that no longer work too."""
        return [_key(*row) for row in self._rows(_ALL)]

    async def revoke_key(self, key_id: str, at: float) -> Key | None:
        """Note since when a key does not work; the first time stays."""
        self._rows("UPDATE keys SET revoked = ? WHERE id = ? AND revoked = 0", at, key_id)
        return await self.find_key(key_id)

    async def note_use(self, key_id: str, at: float) -> None:
        """Note when a key was used last, beside whoever looks keys up."""
        await asyncio.to_thread(self._note_use, key_id, at)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _note_use(self, key_id: str, at: float) -> None:
        try:
            with closing(_connect(self._path)) as own:
                own.execute("UPDATE keys SET used = max(used, ?) WHERE id = ?", (at, key_id))
        except (sqlite3.Error, OSError):
            raise _busy() from None

    def _rows(self, statement: str, *values: object) -> list[Any]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error:
            raise _busy() from None


def _busy() -> Overloaded:
    return Overloaded("The keys cannot be read or written now.", "Try again.")


def _connect(path: Path) -> sqlite3.Connection:
    path.touch(mode=_MODE, exist_ok=True)
    connection = sqlite3.connect(
        path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
    )
    try:
        # Several processes share it: no write-ahead log, for the reason that Book gives.
        connection.execute("PRAGMA journal_mode = TRUNCATE")
        connection.execute(_SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _key(key_id: str, name: str, tenant: str, personas: str, roles: str, *rest: Any) -> Key:
    return Key(key_id, name, tenant, tuple(json.loads(personas)), tuple(json.loads(roles)), *rest)
