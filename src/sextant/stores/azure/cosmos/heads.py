"""The head of a tenant: one small item that says which commit is the last, and whose turn it is.

It is the only item that decides anything. It changes by compare-and-set alone.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace

from sextant.errors import FormatMismatch
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.types import EmbedderIdentity

_ID = "head"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Turn:
    """The number that a writer writes under, and until when (in seconds since 1970) it may."""

    number: int
    until: float


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a tenant as a whole.

    Numbers that were begun and never committed are dead, each since a time: what was written under
    them does not exist, and what was to end with them goes on.
    """

    tenant: str
    commit: int = 0
    history: str = ""
    complete_since: int = 0
    embedder: EmbedderIdentity | None = None
    turn: Turn | None = None
    dead: tuple[tuple[int, float], ...] = ()
    etag: str = ""

    @property
    def dead_numbers(self) -> list[int]:
        """The numbers that were begun and never committed."""
        return [number for number, _ in self.dead]

    @property
    def next_number(self) -> int:
        """A number higher than all that anybody has written under."""
        begun = [self.turn.number] if self.turn else []
        return max([self.commit, *begun, *self.dead_numbers]) + 1

    def without_turn(self, now: float) -> Head:
        """Return the head with the number of the turn among the dead ones."""
        if self.turn is None:
            return self
        return replace(self, turn=None, dead=(*self.dead, (self.turn.number, now)))


class Heads:
    """Reads heads and replaces them; remembers the last one of each tenant for a moment."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers
        self._known: dict[str, tuple[Head, float]] = {}

    async def read(self, tenant: str) -> Head:
        """Return the head as it is now; a tenant that has none yet is at commit 0."""
        asked = time.monotonic()
        item = await self._containers.read(Kind.RECORDS, tenant, _ID)
        return self._note(_head_of(item) if item else Head(tenant), asked)

    async def recent(self, tenant: str) -> Head:
        """Return the head as it was no longer ago than azure.fresh_seconds."""
        known = self._known.get(tenant)
        if known and time.monotonic() - known[1] < self._containers.settings.fresh_seconds:
            return known[0]
        return await self.read(tenant)

    async def replace(self, head: Head) -> Head:
        """Replace the head that the etag is of, or raise Outdated; return the new one."""
        asked = time.monotonic()
        if head.etag:
            item = await self._containers.replace(Kind.RECORDS, _item_of(head))
        else:
            item = await self._containers.create(
                Kind.RECORDS, _item_of(replace(head, history=secrets.token_hex(8)))
            )
        return self._note(_head_of(item), asked)

    async def tenants(self) -> list[str]:
        """Name the tenants that have a head with something behind it."""
        found = await self._containers.query(
            Kind.RECORDS,
            None,
            "SELECT c.tenant FROM c WHERE c.id = @id AND c.commit > 0",
            {"id": _ID},
        )
        return sorted(item["tenant"] for item in found)

    def _note(self, head: Head, asked: float) -> Head:
        """Remember a head, unless a later one of the same history is known by now."""
        known, _ = self._known.get(head.tenant, (head, asked))
        if known.history != head.history or known.commit <= head.commit:
            self._known[head.tenant] = (head, asked)
        return head


def _head_of(item: Item) -> Head:
    if item.get("format") != _FORMAT:
        raise FormatMismatch(
            f"The tenant's knowledge in Cosmos DB is of format {item.get('format')}, "
            "which this version does not know.",
            "Use the version that wrote it, or a newer one.",
        )
    turn, embedder = item["turn"], item["embedder"]
    return Head(
        item["tenant"],
        item["commit"],
        item["history"],
        item["completeSince"],
        EmbedderIdentity(**embedder) if embedder else None,
        Turn(**turn) if turn else None,
        tuple((number, since) for number, since in item["dead"]),
        item["_etag"],
    )


def _item_of(head: Head) -> Item:
    own = {"_etag": head.etag} if head.etag else {}
    return {
        **own,
        "id": _ID,
        "tenant": head.tenant,
        "kind": "head",
        "format": _FORMAT,
        "commit": head.commit,
        "history": head.history,
        "completeSince": head.complete_since,
        "embedder": {"name": head.embedder.name, "width": head.embedder.width}
        if head.embedder
        else None,
        "turn": {"number": head.turn.number, "until": head.turn.until} if head.turn else None,
        "dead": [list(one) for one in head.dead],
    }
