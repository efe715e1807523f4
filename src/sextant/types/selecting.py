"""What is asked of a toolbox, and the few tools that come back, each with its reasons."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sextant.types.tools import Tool


class Detail(StrEnum):
    """How much of a tool's description is shown to a model."""

    FULL = "full"
    """The name, the whole description and the whole schema, as compact JSON."""
    TRIMMED = "trimmed"
    """The first sentence, and of each parameter its name, type and choices."""
    SIGNATURE = "signature"
    """One line: the name, the parameters with their types, and what it is for."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """What somebody wants done, and what the tools for it may be. No categories means all.

    At most k tools come back, unless the best match alone needs more. Excluded tools are not
    wanted; unavailable ones are wanted and cannot be called now, so that others stand in for them,
    and so are all tools of an unavailable server. No servers means all.
    """

    text: str
    k: int = 5
    token_budget: int | None = None
    allowed_categories: frozenset[str] | None = None
    excluded: frozenset[str] = frozenset()
    unavailable: frozenset[str] = frozenset()
    servers: frozenset[str] | None = None
    unavailable_servers: frozenset[str] = frozenset()


class LeftOutBecause(StrEnum):
    """Why a tool that matches is not among the selected ones."""

    EXCLUDED = "excluded"
    UNAVAILABLE = "unavailable"
    FORBIDDEN = "forbidden"
    """It needs a tool of a category or for a persona that is not allowed."""
    CONFLICT = "conflict"
    """It must not be used together with one that is selected."""
    REPLACED = "replaced"
    COUNT = "count"
    """With all that it needs there would be more tools than were asked for."""
    BUDGET = "budget"
    """Its shortest form, with those that it needs, does not fit into the token budget."""


@dataclass(frozen=True, slots=True)
class SelectedTool:
    """A tool that is needed: how well it fits, what of it is shown, and why it is here.

    The rank is its place by worth, from 1; the selection itself is in the order of use.
    """

    tool: Tool
    score: float
    rank: int
    detail: Detail
    text: str
    tokens: int
    reasons: tuple[str, ...] = ()
    required_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A tool that matches and is not selected, and why."""

    tool_id: str
    because: LeftOutBecause
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The tools for a request, in the order of use, within the budget."""

    tools: tuple[SelectedTool, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    tokens: int = 0

    @property
    def ranked(self) -> tuple[SelectedTool, ...]:
        """The same tools, the best match first."""
        return tuple(sorted(self.tools, key=lambda one: one.rank))


@dataclass(frozen=True, slots=True)
class PredictedTool:
    """A tool that is likely to be called next, and how likely."""

    tool: Tool
    probability: float
    seconds_between: float | None = None
    reason: str = ""
