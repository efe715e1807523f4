"""The nouns of what is stored: documents, entities, relations, and what a store says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OPERATOR = "operator"
CURATOR = "curator"
"""The role of who may set what a source is worth, and replace what others brought."""

OWN = "sextant:"
"""What a name starts with where Sextant keeps something for itself: a document, field or user."""

_LONGEST_NAMED = 500
"""A name in metadata may have 1,000 characters; a longer id than this is told by its digest."""

DOCUMENT_NODE = "doc:"
"""What the id of a document starts with where it is a node of the graph."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks. The tenant picks the database, the personas what exists in it.

    What any of its personas may see exists for it; without one, only what is open to all. Who asks
    as none may still be one that can act for some personas only; None is for all.
    """

    tenant: str = "default"
    personas: frozenset[str] = frozenset()
    user: str | None = None
    roles: frozenset[str] = frozenset()
    acts_for: frozenset[str] | None = None

    @property
    def sees_all(self) -> bool:
        """Whether persona rules are lifted, as they are for whoever runs the store."""
        return OPERATOR in self.roles

    @property
    def curates(self) -> bool:
        """Whether it may decide on the documents of others, as whoever runs the store may."""
        return self.user is None or not self.roles.isdisjoint({CURATOR, OPERATOR})

    def sees(self, document: Document) -> bool:
        """Whether a document exists for this scope."""
        return self.sees_all or is_open_to(self.personas, document.personas)

    def knows_owner(self, document: Document) -> bool:
        """Whether the scope may be told who brought a document."""
        return self.curates or document.owner == self.user


@dataclass(frozen=True, slots=True)
class Document:
    """A source. No personas means that it is open to all of them.

    The owner is the user who brought it; without one it is of whoever runs the store.
    """

    id: str
    title: str = ""
    url: str = ""
    source_type: str = ""
    language: str = ""
    tags: frozenset[str] = frozenset()
    personas: frozenset[str] = frozenset()
    created: datetime | None = None
    modified: datetime | None = None
    reputation: float = 0.5
    metadata: Mapping[str, str] = field(default_factory=dict)
    owner: str = ""


def is_open_to(personas: frozenset[str], audience: frozenset[str]) -> bool:
    """Whether what an audience may see is there for one of these personas; no audience is all."""
    return not audience or not personas.isdisjoint(audience)


def personas_as_json(personas: frozenset[str]) -> str | list[str] | None:
    """Return personas as keys and records keep them: one as its name, several in order."""
    ordered = sorted(personas)
    return ordered if len(ordered) > 1 else next(iter(ordered), None)


def is_own(name: str) -> bool:
    """Whether Sextant keeps what has this name for itself."""
    return name.startswith(OWN)


def timestamp_field(chunk_id: str) -> str:
    """Return under which name a document's metadata hold when one of its passages was written."""
    is_short = len(chunk_id) <= _LONGEST_NAMED
    name = chunk_id if is_short else sha256(chunk_id.encode("utf-8", "replace")).hexdigest()
    return f"{OWN}timestamp:{name}"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document: ``document_text[start:end] == text``."""

    id: str
    text: str
    start: int = 0
    end: int = 0
    headings: tuple[str, ...] = ()
    page: int | None = None
    entity_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing with a name; what a reader sees is what the visible documents say of it."""

    id: str
    name: str
    type: str = ""
    aliases: frozenset[str] = frozenset()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Definition:
    """One document's word on an entity, what the document is worth, and who may see it."""

    entity: Entity
    document_id: str
    reputation: float
    personas: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed edge.

    Written, each evidence chunk is one contribution of this confidence and weight. Read, confidence
    is the highest of the contributions, weight their sum, support their number. An id is what a
    source calls the edge; it is kept with the unit, and edges that were added up have none.
    """

    source: str
    target: str
    kind: str
    confidence: float = 1.0
    weight: float = 1.0
    evidence: tuple[str, ...] = ()
    support: int = 1
    id: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """What the pieces of a chunk's text are about: where each stands, and a vector in bytes.

    ``spans`` has a row of start and end for each piece, ``text[start:end]``; ``codes`` has where it
    points, without a length. A row of zeros says that nothing is known of the piece.
    """

    spans: NDArray[np.int32]
    codes: NDArray[np.int8]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pieces) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    @property
    def _bytes(self) -> tuple[bytes, bytes]:
        return self.spans.tobytes(), self.codes.tobytes()


@dataclass(frozen=True, slots=True)
class Put:
    """Replace a document and all it brought; the same key again does nothing. No key: a digest.

    With ``over``, only if the version that is there is this one; of "" there may be none. Pieces
    come with vectors or not at all; a chunk may have none.
    """

    document: Document
    chunks: tuple[Chunk, ...] = ()
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    vectors: NDArray[np.float32] | None = field(default=None, compare=False)
    key: str = ""
    over: str | None = None
    pieces: tuple[Pieces | None, ...] | None = field(default=None, compare=False)

    @property
    def document_id(self) -> str:
        """The id of the document."""
        return self.document.id


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete a document and retract all it brought; with ``over``, only that version of it."""

    document_id: str
    over: str | None = None


Change = Put | Remove


@dataclass(frozen=True, slots=True)
class Receipt:
    """A durable write: every read from this commit number on sees it.

    ``before`` is the commit that the changes were applied to: whoever knows another one missed what
    somebody else wrote. Where nothing changed, both are the same. Commit numbers only grow; they
    need not be dense, so nothing follows from how far apart two of them are.
    """

    commit: int
    before: int
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to do something alone for a time.

    The token is higher than those of all holders before; ``is_wanted`` says that others wait.
    """

    name: str
    holder: str
    token: int
    is_wanted: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with the document, and the version of it, that it stands in."""

    chunk: Chunk
    document: Document
    version: str

    @property
    def timestamp(self) -> datetime | None:
        """When the passage itself was written, where that is known apart from its document."""
        try:
            return datetime.fromisoformat(self.document.metadata[timestamp_field(self.chunk.id)])
        except (KeyError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class Match:
    """A passage that was found: the score that ordered it, and that of each leg that was asked.

    The vector score is the cosine. The keyword score is BM25 with the numbers of ``text/bm25.py``,
    over the chunks that the scope sees, unless what was found says that scores are not exact.
    """

    passage: Passage
    score: float
    keyword: float | None = None
    vector: float | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The matches, best first, and the commit at which they hold.

    ``frequencies`` says of each term of the text how many of the visible chunks hold it. Keyword
    scores that are not exact are on any scale that is the same for all matches of a text: 0 where
    no word is held, and more for a better match. Behind is a search that may lack changes which
    the truth already has.
    """

    matches: tuple[Match, ...]
    commit: int
    frequencies: Mapping[str, int] = field(default_factory=dict)
    chunks: int = 0
    has_exact_scores: bool = True
    is_behind: bool = False


class Direction(StrEnum):
    """Which way to follow an edge."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Walk:
    """How to leave the seeds. A node with more than per_node edges keeps its best ones."""

    kinds: frozenset[str] = frozenset()
    direction: Direction = Direction.BOTH
    hops: int = 1
    per_node: int = 50
    limit: int = 500


@dataclass(frozen=True, slots=True)
class Link:
    """An edge that a walk crossed, and at which hop."""

    relation: Relation
    hop: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The links, nearest and strongest first; nodes in capped had more than was followed."""

    links: tuple[Link, ...]
    capped: tuple[str, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a web goes: with no hop it only counts, and it holds at most ``limit`` chunks.

    Of an entity with more than per_entity mentions, only the chunks about it are followed, and none
    if there are more than per_subject of these. The same goes for every entity at a hop that would
    exceed the limit; then the first chunks by id are taken. An edge of the kind ``about`` says what
    its document is about.
    """

    hops: int = 2
    per_entity: int = 16
    per_subject: int = 64
    limit: int = 1000
    about: str = "about"


@dataclass(frozen=True, slots=True)
class Web:
    """Who is mentioned where, round some seeds: pairs of a chunk and an entity by number.

    ``about`` marks the pairs whose document is about the entity. ``mentions`` and ``abouts`` count
    all chunks that the scope sees for each entity, also those out of reach. Only entities that were
    asked for and that some chunk mentions are in ``entities``, under their numbers.
    """

    chunk_ids: tuple[str, ...]
    entities: Mapping[str, int]
    chunk: NDArray[np.int64] = field(compare=False)
    entity: NDArray[np.int64] = field(compare=False)
    about: NDArray[np.bool_] = field(compare=False)
    mentions: NDArray[np.int64] = field(compare=False)
    abouts: NDArray[np.int64] = field(compare=False)


class NameMode(StrEnum):
    """How a name must fit. Case, spacing and punctuation never matter.

    By word, what is sought stands anywhere in the name, in whole words.
    """

    EXACT = "exact"
    PREFIX = "prefix"
    WORD = "word"
    FUZZY = "fuzzy"


@dataclass(frozen=True, slots=True)
class NameMatch:
    """An entity whose name or alias fits, and how well (1.0 is exact)."""

    entity: Entity
    matched: str
    score: float


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is, as far as the scope can see."""

    documents: int = 0
    chunks: int = 0
    entities: int = 0
    relations: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """The tags and source types in use, as far as the scope can see, with their documents."""

    tags: Mapping[str, int] = field(default_factory=dict)
    source_types: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread's state. Version 0 means that it does not exist; each save and append adds 1."""

    id: str
    state: str = ""
    version: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody thought of an answer or a source; number is given by the store."""

    subject: str
    verdict: str
    user: str = ""
    comment: str = ""
    at: datetime | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which embedder made a vector. Vectors of two identities cannot be compared."""

    name: str
    width: int
