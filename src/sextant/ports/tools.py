"""Tools: a catalogue, its use, and the paths between its tools. Another engine may hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sextant.types import (
        AlternativeTool,
        Category,
        Habits,
        RelatedQuery,
        RelatedTools,
        Scope,
        StoredTool,
        ToolChange,
        ToolRelation,
        ToolState,
        ToolStats,
        ToolUse,
    )


class ToolCatalogue(Protocol):
    """Which tools there are, and what was said of how they belong together.

    A tool that none of the scope's personas may see does not exist for it, in any call here.
    """

    async def state(self, scope: Scope) -> ToolState:
        """Return how often the tenant's tools changed."""

    async def change_tools(self, scope: Scope, change: ToolChange) -> ToolState:
        """Make all of a change durable, or nothing; the usage of a tool that is there stays."""

    async def read_tools(
        self, scope: Scope, after: str = "", limit: int = 1_000
    ) -> Sequence[StoredTool]:
        """Return a page of tools in the order of their ids, each with its usage."""

    async def tools(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, StoredTool]:
        """Return those of these tools that exist."""

    async def relations(
        self, scope: Scope, ids: Sequence[str] | None = None
    ) -> Sequence[ToolRelation]:
        """Return the declared and imported relations, all or those of some tools, by their keys."""

    async def categories(self, scope: Scope) -> Sequence[Category]:
        """Return the categories that were described, by name."""


class ToolUses(Protocol):
    """How tools were used: sessions as they came in, and what was counted of them.

    Counts do not depend on the order in which uses are recorded, and a use that is forgotten leaves
    them as if it had never been.
    """

    async def record_uses(self, scope: Scope, uses: Sequence[ToolUse]) -> int:
        """Record sessions, all or none, and return how many of them are new."""

    async def forget_uses(self, scope: Scope, ids: Sequence[str]) -> int:
        """Take sessions back with all that was counted of them; return how many existed."""

    async def read_uses(
        self, scope: Scope, after: int = 0, limit: int = 1_000
    ) -> Sequence[ToolUse]:
        """Return a page of sessions in the order in which they came in."""

    async def keep_vectors(self, scope: Scope, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        """Keep the vectors of requests by the numbers of their uses, as far as these exist."""

    async def habits(self, scope: Scope) -> Habits:
        """Return all that was counted."""

    async def add_usage(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to the usage of tools, all or none, and return their new usage, or raise NotFound."""


class ToolPaths(Protocol):
    """What belongs to a tool, found where the graph is.

    Learnt edges join two tools that were used together at least twice, with the confidence
    co-occurrences / max(usage of both); a declared edge between them stands before it.
    """

    async def related(self, scope: Scope, query: RelatedQuery) -> RelatedTools:
        """Follow OFTEN_USED_WITH and DEPENDS_ON in both directions, two hops at most.

        One hop is worth the confidence of its edge, two hops half of the product; an edge without a
        confidence is worth 1. Required dependencies come first, whatever they are worth.
        """

    async def alternatives(
        self,
        scope: Scope,
        tool_id: str,
        allowed_categories: frozenset[str] | None = None,
        limit: int = 10,
    ) -> Sequence[AlternativeTool]:
        """Return what can stand in for a tool, in either direction, the surest first."""

    async def tool_stats(self, scope: Scope) -> ToolStats:
        """Count what there is."""


class ToolGraph(ToolCatalogue, ToolUses, ToolPaths, Protocol):
    """All three; a store has one beside its five parts, or another engine takes its place."""

    async def close(self) -> None:
        """Let go of what is open; the part of a store is closed with the store."""
