"""Which tool comes next, by what followed before and by what is declared to follow."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.toolbox.index import ToolIndex
from sextant.toolbox.learn.habits import WeighedHabits
from sextant.types import PredictedTool, ToolLink

_EARLIER = 0.5
"""What the company of the tools before the last one counts beside what followed the last."""


def predict_next(
    index: ToolIndex, habits: WeighedHabits, called: Sequence[str], limit: int
) -> tuple[PredictedTool, ...]:
    """Return what is likely to be called after some tools, the likeliest first.

    What followed the last tool decides; the tools before it raise those that were used with them.
    Where nothing was learnt, what is declared to follow counts with its confidence.
    """
    if not called:
        return ()
    found = _followers(index, habits, called[-1])
    company = _company(habits, called[:-1])
    likely = {
        name: (share * (1 + _EARLIER * company.get(name, 0.0)), seconds, reason)
        for name, (share, seconds, reason) in found.items()
        if name in index.places
    }
    total = max(1.0, sum(own[0] for own in likely.values()))
    ranked = sorted(likely, key=lambda name: (-likely[name][0], name))[:limit]
    return tuple(
        PredictedTool(index.tools[index.places[name]], likely[name][0] / total, *likely[name][1:])
        for name in ranked
    )


_Follower = tuple[float, float | None, str]


def _followers(index: ToolIndex, habits: WeighedHabits, last: str) -> dict[str, _Follower]:
    steps = {
        target: pair
        for (source, target), pair in habits.supported().items()
        if source == last and pair.followed > 0
    }
    total = sum(pair.followed for pair in steps.values())
    found = {
        relation.target: (
            1.0 if relation.confidence is None else relation.confidence,
            relation.seconds_between,
            f"It is declared to come after {last}.",
        )
        for relation in index.relations
        if relation.kind is ToolLink.PRECEDES and relation.source == last
    }
    for target, pair in steps.items():
        share = pair.followed / total
        reason = f"It followed {last} in {share:.0%} of the cases."
        if share >= found.get(target, (0.0,))[0]:
            found[target] = share, pair.seconds, reason
    return found


def _company(habits: WeighedHabits, tools: Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for (source, target), pair in habits.supported().items():
        sessions = habits.shared.get(source, 0.0)
        if source in tools and sessions > 0:
            found[target] = max(found.get(target, 0.0), pair.together / sessions)
    return found
