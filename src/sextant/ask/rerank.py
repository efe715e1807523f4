"""From ranked hits to the few that an answer is written from. Knows the parts of the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from sextant.ask.evidence.asked import content, spoken
from sextant.ask.plan import Goal
from sextant.text.words import Words
from sextant.types import Hit

_MOST = 8
_QUESTIONS = 3
_LOOKED_AT = 60
_ALIKE = 0.8
"""From this share of common shingles on two texts are one."""

_COVERING = 0.5
"""What speaking of something new is worth beside the rank."""

Terms = Sequence[frozenset[str]]


@dataclass(frozen=True, slots=True)
class Reranked:
    """At most eight hits that say different things, and what none of them speaks of."""

    hits: tuple[Hit, ...]
    missing: tuple[str, ...] = ()
    duplicates: int = 0


def rerank(hits: Sequence[Hit], goals: Sequence[Goal], words: Words, most: int = _MOST) -> Reranked:
    """Keep the hits that cover the parts of the question best, none of them twice."""
    looked_at = list(hits[:_LOOKED_AT])
    single = _unlike(looked_at)
    terms = [_terms(hit, words) for hit in single]
    weights = [_weights(content(words, goal.text), terms) for goal in goals]
    kept = _chosen(single, terms, weights, most)
    seen = frozenset(term for at in kept for term in terms[at])
    chosen = tuple(replace(single[at], why=_why(terms[at], goals, weights, words)) for at in kept)
    return Reranked(chosen, _missing(goals, seen, words), len(looked_at) - len(single))


def _unlike(hits: Sequence[Hit]) -> list[Hit]:
    """Leave out hits whose text another one has already, nearly word by word."""
    kept: list[Hit] = []
    held: list[frozenset[str]] = []
    for hit in hits:
        own = _shingles(hit.passage.chunk.text)
        if not any(_alike(own, other) for other in held):
            kept.append(hit)
            held.append(own)
    return kept


def _shingles(text: str) -> frozenset[str]:
    words = text.lower().split()[:2000]
    return frozenset(" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2)))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    small, large = sorted((one, other), key=len)
    if len(small) < _ALIKE * len(large):
        return False
    return len(small & large) >= _ALIKE * len(large)


def _terms(hit: Hit, words: Words) -> frozenset[str]:
    chunk = hit.passage.chunk
    text = " ".join([hit.passage.document.title, *chunk.headings, chunk.text])
    return frozenset(words.terms(text))


def _weights(asked: Sequence[str], terms: Terms) -> dict[str, float]:
    """Return what each word of a part weighs, all together 1."""
    counts = Counter(term for own in terms for term in own)
    rare = {term: log(1 + len(terms) / (1 + counts[term])) for term in asked}
    total = sum(rare.values()) or 1.0
    return {term: weight / total for term, weight in rare.items()}


def _chosen(
    hits: Sequence[Hit], terms: Terms, weights: Sequence[Mapping[str, float]], most: int
) -> list[int]:
    """Take the best for each part, then whatever ranks high and speaks of something new."""
    best = max((hit.scores.total for hit in hits), default=0.0) or 1.0
    ranks = [hit.scores.total / best for hit in hits]
    kept: list[int] = []
    for own in weights:
        _take(kept, [rank + _covered(own, terms[at]) for at, rank in enumerate(ranks)], most)
    while len(kept) < min(most, len(hits)):
        seen = frozenset(term for at in kept for term in terms[at])
        gains = [
            rank + _COVERING * sum(_covered(own, terms[at] - seen) for own in weights)
            for at, rank in enumerate(ranks)
        ]
        _take(kept, gains, most)
    return sorted(kept)


def _take(kept: list[int], gains: Sequence[float], most: int) -> None:
    left = [at for at in range(len(gains)) if at not in kept]
    if left and len(kept) < most:
        kept.append(max(left, key=lambda at: (gains[at], -at)))


def _covered(weights: Mapping[str, float], terms: Iterable[str]) -> float:
    return sum(weights.get(term, 0.0) for term in terms)


def _why(
    terms: frozenset[str],
    goals: Sequence[Goal],
    weights: Sequence[Mapping[str, float]],
    words: Words,
) -> str:
    """Say in a sentence what of the question a hit speaks of."""
    if not goals:
        return ""
    shares = [_covered(own, terms) for own in weights]
    at = max(range(len(goals)), key=lambda number: (shares[number], -number))
    own = weights[at]
    told = spoken(words, goals[at].text)
    heavy = sorted((term for term in own if term in terms), key=lambda term: (-own[term], term))
    named = [told[term] for term in heavy[:4] if term in told]
    part = f"part {at} of the question" if at else "the question"
    if not named:
        return f"Near to {part} in meaning or in the graph."
    return f"Speaks of {', '.join(named)} ({shares[at]:.0%} of {part})."


def _missing(goals: Sequence[Goal], seen: frozenset[str], words: Words) -> tuple[str, ...]:
    """Ask for whatever words of the question nothing speaks of."""
    unsaid: dict[str, str] = {}
    for goal in goals:
        for term, word in spoken(words, goal.text).items():
            if term not in seen:
                unsaid.setdefault(term, word)
    return tuple(
        f"What else is “{word}” called, or where is it written down?" for word in unsaid.values()
    )[:_QUESTIONS]
