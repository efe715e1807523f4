"""Replies to requests with an idempotency key, as rows of a SQLite file."""

from __future__ import annotations

import json
import sqlite3
import time

from sextant.stores.server_records.book import Book
from sextant.types.serving import KeptReply, KeyedRequest, ReplyBounds

SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    tenant TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL,
    owner TEXT NOT NULL, status INTEGER NOT NULL DEFAULT 0, headers TEXT NOT NULL DEFAULT '{}',
    body BLOB NOT NULL DEFAULT x'', at REAL NOT NULL, PRIMARY KEY (tenant, name, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS replies_by_age ON replies (tenant, at)
"""


class SqliteReplies:
    """A book of replies that several processes may share."""

    def __init__(self, book: Book) -> None:
        self._book = book

    async def begin_reply(
        self, request: KeyedRequest, owner: str, bounds: ReplyBounds
    ) -> KeptReply | None:
        """Return what is known of a request, or note that the owner is at work on it: None."""
        return await self._book.write(begin, request, owner, bounds)

    async def take_over_reply(
        self, request: KeyedRequest, dead: str, owner: str, bounds: ReplyBounds
    ) -> KeptReply | None:
        """Begin anew what a dead server was at, unless somebody else just did."""
        return await self._book.write(take_over, request, dead, owner, bounds)

    async def keep_reply(self, request: KeyedRequest, reply: KeptReply) -> None:
        """Keep the reply to a request that was begun, or in place of the one before."""
        await self._book.write(_keep, request, reply)

    async def forget_reply(self, request: KeyedRequest) -> None:
        """Let a request be begun anew."""
        await self._book.write(_forget, request)


def begin(
    db: sqlite3.Connection, request: KeyedRequest, owner: str, bounds: ReplyBounds
) -> KeptReply | None:
    """Return the reply to a request, or note who is at work on it; what is too old goes."""
    now = time.time()
    db.execute(
        "DELETE FROM replies WHERE tenant = ?1 AND (at < ?2 OR at <= coalesce("
        "(SELECT at FROM replies WHERE tenant = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?3), 0))",
        (request.tenant, now - bounds.kept_seconds, bounds.kept),
    )
    row = db.execute(
        "SELECT * FROM replies WHERE tenant = ? AND name = ? AND key = ?", _place(request)
    ).fetchone()
    if row:
        return KeptReply(
            row["digest"], row["owner"], row["status"], json.loads(row["headers"]), row["body"]
        )
    db.execute(
        "INSERT INTO replies (tenant, name, key, digest, owner, at) VALUES (?, ?, ?, ?, ?, ?)",
        (*_place(request), request.digest, owner, now),
    )
    return None


def take_over(
    db: sqlite3.Connection, request: KeyedRequest, dead: str, owner: str, bounds: ReplyBounds
) -> KeptReply | None:
    """Begin anew what a dead server was at, unless somebody else just did."""
    db.execute(
        "DELETE FROM replies WHERE tenant = ? AND name = ? AND key = ? AND owner = ?",
        (*_place(request), dead),
    )
    return begin(db, request, owner, bounds)


def _keep(db: sqlite3.Connection, request: KeyedRequest, reply: KeptReply) -> None:
    db.execute(
        "UPDATE replies SET status = ?, headers = ?, body = ?, owner = ''"
        " WHERE tenant = ? AND name = ? AND key = ?",
        (reply.status, json.dumps(dict(reply.headers)), reply.body, *_place(request)),
    )


def _forget(db: sqlite3.Connection, request: KeyedRequest) -> None:
    db.execute("DELETE FROM replies WHERE tenant = ? AND name = ? AND key = ?", _place(request))


def _place(request: KeyedRequest) -> tuple[str, str, str]:
    return request.tenant, request.sender, request.key
