"""The nouns of what a store finds: passages, names, neighbours, and how much there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from sextant.types.knowledge import (
    Chunk,
    Document,
    Entity,
    Relation,
    timestamp_field,
    title_field,
    url_field,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SELDOM = {"seldom": True}
"""Marks a field that is left out where it is as usual when a noun is told as JSON."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with the document, and the version of it, that it stands in."""

    chunk: Chunk
    document: Document
    version: str

    @property
    def title(self) -> str:
        """What the passage is called: by itself, where that is known, or as its document."""
        return self.document.metadata.get(title_field(self.chunk.id)) or self.document.title

    @property
    def url(self) -> str:
        """Where the passage is read."""
        return self.document.metadata.get(url_field(self.chunk.id)) or self.document.url

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

    The vector score is the cosine. There is none where the passage is not embedded, that is, has no
    vector yet; an engine that knows tells so of every search by a vector. The keyword score is BM25
    with the numbers of ``text/bm25.py``, over the chunks that the scope sees, unless what was found
    says that scores are not exact.
    """

    passage: Passage
    score: float
    keyword: float | None = None
    vector: float | None = None
    is_embedded: bool = field(default=True, metadata=SELDOM)


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
