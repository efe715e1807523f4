"""What flows along the ingest line. Knows no format, no place of origin and no store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from sextant.errors import SextantError
from sextant.types import Chunk, Entity


@dataclass(frozen=True, slots=True)
class Item:
    """Bytes with a name. The path is relative, has slashes, and is unique in its source."""

    path: str
    load: Callable[[], bytes]
    size: int = 0
    modified: datetime | None = None
    url: str = ""
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that was not taken in, and why. Skipped is what nobody would expect to be read."""

    path: str
    error: SextantError
    skipped: bool = False


class MissingKind(StrEnum):
    """What can be referred to that is not there."""

    CHUNK = "chunk"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Something that is not there yet, and some of the records that refer to it."""

    kind: MissingKind
    id: str
    needed_by: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}, named by {', '.join(self.needed_by)}"


class Kind(StrEnum):
    """What a block is, which decides where it may be cut."""

    HEADING = "heading"
    TEXT = "text"
    LIST = "list"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the text that reads as one: ``text[start:end]``, with no blank at its ends.

    A heading's ``name`` is its plain text, its ``level`` counts from 1. ``cuts`` are places inside
    where the block may be cut best, such as the rows of a table; sentences and lines need none.
    """

    kind: Kind
    start: int
    end: int
    level: int = 0
    name: str = ""
    page: int | None = None
    cuts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Hyperlink:
    """A link in the text, as it was written there."""

    target: str
    label: str
    at: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that the source states outright, such as an owner in a catalogue."""

    source: str
    target: str
    kind: str
    confidence: float = 1.0
    evidence: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class GivenVector:
    """A chunk's vector as it came, and the name of the embedder that made it."""

    embedder: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """One document as a reader understood it.

    Blocks are in order and do not overlap. ``part`` tells apart the documents of one item (a record
    of a JSON Lines file, a message of a mailbox). ``chunks`` are given by sources that come split,
    and ``vectors`` of these, by id, by sources that name who made them.
    The ``id`` is what its sender calls it, which counts where senders may choose; the ``sort`` is
    what sort of source it says it is, where that is another than how it was written. The ``owner``
    is who brought it to where it was exported. ``own_names`` are the titles and addresses of chunks
    that have some of their own, under the names that metadata have for them.
    """

    text: str
    blocks: tuple[Block, ...] = ()
    part: str = ""
    title: str = ""
    url: str = ""
    source_type: str = ""
    language: str = ""
    created: datetime | None = None
    modified: datetime | None = None
    tags: frozenset[str] = frozenset()
    aliases: frozenset[str] = frozenset()
    links: tuple[Hyperlink, ...] = ()
    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    id: str = ""
    sort: str = ""
    vectors: Mapping[str, GivenVector] = field(default_factory=dict)
    owner: str = ""
    own_names: Mapping[str, str] = field(default_factory=dict)
