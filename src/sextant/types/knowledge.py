"""The nouns of what is stored: documents, entities, relations, and who may see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
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
    return _field("timestamp", chunk_id)


def title_field(chunk_id: str) -> str:
    """Return under which name a document's metadata hold what one of its passages is called."""
    return _field("title", chunk_id)


def url_field(chunk_id: str) -> str:
    """Return under which name a document's metadata hold where one of its passages is read."""
    return _field("url", chunk_id)


def _field(what: str, chunk_id: str) -> str:
    is_short = len(chunk_id) <= _LONGEST_NAMED
    name = chunk_id if is_short else sha256(chunk_id.encode("utf-8", "replace")).hexdigest()
    return f"{OWN}{what}:{name}"


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

    Only where the version that is there has no vectors, the same key again may bring them.
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
