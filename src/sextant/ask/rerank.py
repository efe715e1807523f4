"""From ranked hits to the few that an answer is written from. Knows the parts of the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from sextant.ask.evidence.lacking import questions_back
from sextant.ask.evidence.read import spoken
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.plan import Goal
from sextant.retrieval.sorts import sorts
from sextant.text.prose.negation import NEGATIONS
from sextant.text.words import Words
from sextant.types import Hit

_MOST = 8
_LOOKED_AT, _OF_LIKELY = 24, 16
"""How many hits are looked at; fewer where it is known which are likely what is asked for."""

_NAMED = 4
_ALIKE = 0.85
"""From this share of common words on two texts are one."""

_TITLED = 0.3
_COVERING = 0.5
"""What speaking of something new is worth beside the rank."""

_UNKNOWN: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Reranked:
    """At most eight hits that say different things, and what none of them speaks of."""

    hits: tuple[Hit, ...]
    missing: tuple[str, ...] = ()
    duplicates: int = 0


def rerank(
    hits: Sequence[Hit],
    goals: Sequence[Goal],
    words: Words,
    most: int = _MOST,
    phrases: Phrases = ENGLISH,
    *,
    is_ranked: bool = True,
    likely: Mapping[str, float] = _UNKNOWN,
) -> Reranked:
    """Keep the hits that cover the parts of the question best, none of them twice.

    They stay in the order that they were ranked in, or else come in that of what each brings.
    ``likely`` tells in 0 to 1 of chunks whether a piece of them is what is asked for, which counts
    as much as the rank.
    """
    standing = _standing(hits, likely)
    most_looked_at = _OF_LIKELY if likely else _LOOKED_AT
    order = sorted(range(len(hits)), key=lambda at: (-standing[at], at))[:most_looked_at]
    looked_at = [_looked_at(hits[at], standing[at], words) for at in sorted(order)]
    told = [spoken(words, goal.text) for goal in goals]
    counts = Counter(term for one in looked_at for term in one.terms)
    weights = [_weights(list(own), counts, len(looked_at)) for own in told]
    taken, duplicates = _chosen(looked_at, weights, most)
    kept = [looked_at[at] for at in (sorted(taken) if is_ranked else taken)]
    chosen = tuple(replace(one.hit, why=_why(one.terms, told, weights)) for one in kept)
    seen = frozenset(term for one in kept for term in one.terms)
    missing = questions_back([goal.text for goal in goals], seen, words, phrases)
    return Reranked(chosen, missing, duplicates)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A hit, how high it stands, the stems of its text, and those with its title and headings."""

    hit: Hit
    standing: float
    text: frozenset[str]
    title: frozenset[str]
    terms: frozenset[str]


def _standing(hits: Sequence[Hit], likely: Mapping[str, float]) -> list[float]:
    """Return what each hit's rank comes to beside the best one, and how likely it is meant."""
    best = max((hit.scores.total for hit in hits), default=0.0) or 1.0
    return [hit.scores.total / best + likely.get(hit.passage.chunk.id, 0.0) for hit in hits]


def _looked_at(hit: Hit, standing: float, words: Words) -> _Seen:
    document, chunk = hit.passage.document, hit.passage.chunk
    text = frozenset(words.terms(chunk.text))
    title = frozenset(words.terms(document.title))
    more = words.terms(" ".join([*sorts(document), *chunk.headings]))
    return _Seen(hit, standing, text, title, text.union(title, more))


def _weights(asked: Sequence[str], counts: Mapping[str, int], total: int) -> dict[str, float]:
    """Return what each word of a part weighs, all together 1."""
    rare = {term: log(1 + total / (1 + counts.get(term, 0))) for term in asked}
    whole = sum(rare.values()) or 1.0
    return {term: weight / whole for term, weight in rare.items()}


def _chosen(
    hits: Sequence[_Seen], weights: Sequence[Mapping[str, float]], most: int
) -> tuple[list[int], int]:
    """Take the best for each part, then whatever ranks high and speaks of something new."""
    left = {at: one.standing for at, one in enumerate(hits)}
    kept: list[int] = []
    seen: frozenset[str] = frozenset()
    for own in (*weights, *[None] * most):
        if not left or len(kept) >= most:
            break
        gains = {at: rank + _gain(hits[at], own, weights, seen) for at, rank in left.items()}
        taken = max(left, key=lambda at: (gains[at], -at))
        kept.append(taken)
        seen |= hits[taken].terms
        left = {at: rank for at, rank in left.items() if not _alike(hits[at], hits[taken])}
    return kept, len(hits) - len(left) - len(kept)


def _gain(
    one: _Seen,
    part: Mapping[str, float] | None,
    parts: Sequence[Mapping[str, float]],
    seen: frozenset[str],
) -> float:
    """Return what a hit brings to a part, or what it brings to all of them that is new."""
    if part is not None:
        return _covered(part, one.terms) + _TITLED * _covered(part, one.title)
    new = {term for own in parts for term in own if term in one.terms and term not in seen}
    return _COVERING * sum(own.get(term, 0.0) for own in parts for term in sorted(new))


def _alike(one: _Seen, other: _Seen) -> bool:
    """Whether two texts have nearly the same words; a number or a ``not`` makes them two."""
    small, large = sorted((len(one.text), len(other.text)))
    if small < _ALIKE * large:
        return False
    if len(one.text & other.text) < _ALIKE * len(one.text | other.text):
        return False
    apart = one.text ^ other.text
    return NEGATIONS.isdisjoint(apart) and not any(term[0].isdigit() for term in apart)


def _covered(weights: Mapping[str, float], terms: frozenset[str]) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)


def _why(
    terms: frozenset[str],
    told: Sequence[Mapping[str, str]],
    weights: Sequence[Mapping[str, float]],
) -> str:
    """Say in a sentence what of the question a hit speaks of."""
    if not told:
        return ""
    shares = [_covered(own, terms) for own in weights]
    at = max(range(len(told)), key=lambda number: (shares[number], -number))
    own = weights[at]
    heavy = sorted((term for term in own if term in terms), key=lambda term: -own[term])[:_NAMED]
    part = f"part {at} of the question" if at else "the question"
    if not heavy:
        return f"Near to {part} in meaning or in the graph."
    named = ", ".join(word for term, word in told[at].items() if term in heavy)
    return f"Speaks of {named} ({shares[at]:.0%} of {part})."
