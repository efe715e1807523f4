"""Idempotency keys: a request that is sent again is answered as it was the first time.

Replies are kept for a day, so many for each tenant, also over a restart. Knows no route.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response

from sextant.errors import Conflict, InvalidInput
from sextant.serve.jobs.job import MARKED_S, Whose
from sextant.serve.records.book import Book
from sextant.serve.records.carrying import carried
from sextant.serve.records.folder import server_folder
from sextant.serve.records.presence import Presence
from sextant.settings import Settings
from sextant.types import personas_as_json

HEADER = "idempotency-key"
REPLAYED = "idempotency-replayed"
FILE = "replies.sqlite"
KEPT_S = MARKED_S
MOST = 10_000
_LARGEST = 256 * 1024
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_FIRST_FAILURE = 300
_KEPT_HEADERS = frozenset({"content-type", "location", "etag"})
_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    tenant TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL,
    owner TEXT NOT NULL, status INTEGER NOT NULL DEFAULT 0, headers TEXT NOT NULL DEFAULT '{}',
    body BLOB NOT NULL DEFAULT x'', at REAL NOT NULL, PRIMARY KEY (tenant, name, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS replies_by_age ON replies (tenant, at)
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request under a key: who sent it, and a digest of all that it says."""

    by: Whose
    key: str
    digest: str

    @property
    def place(self) -> tuple[str, str, str]:
        """Return where its reply is kept: with some personas of a user, it is not of others."""
        name = json.dumps((self.by.name, personas_as_json(self.by.personas)))
        return self.by.tenant, name, self.key


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it was sent; until then only who is at work on it is known."""

    digest: str
    owner: str = ""
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


class Replies:
    """The replies that are kept."""

    def __init__(self, book: Book, presence: Presence) -> None:
        self._book, self._presence = book, presence

    async def once(
        self, request: Request, by: Whose, digest: str, act: Callable[[], Awaitable[Response]]
    ) -> Response:
        """Answer a request: if it has a key that was answered before, with the same answer.

        The digest is of what the body says; path and query count too. What is begun is carried to
        its end, whoever leaves meanwhile.
        """
        key = key_of(request)
        if not key:
            return await act()
        asked = Asked(by, key, _whole_digest(request, digest))
        return await carried(self._answered(asked, act))

    async def renew(self, request: Request, by: Whose, digest: str, response: Response) -> None:
        """Keep what there is to say by now in place of the first reply."""
        key = key_of(request)
        if key:
            await self._keep(Asked(by, key, _whole_digest(request, digest)), response)

    async def _answered(self, asked: Asked, act: Callable[[], Awaitable[Response]]) -> Response:
        known = await self._begin(asked)
        if known:
            headers = {**known.headers, REPLAYED: "true"}
            return Response(known.body, known.status, headers)
        try:
            response = await act()
        except BaseException:
            await self._book.write(_forget, asked)
            raise
        await self._keep(asked, response)
        return response

    async def _begin(self, asked: Asked) -> Reply | None:
        """Return the reply that is kept, or note that somebody is at work on it."""
        owner = self._presence.name
        known = await self._book.write(_begun, asked, owner)
        if known and not known.status and not await self._presence.is_alive(known.owner):
            # Who was at it is dead, and answered nobody.
            known = await self._book.write(_taken_over, asked, known.owner, owner)
        if known is None:
            return None
        if known.digest != asked.digest:
            raise InvalidInput(
                "This idempotency key was used for another request.", "Use a new key for each."
            )
        if not known.status:
            raise Conflict(
                "The request of this idempotency key is still under way.", "Wait, then ask again."
            )
        return known

    async def _keep(self, asked: Asked, response: Response) -> None:
        """Keep what went well; what did not may be tried again."""
        body = bytes(getattr(response, "body", b""))
        if response.status_code >= _FIRST_FAILURE or len(body) > _LARGEST:
            await self._book.write(_forget, asked)
            return
        headers = {name: value for name, value in response.headers.items() if name in _KEPT_HEADERS}
        reply = Reply(asked.digest, "", response.status_code, headers, body)
        await self._book.write(_kept, asked, reply)


@asynccontextmanager
async def open_replies(settings: Settings) -> AsyncIterator[Replies]:
    """Open the replies in the server's folder."""
    folder = server_folder(settings)
    presence = await asyncio.to_thread(Presence, folder / "alive")
    try:
        book = await asyncio.to_thread(Book, folder / FILE, _SCHEMA)
        try:
            yield Replies(book, presence)
        finally:
            await book.close()
    finally:
        presence.close()


def key_of(request: Request) -> str:
    """Return the key of a request, with or without the quotes that the standard gives it."""
    given = request.headers.getlist(HEADER)
    if not given:
        return ""
    key = given[0].strip()
    key = key[1:-1] if len(key) > 1 and key[0] == key[-1] == '"' else key
    if len(given) > 1 or not _KEY.fullmatch(key):
        raise InvalidInput(
            "The idempotency key cannot be taken.", "Send one of up to 255 plain characters."
        )
    return key


def digest_of(body: bytes) -> str:
    """Return the digest of a body."""
    return hashlib.blake2b(body, digest_size=16).hexdigest()


def mark_of(request: Request, by: Whose, digest: str) -> str:
    """Return what a request under a key is known by, for who writes it down with its work."""
    key = key_of(request)
    asked = Asked(by, key, _whole_digest(request, digest))
    return digest_of(json.dumps((*asked.place, asked.digest)).encode()) if key else ""


def _whole_digest(request: Request, digest: str) -> str:
    said = (request.method, request.url.path, request.url.query, digest)
    return digest_of(json.dumps(said).encode())


def _begun(db: sqlite3.Connection, asked: Asked, owner: str) -> Reply | None:
    now = time.time()
    db.execute(
        "DELETE FROM replies WHERE tenant = ?1 AND (at < ?2 OR at <= coalesce("
        "(SELECT at FROM replies WHERE tenant = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?3), 0))",
        (asked.by.tenant, now - KEPT_S, MOST),
    )
    row = db.execute(
        "SELECT * FROM replies WHERE tenant = ? AND name = ? AND key = ?", asked.place
    ).fetchone()
    if row:
        return Reply(
            row["digest"], row["owner"], row["status"], json.loads(row["headers"]), row["body"]
        )
    db.execute(
        "INSERT INTO replies (tenant, name, key, digest, owner, at) VALUES (?, ?, ?, ?, ?, ?)",
        (*asked.place, asked.digest, owner, now),
    )
    return None


def _taken_over(db: sqlite3.Connection, asked: Asked, dead: str, owner: str) -> Reply | None:
    """Begin anew what a dead process was at, unless somebody else just did."""
    db.execute(
        "DELETE FROM replies WHERE tenant = ? AND name = ? AND key = ? AND owner = ?",
        (*asked.place, dead),
    )
    return _begun(db, asked, owner)


def _kept(db: sqlite3.Connection, asked: Asked, reply: Reply) -> None:
    db.execute(
        "UPDATE replies SET status = ?, headers = ?, body = ?, owner = ''"
        " WHERE tenant = ? AND name = ? AND key = ?",
        (reply.status, json.dumps(dict(reply.headers)), reply.body, *asked.place),
    )


def _forget(db: sqlite3.Connection, asked: Asked) -> None:
    db.execute("DELETE FROM replies WHERE tenant = ? AND name = ? AND key = ?", asked.place)
