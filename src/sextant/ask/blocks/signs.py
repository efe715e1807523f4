"""What tells that a passage answers a question: a handful of measures, each about 0 to 1.

Pure. Weighs nothing: that is fitted elsewhere, to questions over real documentation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, fields

from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.marking.score import Mark
from sextant.ask.evidence.read import content
from sextant.text.bm25 import rarity
from sextant.text.layouts.code_blocks import code_blocks, format_of
from sextant.text.words import Words
from sextant.types import Hit

_SURE_ODDS = 10.0
"""Odds that nobody doubts; a piece of which none are known has the opposite of them."""


@dataclass(frozen=True, slots=True)
class PassageSigns:
    """The measures of a passage, beside the others that were found."""

    standing: float
    marked: float
    covered: float
    headed: float
    meant: float
    code: float
    claimed: float

    def row(self) -> tuple[float, ...]:
        """Return the measures in their order."""
        return astuple(self)


NAMES = tuple(item.name for item in fields(PassageSigns))


def passage_signs(
    wanted: Asked,
    hits: Sequence[Hit],
    marks: Sequence[Mark],
    claimed: Collection[str],
    words: Words,
) -> list[PassageSigns]:
    """Measure each hit for what is asked; of ``claimed`` chunks a sentence was chosen already."""
    best = max((hit.scores.total for hit in hits), default=0.0) or 1.0
    top = max((mark.score for mark in marks), default=0.0) or 1.0
    marked: dict[str, float] = {}
    for mark in marks:
        name = mark.read.unit.passage.chunk.id
        marked[name] = max(marked.get(name, 0.0), mark.score)
    meant = _likeliest(wanted)
    over = [_terms_over(hit, words) for hit in hits]
    held = [
        own | set(words.terms(hit.passage.chunk.text)) for hit, own in zip(hits, over, strict=True)
    ]
    weights = _weights(content(words, wanted.part.goal.text), held)
    return [
        PassageSigns(
            standing=max(0.0, hit.scores.total / best),
            marked=marked.get(hit.passage.chunk.id, 0.0) / top,
            covered=_share(weights, own),
            headed=_share(weights, above),
            meant=max(-1.0, min(1.0, meant.get(hit.passage.chunk.id, -_SURE_ODDS) / _SURE_ODDS)),
            code=float(_has_code(hit)),
            claimed=float(hit.passage.chunk.id in claimed),
        )
        for hit, above, own in zip(hits, over, held, strict=True)
    ]


def _likeliest(wanted: Asked) -> dict[str, float]:
    """Return for each chunk the odds of the piece in it that is most likely what is asked for."""
    best: dict[str, float] = {}
    for (name, _, _), odds in wanted.odds.items():
        best[name] = max(odds, best.get(name, odds))
    return best


def _terms_over(hit: Hit, words: Words) -> set[str]:
    """Return the stems of the title and the headings over a passage."""
    return set(words.terms(" ".join([hit.passage.document.title, *hit.passage.chunk.headings])))


def _weights(terms: Sequence[str], held: Sequence[set[str]]) -> dict[str, float]:
    """Return what each word weighs that is asked, the more the fewer of the passages have it."""
    counts = Counter(term for own in held for term in own)
    total = len(held)
    return {term: rarity(counts[term], total) for term in terms}


def _share(weights: Mapping[str, float], terms: Collection[str]) -> float:
    total = sum(weights.values())
    return sum(own for term, own in weights.items() if term in terms) / total if total else 0.0


def _has_code(hit: Hit) -> bool:
    return bool(code_blocks(hit.passage.chunk.text, format_of(hit.passage)))
