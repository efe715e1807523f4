"""What is said of a store: what its parts promise, what changed in it, and how it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from sextant.types.finding import Counts
from sextant.types.knowledge import EmbedderIdentity, Put


class StoreAbility(StrEnum):
    """What a part can promise beyond giving back what it took; engines differ in these."""

    DURABLE = "durable"
    """What was acknowledged is there after closing, and after a crash."""

    ATOMIC_BATCH = "atomic batch"
    """A call is taken whole or not at all, however many documents or counters it names."""

    CHANGE_FEED = "change feed"
    """Which documents changed since a commit can be told, so another engine can hold the index."""

    READ_YOUR_WRITES = "read your writes"
    """Every read after a write was acknowledged sees it."""

    EXACT_SCORES = "exact scores"
    """Scores are those of the formula over all visible chunks, and ties are broken by id."""

    EXACT_DELETE = "exact delete"
    """After a delete everything reads as if the document had never been, scores included."""

    PERSONA_STATISTICS = "persona statistics"
    """Documents that a persona may not see are not felt in the scores that it gets."""

    PIECES = "pieces"
    """The vectors of the pieces of a chunk come back; without this, none ever do."""

    CANONICAL_DUMP = "canonical dump"
    """Equal stores give equal lines, whatever their history."""

    ONLINE_BACKUP = "online backup"
    """All tenants can be written to one file while the store is in use."""


_ALL = StoreAbility
PROMISES: Mapping[str, frozenset[StoreAbility]] = MappingProxyType(
    {
        "truth": frozenset({_ALL.DURABLE, _ALL.ATOMIC_BATCH, _ALL.CHANGE_FEED}),
        "index": frozenset(
            {
                _ALL.READ_YOUR_WRITES,
                _ALL.EXACT_SCORES,
                _ALL.EXACT_DELETE,
                _ALL.PERSONA_STATISTICS,
                _ALL.PIECES,
            }
        ),
        "graph": frozenset({_ALL.READ_YOUR_WRITES, _ALL.EXACT_DELETE, _ALL.PERSONA_STATISTICS}),
        "records": frozenset({_ALL.DURABLE, _ALL.ATOMIC_BATCH}),
        "admin": frozenset({_ALL.CANONICAL_DUMP, _ALL.ONLINE_BACKUP}),
    }
)
"""What each part of a store can be asked to promise; an adapter declares which of these it does."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Which documents were written and which were removed after one commit, up to another.

    The history is made with the tenant and made anew when it is restored from a backup: commits of
    two histories cannot be compared, though their numbers may be the same. Removals are all named
    to who asks since the commit ``complete_since`` or a later one; older ones may be forgotten.
    """

    commit: int
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    history: str = ""
    complete_since: int = 0


@dataclass(frozen=True, slots=True)
class IndexPosition:
    """Up to which commit of which history an index holds a tenant, and after how many changes."""

    commit: int = 0
    changes: int = 0
    history: str = ""


@dataclass(frozen=True, slots=True)
class IndexChange:
    """Documents for an index that stands at a position, and the commit that it holds with them."""

    over: IndexPosition
    commit: int
    history: str = ""
    puts: tuple[Put, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A document whose chunks have no vectors yet, and how many chunks that are."""

    document_id: str
    chunks: int


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """One derived index: how many parts it has, and how many chunks it has yet to take in."""

    name: str
    generation: int
    parts: int
    lag: int


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What an operator wants to know about a tenant's store; no problems means that it is well.

    An index in another engine may be behind by some documents. Unembedded are chunks that have no
    vectors yet.
    """

    tenant: str
    commit: int
    counts: Counts
    embedder: EmbedderIdentity | None
    language: str
    indexes: tuple[IndexStatus, ...] = ()
    bytes_on_disk: int = 0
    problems: tuple[str, ...] = ()
    format: int = 0
    documents_behind: int = 0
    unembedded_chunks: int = 0
