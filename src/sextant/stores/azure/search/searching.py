"""A query as one call to AI Search, and what it found.

Words are scored by the service's BM25 over all tenants and personas, vectors by its graph of
neighbours, and both are fused by their ranks. Knows nothing of positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from azure.search.documents.models import VectorizedQuery

from sextant.limits import check_vector
from sextant.query import Query
from sextant.stores.azure.search.client import Answer, SearchConnection
from sextant.stores.azure.search.definition import VECTOR
from sextant.stores.fusion import leg_depth
from sextant.stores.refusals import no_vectors
from sextant.text.words import words_in
from sextant.types import Found, Match, Passage

_MOST_WORDS = 300
"""Words of a query that are searched for: the service takes 1,024 clauses, one for each field."""
_OPERATORS = str.maketrans({sign: f"\\{sign}" for sign in '+|-"()*~\\'})
"""Signs of the simple syntax; a backslash makes each of them a sign like any other."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """What rows look like: the fields that words are sought in and passages made of, the order."""

    searched: list[str]
    shown: list[str]
    order: str
    passage_in: Callable[[Row], Passage]


async def search_rows(
    connection: SearchConnection, shape: Shape, query: Query, wanted: str, width: int
) -> Found:
    """Find passages by words, by vector, by both, or by filter alone, as of no commit."""
    text, vector = search_text(query.text), _vector(query, width)
    asked: dict[str, Any] = {"filter": wanted or None, "select": shape.shown, "top": query.k}
    if text:
        asked |= {"search_fields": shape.searched, "search_mode": "any", "query_type": "simple"}
    if vector is not None:
        asked |= _nearest(vector, leg_depth(query.k, 2 if text else 1), is_told=bool(text))
    if not text and vector is None:
        if query.text:  # signs alone, which no passage can hold as a word
            return Found((), 0, has_exact_scores=False)
        asked |= {"order_by": [shape.order], "include_total_count": query.filter is None}
    answer = await connection.find(text or None, **asked)
    return _found(answer, shape, query, _scorer(answer, query, text))


def _nearest(vector: list[float], depth: int, *, is_told: bool) -> dict[str, Any]:
    """Return how the nearest are asked for; beside words, what each leg gave is to be told."""
    near = VectorizedQuery(vector=vector, k_nearest_neighbors=depth, fields=VECTOR)
    asked = {"vector_queries": [near], "vector_filter_mode": "preFilter"}
    return {**asked, "debug": "vector"} if is_told else asked


_Scores = tuple[float, float | None, float | None, bool]
"""The score, that of words, that of the vector, and whether there is a vector."""


def _scorer(answer: Answer, query: Query, text: str) -> Callable[[Row], _Scores]:
    """Return what says how good a row is, and what each leg that was asked gave it."""
    if query.vector is None:
        return _by_words if text else lambda _: (0.0, None, None, True)
    if not text:
        return partial(_by_vector, keyword=0.0 if query.text else None)
    told = (_near(row) for row in answer.rows)
    return partial(_by_both, furthest=min((one for one in told if one is not None), default=0.0))


def _found(answer: Answer, shape: Shape, query: Query, scored: Callable[[Row], _Scores]) -> Found:
    """Return the matches, best first; of rows of the same chunk one is enough."""
    matches: dict[str, Match] = {}
    for row in answer.rows:
        passage = shape.passage_in(row)
        matches.setdefault(f"{passage.chunk.id}\n{passage.version}", Match(passage, *scored(row)))
    ranked = sorted(matches.values(), key=lambda one: (-one.score, one.passage.chunk.id))
    return Found(tuple(ranked[: query.k]), 0, chunks=answer.count, has_exact_scores=False)


def _by_words(row: Row) -> _Scores:
    score = row["@search.score"]
    return score, score, None, True


def _by_vector(row: Row, keyword: float | None) -> _Scores:
    """Return the cosine, of which the service's score is 1 / (1 + its distance)."""
    cosine = 2 - 1 / row["@search.score"]
    return cosine, keyword, cosine, True


def _by_both(row: Row, furthest: float) -> _Scores:
    """Return what both legs gave.

    What the words alone brought is no nearer than the furthest that the vector brought; of a row
    without a vector nobody knows how near it is.
    """
    near, has_vector = _near(row), row.get("hasVector", True)
    if near is None and has_vector:
        near = furthest
    words = _subscores(row).get("text", {}).get("searchScore", 0.0)
    return row["@search.score"], words, near, near is not None or has_vector


def _near(row: Row) -> float | None:
    for leg in _subscores(row).get("vectors") or ():
        if VECTOR in leg:
            return float(leg[VECTOR]["vectorSimilarity"])
    return None


def _subscores(row: Row) -> Any:
    """Return what each leg gave, of what the service tells for those who look into it."""
    told = row.get("@search.document_debug_info")
    return ((told or {}).get("vectors") or {}).get("subscores") or {}


def search_text(text: str) -> str:
    """Return a text as words to search for, none of them an operator; nothing if it has none."""
    words = [word for word in text.split() if words_in(word)]
    return " ".join(dict.fromkeys(words[:_MOST_WORDS])).translate(_OPERATORS)


def _vector(query: Query, width: int) -> list[float] | None:
    if query.vector is None:
        return None
    if not width:
        raise no_vectors()
    return [float(one) for one in check_vector(query.vector, width)]
