"""From a request to the few tools that it needs: match, relate, fit, in the order of use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sextant.toolbox.fit.levels import choose_forms
from sextant.toolbox.fit.order import order_places
from sextant.toolbox.index import ToolIndex
from sextant.toolbox.match.score import WEAK, Match, Scores, Wanted, match_tools
from sextant.toolbox.match.twins import rank_apart
from sextant.toolbox.relate.closure import Barred
from sextant.toolbox.relate.pick import Picked, Picker, Room
from sextant.types import LeftOutBecause, SelectedTool, Selection, ToolRequest

_CONSIDERED = 50
"""Tools beyond those that are wanted which are looked at when better ones cannot be taken."""


def select(index: ToolIndex, request: ToolRequest, wanted: Wanted) -> Selection:
    """Return the tools for a request, within its budget, each with its reasons."""
    allowed = index.in_categories(request.allowed_categories) & index.of_servers(request.servers)
    match = match_tools(index.matchable, wanted, allowed, index.words)
    matched = match.scores
    recalled = _recall(index, wanted.vectors[0])
    scores, through = index.co_use.spread(matched + index.trust * recalled)
    picker = Picker(
        index.ids,
        index.links,
        _barring(index, request, allowed),
        Room(request.k, request.token_budget),
        lambda place: index.forms[place].least,
        index.co_use.share,
    )
    ranking = rank_apart(_ranking(scores, request.k + _CONSIDERED), scores, index.matchable.texts)
    picked = _pick(picker, ranking, match)
    forms = choose_forms([index.forms[own] for own in picked.places], request.token_budget)
    shown = dict(zip(picked.places, forms, strict=True))
    explain = _explaining(index, picked, matched, recalled, through)
    ranks = {place: rank for rank, place in enumerate(picked.places, 1)}
    links = index.links
    as_asked = sorted(picked.places, key=lambda own: _clause_served(own, picked, match))
    ordered = order_places(as_asked, picked.needs, links.needs, links.before, index.earlier)
    tools = tuple(
        SelectedTool(
            index.tools[own],
            float(scores[own]),
            ranks[own],
            shown[own].detail,
            shown[own].text,
            shown[own].tokens,
            explain(own),
            tuple(index.tools[by].id for by in picked.needed_by.get(own, ())),
        )
        for own in ordered
    )
    return Selection(
        tools,
        tuple(picked.left_out),
        (*picked.warnings, *_weak(tools, scores), *_flagged(tools)),
        wanted.clauses,
        sum(one.tokens for one in tools),
    )


def _clause_served(place: int, picked: Picked, match: Match) -> int:
    """Return the first clause that a tool is there for: its own, or that of who needs it."""
    return min(
        map(match.clause_of, picked.needed_by.get(place, ())), default=match.clause_of(place)
    )


def _weak(tools: Sequence[SelectedTool], scores: Scores) -> Iterator[str]:
    """Say that nothing fits well: what no tool is for gets the nearest ones all the same."""
    best = float(np.max(scores, initial=0.0))
    if tools and best < WEAK:
        yield f"No tool matches well: the best has {best:.2f}, a good match {WEAK:g} or more."


def _flagged(tools: Sequence[SelectedTool]) -> Iterator[str]:
    """Say which tools were found suspicious when they were taken in; their texts are data here."""
    for one in tools:
        if one.tool.flags:
            yield f"{one.tool.id} is suspicious: {', '.join(one.tool.flags)}."


def _recall(index: ToolIndex, vector: NDArray[np.float32]) -> Scores:
    if index.memory is None or not index.trust:
        return np.zeros(len(index.tools), np.float32)
    return index.memory.recall(vector, len(index.tools))


def _barring(index: ToolIndex, request: ToolRequest, allowed: NDArray[np.bool_]) -> Barred:
    def barred(place: int) -> LeftOutBecause | None:
        tool = index.tools[place]
        if not allowed[place]:
            return LeftOutBecause.FORBIDDEN
        if tool.id in request.excluded:
            return LeftOutBecause.EXCLUDED
        is_away = tool.id in request.unavailable or tool.server in request.unavailable_servers
        return LeftOutBecause.UNAVAILABLE if is_away else None

    return barred


def _ranking(scores: Scores, count: int) -> list[int]:
    """Return the places of the best tools, best first; equals in the order of their ids."""
    known = np.flatnonzero(scores > 0)
    if len(known) > count:
        floor = np.partition(scores[known], -count)[-count]
        known = known[scores[known] >= floor]
    return [int(one) for one in known[np.argsort(-scores[known], kind="stable")][:count]]


def _pick(picker: Picker, ranking: Sequence[int], match: Match) -> Picked:
    """Pick in the order of a ranking, so that each clause that can gets a tool.

    What a tool needs takes room, too: where the second best of one clause keeps the best of another
    out by that, and nothing else is there for it, the best of each clause come first.
    """
    picked = picker.pick(ranking)
    crowded = {one.tool_id for one in picked.left_out if one.because is LeftOutBecause.COUNT}
    served = {match.clause_of(place) for place in picked.places if place not in picked.needed_by}
    own = [place for place in ranking[: picker.room.tools] if place in match.firsts]
    if any(picker.ids[one] in crowded and match.clause_of(one) not in served for one in own):
        return picker.pick([*own, *(place for place in ranking if place not in own)])
    return picked


def _explaining(
    index: ToolIndex, picked: Picked, matched: Scores, recalled: Scores, through: dict[int, int]
) -> Callable[[int], tuple[str, ...]]:
    best = float(np.max(matched, initial=0.0))

    def explain(place: int) -> tuple[str, ...]:
        reasons = [
            f"Required by {index.tools[by].id}."
            for by in dict.fromkeys(picked.needed_by.get(place, ()))
        ]
        if place in picked.instead_of:
            reasons.append(f"Stands in for {index.tools[picked.instead_of[place]].id}.")
        if not picked.needed_by.get(place) or matched[place] >= 0.8 * best:
            how = "Matches the request" if matched[place] >= WEAK else "A weak match"
            reasons.append(f"{how}: {matched[place]:.2f}, the best is {best:.2f}.")
        if recalled[place] >= 0.05:
            reasons.append(f"Used in {recalled[place]:.0%} of similar past requests.")
        if place in through:
            reasons.append(f"Often used with {index.tools[through[place]].id}.")
        return tuple(reasons)

    return explain
