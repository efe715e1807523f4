"""What a session of tool calls counts for. Sums of these do not depend on any order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations

from sextant.types import USE_PERIOD, Outcome, PairCount, ToolCount, ToolUse, UsedTool

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def period_of(moment: datetime | None) -> int:
    """Return the number of the period that a moment is in; what has no date is of the first."""
    return 0 if moment is None else (moment - _EPOCH) // USE_PERIOD


def tool_counts(use: ToolUse) -> list[ToolCount]:
    """Return what a session counts for each of its tools."""
    tools, period = _distinct(use), period_of(use.at)
    shared = int(len(tools) > 1 and use.outcome is Outcome.DONE)
    return [ToolCount(tool, use.user, period, 1, shared) for tool in tools]


def pair_counts(use: ToolUse) -> list[PairCount]:
    """Return what a session counts for each pair of its tools; one that failed, for none."""
    if use.outcome is not Outcome.DONE:
        return []
    period, steps = period_of(use.at), dict(_steps(use))
    return [
        PairCount(first, second, use.user, period, 1, *_followed(steps, first, second))
        for first, second in permutations(_distinct(use), 2)
    ]


def _distinct(use: ToolUse) -> list[str]:
    return list(dict.fromkeys(call.tool_id for call in use.calls))


def _steps(use: ToolUse) -> Iterator[tuple[tuple[str, str], int | None]]:
    """Yield each step from one tool to another, the first of its kind last, with its time."""
    steps = [(one, two) for one, two in pairwise(use.calls) if one.tool_id != two.tool_id]
    for one, two in reversed(steps):
        yield (one.tool_id, two.tool_id), _milliseconds(one, two)


def _milliseconds(one: UsedTool, two: UsedTool) -> int | None:
    if one.at is None or two.at is None:
        return None
    return max(0, (two.at - one.at) // timedelta(milliseconds=1))


def _followed(
    steps: dict[tuple[str, str], int | None], first: str, second: str
) -> tuple[int, int, int]:
    if (first, second) not in steps:
        return 0, 0, 0
    taken = steps[first, second]
    return (1, 0, 0) if taken is None else (1, 1, taken)
