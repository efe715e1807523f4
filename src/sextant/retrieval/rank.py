"""Ordering candidates by the four R, and telling what each of them brought. Knows no store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from datetime import datetime

from sextant.limits import check_weights
from sextant.retrieval.feedback.earned import UNKNOWN, Standing
from sextant.retrieval.retrieve import Candidate
from sextant.retrieval.scoring.page_sorts import PageSort, deductions
from sextant.retrieval.scoring.recency import (
    HALF_LIFE_DAYS,
    UNDATED,
    changed,
    passage_recency,
    recency,
)
from sextant.retrieval.scoring.richness import richness
from sextant.retrieval.scoring.superseded import DEDUCTION, superseded
from sextant.types import Document, Hit, Ledger, Scores, Share, Weights

NAMES = tuple(item.name for item in fields(Weights))
_UNDATED_NOTE = f"undated: recency taken as {UNDATED:g}"
_TIMESTAMP_NOTE = "recency by the entry's own timestamp"


def rank(
    candidates: Sequence[Candidate],
    weights: Weights,
    now: datetime,
    standing: Standing = UNKNOWN,
    half_life_days: float = HALF_LIFE_DAYS,
    question: str = "",
) -> tuple[Hit, ...]:
    """Return the candidates as hits, best first; of equals, the one with the lower chunk id.

    Where the question is given, pages that are of another sort than the manual count less.
    """
    documents = {one.passage.document.id: one.passage.document for one in candidates}
    past = superseded(documents.values())
    in_force = [one for one in documents.values() if one.id not in past]
    less = deductions(in_force, question)
    sources = {
        name: _Source(
            recency(document, now, half_life_days),
            standing.reputation(document),
            DEDUCTION if name in past else _factor(less.get(name)),
            _notes(document, standing, past, less.get(name)),
        )
        for name, document in documents.items()
    }
    shares = normalised(weights)
    hits = [
        _hit(one, _dated(sources[one.passage.document.id], one, now, half_life_days), shares)
        for one in candidates
    ]
    return tuple(sorted(hits, key=_order))


def normalised(weights: Weights) -> tuple[float, ...]:
    """Return the weights in their order as shares of 1."""
    check_weights(weights)
    values = astuple(weights)
    return tuple(value / sum(values) for value in values)


@dataclass(frozen=True, slots=True)
class _Source:
    """What holds for all passages of a document."""

    recency: float
    reputation: float
    factor: float
    notes: tuple[str, ...]


def _dated(source: _Source, candidate: Candidate, now: datetime, half_life_days: float) -> _Source:
    """Return a source as recent as the passage says of itself, where it does."""
    own = passage_recency(candidate.passage, now, half_life_days)
    if own is None:
        return source
    notes = tuple(note for note in source.notes if note != _UNDATED_NOTE)
    return replace(source, recency=own, notes=(*notes, _TIMESTAMP_NOTE))


def _hit(candidate: Candidate, source: _Source, weights: Sequence[float]) -> Hit:
    scores = (
        min(1.0, max(0.0, candidate.relevancy)),
        source.recency,
        richness(candidate.passage.chunk),
        source.reputation,
    )
    shares = tuple(
        Share(name, score, weight, weight * score)
        for name, score, weight in zip(NAMES, scores, weights, strict=True)
    )
    total = source.factor * sum(share.points for share in shares)
    ledger = Ledger(shares, source.notes)
    return Hit(candidate.passage, Scores(*scores, total), candidate.legs, ledger)


def _factor(sort: PageSort | None) -> float:
    return sort.factor if sort else 1.0


def _notes(
    document: Document, standing: Standing, past: Mapping[str, str], sort: PageSort | None
) -> tuple[str, ...]:
    notes = list(standing.notes(document))
    if changed(document) is None:
        notes.append(_UNDATED_NOTE)
    if document.id in past:
        notes.append(f"{past[document.id]}: total times {DEDUCTION:g}")
    if sort:
        notes.append(sort.note)
    return tuple(notes)


def _order(hit: Hit) -> tuple[float, str]:
    return -hit.scores.total, hit.passage.chunk.id
