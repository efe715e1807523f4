"""Idempotency keys: a request that is sent again is answered as it was the first time.

Replies are kept for a day, so many for each tenant, also over a restart. Knows no route.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from sextant.errors import Conflict, InvalidInput
from sextant.ingest.carrying import carried
from sextant.server_ports import Presence, ReplyBook, ServerRecords
from sextant.types import personas_as_json
from sextant.types.serving import KeptReply, KeyedRequest, ReplyBounds, Whose

HEADER = "idempotency-key"
REPLAYED = "idempotency-replayed"
_LARGEST = 256 * 1024
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_FIRST_FAILURE = 300
_KEPT_HEADERS = frozenset({"content-type", "location", "etag"})


class Replies:
    """The replies that are kept."""

    def __init__(
        self,
        book: ReplyBook,
        presence: Presence,
        bounds: ReplyBounds = ReplyBounds(),  # noqa: B008 - frozen
    ) -> None:
        self._book, self._presence, self._bounds = book, presence, bounds

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
        asked = _keyed(request, by, digest, key)
        return await carried(self._answered(asked, act))

    async def renew(self, request: Request, by: Whose, digest: str, response: Response) -> None:
        """Keep what there is to say by now in place of the first reply."""
        key = key_of(request)
        if key:
            await self._keep(_keyed(request, by, digest, key), response)

    async def _answered(
        self, asked: KeyedRequest, act: Callable[[], Awaitable[Response]]
    ) -> Response:
        known = await self._begin(asked)
        if known:
            headers = {**known.headers, REPLAYED: "true"}
            return Response(known.body, known.status, headers)
        try:
            response = await act()
        except BaseException:
            await self._book.forget_reply(asked)
            raise
        await self._keep(asked, response)
        return response

    async def _begin(self, asked: KeyedRequest) -> KeptReply | None:
        """Return the reply that is kept, or note that somebody is at work on it."""
        owner = self._presence.name
        known = await self._book.begin_reply(asked, owner, self._bounds)
        if known and not known.status and not await self._presence.is_alive(known.owner):
            # Who was at it is dead, and answered nobody.
            known = await self._book.take_over_reply(asked, known.owner, owner, self._bounds)
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

    async def _keep(self, asked: KeyedRequest, response: Response) -> None:
        """Keep what went well; what did not may be tried again."""
        body = bytes(getattr(response, "body", b""))
        if response.status_code >= _FIRST_FAILURE or len(body) > _LARGEST:
            await self._book.forget_reply(asked)
            return
        headers = {name: value for name, value in response.headers.items() if name in _KEPT_HEADERS}
        reply = KeptReply(asked.digest, "", response.status_code, headers, body)
        await self._book.keep_reply(asked, reply)


async def open_replies(records: ServerRecords) -> Replies:
    """Open the replies among the server's records."""
    return Replies(await records.open_replies(), await records.open_presence())


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
    asked = _keyed(request, by, digest, key)
    whole = (asked.tenant, asked.sender, asked.key, asked.digest)
    return digest_of(json.dumps(whole).encode()) if key else ""


def _keyed(request: Request, by: Whose, digest: str, key: str) -> KeyedRequest:
    """Return a request under a key; a reply to one persona of a user is not another's."""
    sender = json.dumps((by.name, personas_as_json(by.personas)))
    return KeyedRequest(by.tenant, sender, key, _whole_digest(request, digest))


def _whole_digest(request: Request, digest: str) -> str:
    said = (request.method, request.url.path, request.url.query, digest)
    return digest_of(json.dumps(said).encode())
