"""Keys for programs: only a digest is kept, with what each key allows. Knows no token.

A key looks like ``sxt_<id>_<secret>``, so that one which leaked can be found by its looks.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import sqlite3
import time
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sextant.errors import ConfigError, InvalidInput, NotFound, Overloaded
from sextant.serve.caller import Caller, Role
from sextant.serve.identity.grants import personas_of, roles_of

FILE = "keys.sqlite"
_SHAPE = re.compile(r"sxt_([0-9a-f]{12})_[0-9a-f]{64}")
_NO_DIGEST = bytes(32)
_LONGEST = 256
_MODE = 0o600
_WAIT_S = 2.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY, digest BLOB NOT NULL, name TEXT NOT NULL, tenant TEXT NOT NULL,
    personas TEXT NOT NULL, roles TEXT NOT NULL, created REAL NOT NULL, expires REAL NOT NULL,
    revoked REAL NOT NULL DEFAULT 0, used REAL NOT NULL DEFAULT 0
) WITHOUT ROWID
"""
_ALL = """
SELECT digest, id, name, tenant, personas, roles, created, expires, revoked, used
FROM keys ORDER BY created, id
"""
_ONE = """
SELECT digest, id, name, tenant, personas, roles, created, expires, revoked, used
FROM keys WHERE id = ?
"""


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of a key; times are in seconds since 1970, 0 is never."""

    id: str
    name: str
    tenant: str
    personas: tuple[str, ...]
    roles: tuple[str, ...]
    created: float
    expires: float = 0.0
    revoked: float = 0.0
    used: float = 0.0

    @property
    def caller(self) -> Caller:
        """Return who comes in with this key."""
        roles = roles_of(self.roles)
        personas = personas_of(self.personas, roles)
        name = f"key:{self.id}"
        return Caller(name, self.tenant, name, personas, roles, self.expires)

    def state(self, now: float) -> str:
        """Say whether the key works."""
        if self.revoked:
            return "revoked"
        return "expired" if self.expires and self.expires <= now else "active"


class Keys:
    """The keys of one server's folder; several processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        try:
            self._connection = _connect(self._path)
        except (sqlite3.Error, OSError):
            raise ConfigError(
                f"{FILE} in the server's folder cannot be opened.",
                "Let serve.folder name a folder of the server's own that can be written to.",
            ) from None

    def create(
        self,
        name: str,
        tenant: str,
        roles: Collection[Role],
        personas: Collection[str] = (),
        expires: float = 0.0,
    ) -> tuple[Key, str]:
        """Make a key, and return what is known of it and the key itself, which nobody keeps."""
        for what, value in (("tenant", tenant), *(("persona", one) for one in personas)):
            _check(what, value)
        if len(name) > _LONGEST or not name.isprintable():
            raise InvalidInput(
                f"The key's name has to be at most {_LONGEST} plain characters.",
                "Leave out line breaks, or shorten it.",
            )
        if not roles:
            raise InvalidInput("The key allows nothing.", "Give it at least one role.")
        key = Key(
            secrets.token_hex(6),
            name,
            tenant,
            tuple(sorted({*personas})),
            tuple(sorted({*roles})),
            time.time(),
            expires,
        )
        text = f"sxt_{key.id}_{secrets.token_hex(32)}"
        lists = map(json.dumps, (key.personas, key.roles))
        values = (key.id, _digest(text), key.name, key.tenant, *lists)
        self._rows(
            "INSERT INTO keys (id, digest, name, tenant, personas, roles, created, expires)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            *values,
            key.created,
            key.expires,
        )
        return key, text

    def all(self) -> list[Key]:
        """Return all keys, the oldest first, those that no longer work too."""
        return [_key(row) for row in self._rows(_ALL)]

    def revoke(self, key_id: str) -> Key:
        """Let a key work no more; it stays in the list."""
        shape = _SHAPE.fullmatch(key_id)
        key_id = shape.group(1) if shape else key_id
        self._rows("UPDATE keys SET revoked = ? WHERE id = ? AND revoked = 0", time.time(), key_id)
        for row in self._rows(_ONE, key_id):
            return _key(row)
        raise NotFound("There is no such key.", "`sextant keys list` shows their ids.")

    def found(self, text: str) -> Key | None:
        """Return the key that a text is, also if it no longer works."""
        shape = _SHAPE.fullmatch(text)
        if shape is None:
            return None
        rows = self._rows(_ONE, shape.group(1))
        # The same work for an id that nobody has as for a wrong secret.
        is_right = hmac.compare_digest(_digest(text), rows[0][0] if rows else _NO_DIGEST)
        return _key(rows[0]) if rows and is_right else None

    def note_use(self, key_id: str, at: float) -> None:
        """Note when a key was used last, beside whoever looks keys up."""
        try:
            with closing(_connect(self._path)) as own:
                own.execute("UPDATE keys SET used = max(used, ?) WHERE id = ?", (at, key_id))
        except (sqlite3.Error, OSError):
            raise _busy() from None

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

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


def _digest(text: str) -> bytes:
    # Plain SHA-256 is enough: nobody guesses 256 random bits.
    return hashlib.sha256(text.encode()).digest()


def _key(row: tuple[Any, ...]) -> Key:
    _, key_id, name, tenant, personas, roles, *times = row
    return Key(key_id, name, tenant, tuple(json.loads(personas)), tuple(json.loads(roles)), *times)


def _check(what: str, value: str) -> None:
    if not 0 < len(value) <= _LONGEST or not value.isprintable():
        raise InvalidInput(
            f"The key's {what} has to be 1 to {_LONGEST} plain characters.",
            "Leave out line breaks, or shorten it.",
        )
