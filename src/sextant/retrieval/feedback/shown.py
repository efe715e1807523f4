"""How sources scored when they were shown, and how far one was ahead of those beside it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from math import fsum
from typing import Any

from sextant.retrieval.feedback.earned import Leads
from sextant.types import Scores, Trace

_THOUSAND = 1_000


def shown_in(trace: Trace) -> dict[str, Scores]:
    """Return the scores of each document's best hit, as far as a trace tells them."""
    steps = (step.facts.get("hits") for step in trace.steps if step.name == "rank")
    rows = [row for hits in steps if isinstance(hits, list | tuple) for row in hits]
    read = ((row["document"], _scores(row)) for row in rows if _tells(row))
    return _best((name, scores) for name, scores in read if scores is not None)


def leads(document_id: str, shown: Mapping[str, Scores]) -> Leads | None:
    """Return how far a document was above the mean of those shown, in thousandths of each R."""
    if document_id not in shown or len(shown) < 2:
        return None
    means = (fsum(column) / len(column) for column in zip(*map(_four, shown.values()), strict=True))
    ahead = zip(_four(shown[document_id]), means, strict=True)
    first, second, third, fourth = (round(_THOUSAND * (own - mean)) for own, mean in ahead)
    return first, second, third, fourth


def written(ahead: Leads) -> str:
    """Return leads as text."""
    return json.dumps(ahead)


def read(text: str) -> Leads | None:
    """Return the leads that a text holds, if it does."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or len(values) != 4:
        return None
    if not all(type(value) is int and abs(value) <= _THOUSAND for value in values):
        return None
    return values[0], values[1], values[2], values[3]


def _best(scored: Iterable[tuple[str, Scores]]) -> dict[str, Scores]:
    best: dict[str, Scores] = {}
    for name, scores in scored:
        if name not in best or scores.total > best[name].total:
            best[name] = scores
    return best


def _tells(row: Any) -> bool:
    return isinstance(row, Mapping) and isinstance(row.get("document"), str)


def _scores(row: Mapping[str, Any]) -> Scores | None:
    values = row.get("scores")
    if not isinstance(values, list | tuple) or len(values) != 4:
        return None
    numbers = [*values, row.get("total")]
    if not all(isinstance(one, int | float) and math.isfinite(one) for one in numbers):
        return None
    return Scores(*(min(1.0, max(0.0, one)) for one in numbers))


def _four(scores: Scores) -> tuple[float, float, float, float]:
    return scores.relevancy, scores.recency, scores.richness, scores.reputation
