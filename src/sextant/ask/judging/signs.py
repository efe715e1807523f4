"""What tells that the evidence answers a question: a handful of measures, each about 0 to 1.

Pure. Weighs nothing: that is fitted elsewhere, to questions whose evidence was there or was not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from math import log1p

from sextant.ask.evidence.asked import Part, content
from sextant.ask.evidence.claim import Claim
from sextant.ask.reading.tokens import tokens_of
from sextant.text.sentences import OPENERS
from sextant.text.words import Words
from sextant.types import Hit

_SURE = 0.7


@dataclass(frozen=True, slots=True)
class Case:
    """A question's parts, the whole one first, the hits chosen for it, and the claims made."""

    parts: Sequence[Part]
    hits: Sequence[Hit]
    claims: Sequence[Claim]
    frequencies: Mapping[str, int]
    chunks: int
    words: Words


@dataclass(frozen=True, slots=True)
class Signs:
    """The measures; more is better in each but in ``unknown``."""

    nearness: float
    nearness_of_three: float
    covered: float
    covered_by_one: float
    unknown: float
    named: float
    told: float
    told_in_one: float
    fitting: float
    graph: float

    def row(self) -> tuple[float, ...]:
        """Return the measures in their order."""
        return astuple(self)


NAMES = tuple(item.name for item in fields(Signs))


def signs_of(case: Case) -> Signs:
    """Measure a case."""
    weights = _weights(case)
    nearness = sorted((hit.legs.vector or 0.0 for hit in case.hits), reverse=True)
    held = [_terms(hit, case.words) for hit in case.hits]
    said = [_said(claim, case.words) for claim in case.claims]
    return Signs(
        nearness=max(nearness, default=0.0),
        nearness_of_three=sum(nearness[:3]) / 3,
        covered=_share(weights, frozenset().union(*held)),
        covered_by_one=max((_share(weights, own) for own in held), default=0.0),
        unknown=_share(weights, _unknown(case)),
        named=_named(case),
        told=_share(weights, frozenset().union(*said)),
        told_in_one=max((_share(weights, own) for own in said), default=0.0),
        fitting=_fitting(case),
        graph=_by_graph(case),
    )


def _weights(case: Case) -> dict[str, float]:
    """Return what each word of the whole question weighs, by its rarity in all that is seen."""
    terms = content(case.words, case.parts[0].goal.text) if case.parts else []
    return {term: _rarity(case.frequencies.get(term, 0), case.chunks) for term in terms}


def _rarity(frequency: int, chunks: int) -> float:
    return log1p((chunks - frequency + 0.5) / (frequency + 0.5))


def _share(weights: Mapping[str, float], terms: frozenset[str]) -> float:
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in terms) / total if total else 0


def _terms(hit: Hit, words: Words) -> frozenset[str]:
    chunk = hit.passage.chunk
    return frozenset(
        words.terms(" ".join([hit.passage.document.title, *chunk.headings, chunk.text]))
    )


def _said(claim: Claim, words: Words) -> frozenset[str]:
    """Return the stems of a claim and of the headings that its quotes stand under."""
    over = [quote.passage.document.title for quote in claim.quotes]
    over += [heading for quote in claim.quotes for heading in quote.passage.chunk.headings]
    return frozenset(words.terms(" ".join([claim.text, *over])))


def _unknown(case: Case) -> frozenset[str]:
    return frozenset(term for term, frequency in case.frequencies.items() if not frequency)


def _named(case: Case) -> float:
    """Return the share of the words written as names that are linked for sure; no names: 1."""
    whole = case.parts[0] if case.parts else None
    tokens = tokens_of(whole.goal.text) if whole else ()
    spans = [(one.start, one.end) for one in whole.linked if one.score >= _SURE] if whole else []
    names = [
        token
        for at, token in enumerate(tokens)
        if token.text[:1].isupper() and not (at == 0 and token.low in OPENERS)
    ]
    known = [one for one in names if any(start <= one.start < end for start, end in spans)]
    return len(known) / len(names) if names else 1.0


def _fitting(case: Case) -> float:
    """Return how well the best claim for each asked part answers it, on average."""
    asked = len(case.parts[1:] or case.parts)
    best = [0.0] * asked
    for claim in case.claims:
        if claim.part < asked:
            best[claim.part] = max(best[claim.part], min(1.0, claim.score))
    return sum(best) / asked if asked else 0.0


def _by_graph(case: Case) -> float:
    """Return the share of the asked parts to which an edge gives the answer."""
    asked = case.parts[1:] or case.parts
    found = {claim.part for claim in case.claims if claim.relations}
    return len(found) / len(asked) if asked else 0.0
