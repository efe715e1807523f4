"""Replies to requests with an idempotency key: one item each, which changes by its etag."""

from __future__ import annotations

import secrets
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from sextant.errors import SextantError
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.cosmos.records.changing import change_item
from sextant.stores.azure.server_records.partition import SERVERS, find_records, record_id
from sextant.types.serving import KeptReply, KeyedRequest, ReplyBounds

_KIND = "server-reply"
_SWEEPS = 100
"""A tenant's replies are counted once in a hundredth of as many as are kept: 1 % more may stay."""


class CosmosReplies:
    """A book of replies that all servers share."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers
        self._begun = Counter[str]()

    async def begin_reply(
        self, request: KeyedRequest, owner: str, bounds: ReplyBounds
    ) -> KeptReply | None:
        """Return what is known of a request, or note that the owner is at work on it: None."""
        return await self._begin(request, owner, bounds, lambda item: False)  # noqa: ARG005

    async def take_over_reply(
        self, request: KeyedRequest, dead: str, owner: str, bounds: ReplyBounds
    ) -> KeptReply | None:
        """Begin anew what a dead server was at, unless somebody else just did."""
        return await self._begin(request, owner, bounds, lambda item: item["owner"] == dead)

    async def keep_reply(self, request: KeyedRequest, reply: KeptReply) -> None:
        """Keep the reply to a request that was begun, or in place of the one before."""
        kept = {
            "owner": "",
            "status": reply.status,
            "document": {"headers": dict(reply.headers)},
            "body": b64encode(reply.body).decode(),
        }
        await change_item(
            self._containers, SERVERS, _id_of(request), lambda item: item | kept if item else None
        )

    async def forget_reply(self, request: KeyedRequest) -> None:
        """Let a request be begun anew."""
        await self._containers.delete(Kind.RECORDS, SERVERS, _id_of(request))

    async def _begin(
        self,
        request: KeyedRequest,
        owner: str,
        bounds: ReplyBounds,
        is_free: Callable[[Item], bool],
    ) -> KeptReply | None:
        now = self._containers.clock()
        new = _new_item(request, owner, now)

        def decide(item: Item | None) -> Item | None:
            is_known = item and item["at"] >= now - bounds.kept_seconds and not is_free(item)
            return None if is_known else new

        item = await change_item(self._containers, SERVERS, _id_of(request), decide)
        if item and item["begun"] != new["begun"]:
            return _reply_of(item)
        with suppress(SextantError):  # the request is begun; the next one forgets them
            await self._forget_old(request.tenant, now, bounds)
        return None

    async def _forget_old(self, tenant: str, now: float, bounds: ReplyBounds) -> None:
        """Delete what is too old, and the oldest of too many, every so many requests."""
        self._begun[tenant] += 1
        if self._begun[tenant] < bounds.kept // _SWEEPS:
            return
        del self._begun[tenant]
        found = await find_records(
            self._containers, _KIND, "c.of = @of", {"of": tenant}, fields="c.id, c.at"
        )
        found.sort(key=lambda item: float(item["at"]), reverse=True)
        oldest = min(now, now - bounds.kept_seconds)
        await self._containers.run_all(
            self._containers.delete(Kind.RECORDS, SERVERS, item["id"])
            for place, item in enumerate(found)
            if place > bounds.kept or item["at"] < oldest
        )


def _id_of(request: KeyedRequest) -> str:
    return record_id(_KIND, request.tenant, request.sender, request.key)


def _new_item(request: KeyedRequest, owner: str, now: float) -> Item:
    return {
        "kind": _KIND,
        "of": request.tenant,
        "digest": request.digest,
        "owner": owner,
        "status": 0,
        "document": {"headers": {}},
        "body": "",
        "at": now,
        "begun": secrets.token_hex(8),
    }


def _reply_of(item: Item) -> KeptReply:
    return KeptReply(
        item["digest"],
        item["owner"],
        item["status"],
        item["document"]["headers"],
        b64decode(item["body"]),
    )
