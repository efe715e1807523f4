"""The nouns of a question on its way to an answer. What they hold is plain and can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import TypeAlias

from sextant.types.finding import SELDOM, Direction, Passage
from sextant.types.knowledge import Relation

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


class Role(StrEnum):
    """Who spoke in a conversation."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Cue:
    """A word that asks for relations: their kinds, and the way from the entity that is named."""

    kinds: frozenset[str]
    direction: Direction
    word: str


@dataclass(frozen=True, slots=True)
class Weights:
    """What each of the four R counts for; only their proportions matter."""

    relevancy: float = 0.74
    recency: float = 0.04
    richness: float = 0.02
    reputation: float = 0.2


@dataclass(frozen=True, slots=True)
class Preferences:
    """Weights of which some may be left open: those are a profile's, or the usual ones."""

    relevancy: float | None = None
    recency: float | None = None
    richness: float | None = None
    reputation: float | None = None

    def over(self, base: Weights) -> Weights:
        """Return the weights that these make, with those of a base where they are open."""
        given = {item.name: getattr(self, item.name) for item in fields(self)}
        return replace(base, **{name: own for name, own in given.items() if own is not None})

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left open."""
        return None not in (self.relevancy, self.recency, self.richness, self.reputation)


@dataclass(frozen=True, slots=True)
class Scores:
    """The four R of a hit, each in 0 to 1, and their weighted sum after every deduction."""

    relevancy: float
    recency: float
    richness: float
    reputation: float
    total: float


@dataclass(frozen=True, slots=True)
class Legs:
    """How each way of finding scored a passage; None where it was not asked or did not find it."""

    keyword: float | None = None
    vector: float | None = None
    graph: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """One entry of a ledger: what an R scored, what it counts for, and the points it brought."""

    name: str
    score: float
    weight: float
    points: float


@dataclass(frozen=True, slots=True)
class Ledger:
    """Why a hit stands where it stands, and what would have moved it."""

    shares: tuple[Share, ...] = ()
    notes: tuple[str, ...] = ()
    turning: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked passage; marks tell what to be careful with, such as ``order``."""

    passage: Passage
    scores: Scores
    legs: Legs = Legs()
    ledger: Ledger = Ledger()
    why: str = ""
    marks: tuple[str, ...] = field(default=(), metadata=SELDOM)


@dataclass(frozen=True, slots=True)
class Linked:
    """A name in a question and an entity that it may mean; several of one span are ambiguous."""

    entity_id: str
    name: str
    matched: str
    start: int
    end: int
    score: float
    how: str


@dataclass(frozen=True, slots=True)
class Path:
    """A way through the graph: one entity more than relations, each crossed either way."""

    entity_ids: tuple[str, ...]
    relations: tuple[Relation, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class KeyPoint:
    """Something that the evidence says, and the chunk that says it."""

    text: str
    chunk_id: str


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A query that would help, and what for."""

    query: str
    goal: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the evidence is enough, how sure that is, and what is missing as questions back."""

    sufficient: bool
    confidence: float
    key_points: tuple[KeyPoint, ...] = ()
    missing: tuple[str, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A source that was used: ``document_text[start:end] == quote`` in this version of it."""

    label: str
    chunk_id: str
    document_id: str
    title: str
    url: str
    quote: str
    start: int
    end: int
    version: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A part of an answer as Markdown and the labels of the citations that it rests on.

    Usually it is a block: a run of a page under its headings, in which ``text[start:end]`` of the
    span that is marked answers the question; one that goes on stands behind the block before it,
    under the same headings. Read off the graph, it carries the relations that say
    it; written, it is a model's own words for what its sources say; else it is a sentence that is
    quoted. One that says otherwise contradicts what was said.
    """

    text: str
    labels: tuple[str, ...]
    relations: tuple[Relation, ...] = ()
    written: bool = field(default=False, metadata=SELDOM)
    otherwise: bool = field(default=False, metadata=SELDOM)
    block: bool = field(default=False, metadata=SELDOM)
    headings: tuple[str, ...] = field(default=(), metadata=SELDOM)
    goes_on: bool = field(default=False, metadata=SELDOM)
    marked: tuple[int, ...] = field(default=(), metadata=SELDOM)

    @property
    def has_point(self) -> bool:
        """Whether what is marked is a part of the text; a saved answer may say anything."""
        match self.marked:
            case (start, end):
                return 0 <= start < end <= len(self.text)
            case _:
                return False

    @property
    def point(self) -> str:
        """What answers the question, or all of it where nothing is marked."""
        return self.text[slice(*self.marked)] if self.has_point else self.text


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of the line did. How long it took is told, but never compared."""

    name: str
    facts: Mapping[str, Json] = field(default_factory=dict)
    fallback: str = ""
    milliseconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Trace:
    """The whole way: what the listener heard, in order, on which day and at which commit.

    The locale is the one that was asked in, if any.
    """

    now: str
    commit: int
    steps: tuple[Step, ...] = ()
    locale: str = field(default="", metadata=SELDOM)

    def step(self, name: str) -> Step | None:
        """Return the first step of this name."""
        return next((step for step in self.steps if step.name == name), None)


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """What an outside retriever is asked: one query, what it is for, and a filter as OData."""

    question: str
    query: str
    goal: str = ""
    filter: str = ""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What an outside retriever found, best first: texts, and the source of each.

    Left out are those beyond the most that are taken.
    """

    query_used: str
    texts: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Rephrased:
    """A question in other words; ``model`` tells who found them, where it was a model."""

    texts: tuple[str, ...] = ()
    model: Mapping[str, Json] = field(default_factory=dict)
    fallback: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A passage that was chosen among others, and why."""

    chunk_id: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Reordered:
    """Passages that belong in front, best first; ``model`` as for a question in other words."""

    chosen: tuple[Chosen, ...] = ()
    model: Mapping[str, Json] = field(default_factory=dict)
    fallback: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a search found, best first, and how."""

    hits: tuple[Hit, ...]
    trace: Trace


class AnswerState(StrEnum):
    """What an answer is: known, what comes nearest to it, or that nothing was found."""

    KNOWN = "known"
    NEAREST = "nearest"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in Markdown, whose every statement cites what it rests on."""

    question: str
    text: str
    verdict: Verdict
    statements: tuple[Statement, ...] = ()
    citations: tuple[Citation, ...] = ()
    trace: Trace = Trace("", 0)

    @property
    def state(self) -> AnswerState:
        """Whether it is known, or what is told only comes nearest, or nothing is told."""
        if self.verdict.sufficient:
            return AnswerState.KNOWN
        return AnswerState.NEAREST if self.statements else AnswerState.NOTHING
