"""Which places a source was read from, so that another of its name does not replace its documents.

Kept in counters, which runs at the same moment cannot spoil for each other: how often the source
began anew, and a mark for each place since then. Knows no document.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sextant.errors import Conflict
from sextant.ports import Store
from sextant.types import Scope

_LONGEST_COUNTER = 500


@dataclass(frozen=True, slots=True)
class Claim:
    """A place that wants to be read as a source; any one of its spots tells that it is known.

    It may join others if the user gave it their name, and it begins anew, so that they are
    forgotten, if it can tell that nothing is held of them.
    """

    source: str
    spots: tuple[str, ...]
    is_held: bool
    may_join: bool
    may_begin: bool

    @property
    def beginnings(self) -> str:
        """The counter of how often the source began anew; once it held a number of the place."""
        return f"ingest.origin.{self.source}"[:_LONGEST_COUNTER]

    def is_number(self, number: int) -> bool:
        """Whether a number stands for the place, as it was kept before there were marks."""
        digest = hashlib.blake2b(self.spots[0].encode(errors="replace"), digest_size=6).digest()
        return number == int.from_bytes(digest, "big")

    def marks(self, beginning: int) -> dict[str, int]:
        """Return what to count so that the place is known since a beginning."""
        return {f"ingest.place.{_digest(self.source, beginning, spot)}": 1 for spot in self.spots}


async def claimed(store: Store, scope: Scope, claim: Claim, *, dry_run: bool) -> bool:
    """Remember a place, or refuse it; say whether it joined others that the source is held from."""
    beginning = (await store.records.counters(scope, [claim.beginnings]))[claim.beginnings]
    if await _is_known(store, scope, claim, beginning):
        return False
    joins = claim.is_held and beginning > 0
    if joins and not claim.may_join:
        raise Conflict(
            f"{claim.source} was read from another place before, which this one would replace.",
            f"If it moved, say so with --name {claim.source}; else give this one another --name.",
        )
    if not dry_run:
        await _remember(store, scope, claim, beginning)
    return joins


async def _is_known(store: Store, scope: Scope, claim: Claim, beginning: int) -> bool:
    counted = await store.records.counters(scope, list(claim.marks(beginning)))
    return any(counted.values()) or claim.is_number(beginning)


async def _remember(store: Store, scope: Scope, claim: Claim, beginning: int) -> None:
    if beginning and (claim.is_held or not claim.may_begin):
        await store.records.count(scope, claim.marks(beginning))
        return
    new = {claim.beginnings: 1, **claim.marks(beginning + 1)}
    begun = (await store.records.count(scope, new))[claim.beginnings]
    if begun > beginning + 1:  # somebody else began at the same moment
        await store.records.count(scope, claim.marks(begun))


def _digest(source: str, beginning: int, spot: str) -> str:
    told = repr((source, beginning, spot)).encode(errors="replace")
    return hashlib.blake2b(told, digest_size=16).hexdigest()
