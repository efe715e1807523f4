"""Uses as others tell them: of what they name, only tools that exist are recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sextant.ports import ToolGraph
from sextant.types import Scope, ToolUse


@dataclass(frozen=True, slots=True)
class RecordedUses:
    """How many uses are new, how many had been recorded before, and what they named in vain.

    A use of which no tool exists is left out; of the others, the tools that do count.
    """

    new: int = 0
    again: int = 0
    left_out: int = 0
    unknown: tuple[str, ...] = ()


async def keep_known_tools(
    graph: ToolGraph, scope: Scope, uses: Sequence[ToolUse]
) -> tuple[list[ToolUse], tuple[str, ...]]:
    """Return uses with those of their tools that the scope sees, and the ids of the others."""
    named = dict.fromkeys(call.tool_id for use in uses for call in use.calls)
    known = await graph.tools(scope, list(named))
    kept = []
    for use in uses:
        calls = tuple(call for call in use.calls if call.tool_id in known)
        if calls:
            kept.append(replace(use, calls=calls))
    return kept, tuple(name for name in named if name not in known)
