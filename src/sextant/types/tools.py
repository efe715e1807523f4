"""Tools, how they belong together, how they were used, and what is selected of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ToolLink(StrEnum):
    """In which ways one tool belongs to another, from the source to the target."""

    DEPENDS_ON = "DEPENDS_ON"
    OFTEN_USED_WITH = "OFTEN_USED_WITH"
    PRECEDES = "PRECEDES"
    ALTERNATIVE_TO = "ALTERNATIVE_TO"
    REPLACES = "REPLACES"
    MUTUALLY_EXCLUSIVE = "MUTUALLY_EXCLUSIVE"
    OPTIMIZES = "OPTIMIZES"
    VALIDATES = "VALIDATES"


USE_PERIOD = timedelta(days=30)
"""Uses are counted for each period, so that older ones can weigh less and still be taken back."""

BELONGS_TO = "BELONGS_TO"
"""How a tool belongs to its category; each tool says so itself."""


class LinkOrigin(StrEnum):
    """Who says that two tools belong together."""

    DECLARED = "declared"
    """A person, or the author of the catalogue."""
    IMPORTED = "imported"
    """A description of the tools: a link, or a parameter that another tool returns."""
    LEARNT = "learnt"
    """Their use."""


class Outcome(StrEnum):
    """How it went; of what failed, nothing is learnt but that it was tried."""

    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a copilot can call. No personas means that it is open to all of them.

    The source says which import it came with, and the flags what is suspicious about it. How often
    it was used is for the store to say; what is written here counts only where the tool is new.
    """

    id: str
    name: str = ""
    category: str = ""
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    returns: Mapping[str, Any] = field(default_factory=dict)
    server: str = ""
    source: str = ""
    personas: frozenset[str] = frozenset()
    entity_ids: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    usage: int = 0


@dataclass(frozen=True, slots=True)
class Category:
    """A group of tools, and what it is for."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class ToolRelation:
    """How one tool belongs to another; what does not apply to its kind stays unset."""

    source: str
    target: str
    kind: ToolLink
    confidence: float | None = None
    co_occurrences: int | None = None
    required: bool = True
    """Of a dependency: whether the source cannot do without the target."""
    reason: str = ""
    seconds_between: float | None = None
    version: str = ""
    deprecated_at: datetime | None = None
    origin: LinkOrigin = LinkOrigin.DECLARED

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from all others."""
        return self.source, self.target, self.kind.value


@dataclass(frozen=True, slots=True, eq=False)
class StoredTool:
    """A tool with the vectors of its name and of its whole text, if they were made."""

    tool: Tool
    vectors: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A unit of work on a catalogue: all of it is done, or nothing.

    A tool that goes takes its relations with it. A relation may name a tool that is not there: it
    counts once the tool comes.
    """

    puts: tuple[StoredTool, ...] = ()
    removed: tuple[str, ...] = ()
    categories: tuple[Category, ...] = ()
    relations: tuple[ToolRelation, ...] = ()
    unrelated: tuple[tuple[str, str, str], ...] = ()
    """The keys of relations that go."""


@dataclass(frozen=True, slots=True)
class ToolState:
    """How often a catalogue changed, the number of the last use, and how many were forgotten.

    Equal states mean that nothing was written in between but how often tools were used.
    """

    catalogue: int = 0
    uses: int = 0
    forgotten: int = 0
    history: str = ""


@dataclass(frozen=True, slots=True)
class UsedTool:
    """A tool that was called, and when, if that is known."""

    tool_id: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ToolUse:
    """What was asked for, and the tools that were called for it, in order.

    The number is the store's: uses are numbered as they come in. The id is the caller's, who can
    have the use forgotten by it; one that is recorded again under its id is not counted twice.
    """

    id: str
    calls: tuple[UsedTool, ...]
    request: str = ""
    user: str = ""
    at: datetime | None = None
    outcome: Outcome = Outcome.DONE
    vector: NDArray[np.float32] | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class PairCount:
    """How often two tools were used in one session, and one right after the other, in a period.

    A pair is counted in both directions: together is the same in both, followed is not.
    """

    source: str
    target: str
    user: str
    period: int
    together: int = 0
    followed: int = 0
    timed: int = 0
    milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class ToolCount:
    """In how many sessions a tool was used in a period, and in how many with others."""

    tool_id: str
    user: str
    period: int
    sessions: int = 0
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Habits:
    """All that was counted of a tenant's uses, up to a state."""

    state: ToolState = ToolState()
    tools: tuple[ToolCount, ...] = ()
    pairs: tuple[PairCount, ...] = ()


@dataclass(frozen=True, slots=True)
class RelatedQuery:
    """Which related tools are wanted of some tools; no categories means all."""

    tool_ids: tuple[str, ...]
    allowed_categories: frozenset[str] | None = None
    max_related: int = 3
    min_confidence: float = 0.5


@dataclass(frozen=True, slots=True)
class RelatedTool:
    """A tool that belongs to those that were given, how surely, and over which path."""

    tool: Tool
    confidence: float
    path: tuple[ToolRelation, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class RelatedTools:
    """What belongs to some tools: the required first, then the surest.

    Those that were asked for and are not there, and the required ones that a category forbids, are
    named; found counts the candidates before the best were taken.
    """

    tools: tuple[RelatedTool, ...] = ()
    unknown: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    found: int = 0
    depth: int = 0


@dataclass(frozen=True, slots=True)
class AlternativeTool:
    """A tool that can stand in for another one."""

    tool: Tool
    confidence: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ToolStats:
    """How large a tenant's tool graph is, and which tools are used most."""

    tools: int = 0
    categories: Mapping[str, int] = field(default_factory=dict)
    relations: Mapping[str, int] = field(default_factory=dict)
    uses: int = 0
    most_used: tuple[tuple[str, int], ...] = ()
