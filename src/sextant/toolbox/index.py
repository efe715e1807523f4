"""A tenant's tools as arrays: what is matched, followed and remembered for every request.

A new index is made when something was written; the parts that did not change are shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sextant.text.words import Words
from sextant.toolbox.fit.levels import Forms
from sextant.toolbox.learn.habits import WeighedHabits
from sextant.toolbox.match.memory import Memory, extend_memory, no_memory
from sextant.toolbox.match.postings import bags_of, make_postings
from sextant.toolbox.match.score import Matchable
from sextant.toolbox.relate.co_use import CoUse, make_co_use
from sextant.toolbox.relate.links import Links, make_links
from sextant.toolbox.relate.roots import find_roots
from sextant.types import StoredTool, Tool, ToolRelation, ToolUse

NAME, TEXT = 0, 1
"""The rows of a tool's vectors."""


@dataclass(frozen=True, slots=True, eq=False)
class ToolIndex:
    """The tools that some personas see, in the order of their ids, and what is known of them."""

    tools: tuple[Tool, ...]
    ids: tuple[str, ...]
    places: Mapping[str, int]
    matchable: Matchable
    links: Links
    relations: tuple[ToolRelation, ...]
    forms: tuple[Forms, ...]
    words: Words
    unembedded: int = 0
    """How many tools have no vectors, and are found by their words alone."""
    co_use: CoUse = field(default_factory=CoUse)
    earlier: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Who is mostly used before each."""
    memory: Memory | None = None
    trust: float = 0.0
    """What the memory counts beside the match."""

    def in_categories(self, categories: frozenset[str] | None) -> NDArray[np.bool_]:
        """Return which tools belong to one of these categories; None is all."""
        if categories is None:
            return np.ones(len(self.tools), np.bool_)
        return np.array([tool.category in categories for tool in self.tools], np.bool_)

    def of_servers(self, servers: frozenset[str] | None) -> NDArray[np.bool_]:
        """Return which tools are of one of these servers; None is all."""
        if servers is None:
            return np.ones(len(self.tools), np.bool_)
        return np.array([tool.server in servers for tool in self.tools], np.bool_)


def make_index(
    stored: Sequence[StoredTool],
    relations: Sequence[ToolRelation],
    hidden: frozenset[str],
    words: Words,
    width: int,
) -> ToolIndex:
    """Return an index of tools that know nothing of their use yet.

    Hidden are the ids of tools that exist and are not among these.
    """
    tools = tuple(one.tool for one in stored)
    places = {tool.id: place for place, tool in enumerate(tools)}
    vectors = np.zeros((2, len(tools), width), np.float32)
    unembedded = 0
    for place, one in enumerate(stored):
        if one.vectors is not None and one.vectors.shape == (2, width):
            vectors[:, place] = one.vectors
        else:
            unembedded += 1
    postings = make_postings([bags_of(tool, words) for tool in tools])
    return ToolIndex(
        tools,
        tuple(places),
        places,
        Matchable(postings, vectors[NAME], vectors[TEXT]),
        make_links(relations, places, hidden),
        tuple(relations),
        tuple(map(Forms, tools)),
        words,
        unembedded,
    )


def with_habits(index: ToolIndex, habits: WeighedHabits) -> ToolIndex:
    """Return an index that knows which tools are used together, and in which order."""
    places, pairs = index.places, habits.supported()
    known = {key: pair for key, pair in pairs.items() if key[0] in places and key[1] in places}
    together = {(places[a], places[b]): pair.together for (a, b), pair in known.items()}
    sessions = {places[name]: own for name, own in habits.shared.items() if name in places}
    earlier: dict[int, set[int]] = {}
    for (source, target), pair in known.items():
        back = known.get((target, source))
        if pair.followed > (back.followed if back else 0.0):
            earlier.setdefault(places[target], set()).add(places[source])
    return replace(
        index,
        co_use=make_co_use(together, sessions),
        earlier={place: frozenset(own) for place, own in earlier.items()},
    )


def with_memory(index: ToolIndex, uses: Iterable[ToolUse], width: int, most: int) -> ToolIndex:
    """Return an index that also remembers these requests, and at most so many in all.

    A tool that was called because another one needs it comes with that one: it is not remembered.
    """
    requests = []
    for use in uses:
        if use.vector is not None:
            called = dict.fromkeys(call.tool_id for call in use.calls)
            own = [index.places[name] for name in called if name in index.places]
            requests.append((use.vector, find_roots(own, index.links.needs)))
    memory = extend_memory(index.memory or no_memory(width), requests, most)
    return replace(index, memory=memory)
