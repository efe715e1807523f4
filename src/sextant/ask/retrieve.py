"""Finding passages for one query: by words, by meaning and by the graph. Knows no ranking by 4R."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sextant.ask.question import Means
from sextant.query import Filter, Query
from sextant.types import Legs, Linked, Passage, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Sought:
    """What to find passages for; without a vector the text is embedded."""

    text: str
    filter: Filter | None = None
    linked: tuple[Linked, ...] = ()
    evidence: tuple[str, ...] = ()
    vector: NDArray[np.float32] | None = field(default=None, compare=False)
    k: int = 50
    at_least: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may help, and how much of it is about the query, in 0 to 1."""

    passage: Passage
    relevancy: float
    legs: Legs


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The candidates, best first, the commit that they hold at, and what the trace tells of it."""

    candidates: tuple[Candidate, ...]
    commit: int
    filter: str = ""
    facts: tuple[tuple[str, float], ...] = ()
    fallback: str = ""
    frequencies: Mapping[str, int] = field(default_factory=dict)
    chunks: int = 0


async def retrieve(means: Means, scope: Scope, sought: Sought) -> Retrieved:
    """Find passages for one query."""
    vector = sought.vector
    if vector is None and sought.text.strip():
        vector = (await means.embedder.embed([sought.text], "query"))[0]
    query = Query(sought.text, vector, sought.filter, sought.k, sought.at_least)
    found = await means.store.search(scope, query)
    best = max((match.score for match in found.matches), default=0.0) or 1.0
    candidates = tuple(
        Candidate(match.passage, match.score / best, Legs(match.keyword, match.vector))
        for match in found.matches
    )
    return Retrieved(
        candidates,
        found.commit,
        entity_filter(sought.linked),
        frequencies=found.frequencies,
        chunks=found.chunks,
    )


def entity_filter(linked: tuple[Linked, ...]) -> str:
    """Return the filter for chunks that mention one of these, as OData writes it."""
    ids = dict.fromkeys(one.entity_id for one in linked)
    parts = " or ".join(f"e eq '{name.replace(chr(39), chr(39) * 2)}'" for name in ids)
    return f"entityIds/any(e: {parts})" if parts else ""
