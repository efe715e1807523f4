"""What tells that the evidence answers a question: a handful of measures, each about 0 to 1.

Pure. Weighs nothing: that is fitted elsewhere, to questions whose evidence was there or was not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields

from sextant.ask.evidence.asked import Odds, Part
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.meant import OddsOf, unknown
from sextant.ask.evidence.read import content, named
from sextant.ask.quotes import Quote
from sextant.ask.reading.tokens import tokens_of
from sextant.retrieval.retrieve import Retrieved
from sextant.text.bm25 import FULL, rarity
from sextant.text.prose.sentences import OPENERS
from sextant.text.words import Words
from sextant.types import Direction, Hit, Linked

SURE = 0.7
_BESIDE = 10
_SURE_ODDS = 10.0
"""Odds that nobody doubts. Where none are known, neither is what is against it."""

_FAILING = "fail failing break broken down outage stops unavailable offline crashes dies"


@dataclass(frozen=True, slots=True)
class Case:
    """A question's parts, the whole one first, the hits chosen for it, and the claims made."""

    parts: Sequence[Part]
    hits: Sequence[Hit]
    claims: Sequence[Claim]
    retrieved: Retrieved
    words: Words
    odds: OddsOf = unknown

    @property
    def is_read(self) -> bool:
        """Whether an embedder told how likely pieces of the evidence are what is asked for."""
        return all(self.odds(part) for part in self.asked)

    @property
    def asked(self) -> Sequence[Part]:
        """The parts that claims are made for: those of the whole, or itself if it has none."""
        return self.parts[1:] or self.parts


@dataclass(frozen=True, slots=True)
class Signs:
    """The measures; by itself, more is better in each but in ``lacking``."""

    nearness: float
    apart: float
    wording: float
    wording_apart: float
    covered_by_one: float
    named: float
    told_in_one: float
    lacking: float
    fitting: float
    reached: float
    meant: float
    meant_by_first: float
    meant_by_any: float
    likeliest_first: float

    def row(self) -> tuple[float, ...]:
        """Return the measures in their order."""
        return astuple(self)


NAMES = tuple(item.name for item in fields(Signs))


def signs_of(case: Case) -> Signs:
    """Measure a case."""
    weights = _weights(case)
    legs = [one.legs for one in case.retrieved.candidates]
    near = _descending(one.vector for one in legs)
    wording = [one / (FULL * _total(weights)) for one in _descending(one.keyword for one in legs)]
    held = [_terms(hit, case.words) for hit in case.hits]
    said = [_claim_stems(claim, case.words) for claim in case.claims]
    every = frozenset[str]().union(*said)
    likely = _likely(case)
    return Signs(
        nearness=max(near, default=0.0),
        apart=_apart(near),
        wording=max(wording, default=0.0),
        wording_apart=_apart(wording),
        covered_by_one=max((_share(weights, own) for own in held), default=0.0),
        named=_linked_name_share(case),
        told_in_one=max((_share(weights, own) for own in said), default=0.0),
        lacking=max(
            (_share(weights, frozenset({one})) for one in weights.keys() - every), default=0.0
        ),
        fitting=_fitting(case),
        reached=sum(_descending(one.graph for one in legs)[:3]),
        meant=_meant(case),
        meant_by_first=_bounded(likely[0] if likely else 0.0),
        meant_by_any=_bounded(max(likely, default=0.0)),
        likeliest_first=float(bool(likely) and likely[0] >= max(_odds_of_whole(case).values())),
    )


def covered_share(case: Case, claim: Claim) -> float:
    """Return how much of the question a claim speaks of, each word by its rarity."""
    return _share(_weights(case), _claim_stems(claim, case.words))


def _descending(values: Iterable[float | None]) -> list[float]:
    return sorted((value or 0.0 for value in values), reverse=True)


def _apart(scores: Sequence[float]) -> float:
    """Return how far the best stands above those beside it; who is not there scores nothing."""
    return scores[0] - sum(scores[1:_BESIDE]) / (_BESIDE - 1) if scores else 0.0


def _weights(case: Case) -> dict[str, float]:
    """Return what each word of the whole question weighs, by its rarity in all that is seen."""
    terms = content(case.words, case.parts[0].goal.text) if case.parts else []
    put = _put_in_edges(case)
    terms = [term for term in terms if term not in put] or terms
    known, chunks = case.retrieved.frequencies, case.retrieved.chunks
    return {term: rarity(known.get(term, 0), chunks) for term in terms}


def _put_in_edges(case: Case) -> frozenset[str]:
    """Return the words to which an edge is the answer; none of them says ``breaks``."""
    asked = case.asked
    answered = {claim.part for claim in case.claims if claim.relations}
    cues = [cue for at, part in enumerate(asked) if at in answered for cue in part.goal.wants.cues]
    said = [cue.word for cue in cues]
    if any(cue.direction == Direction.IN and "depends_on" in cue.kinds for cue in cues):
        said.append(_FAILING)
    return frozenset(case.words.terms(" ".join(said)))


def _total(weights: Mapping[str, float]) -> float:
    return sum(weights.values()) or 1.0


def _share(weights: Mapping[str, float], terms: frozenset[str]) -> float:
    return sum(own for term, own in weights.items() if term in terms) / _total(weights)


def _terms(hit: Hit, words: Words) -> frozenset[str]:
    chunk = hit.passage.chunk
    text = " ".join([hit.passage.document.title, *chunk.headings, chunk.text])
    return frozenset(words.terms(text))


def _claim_stems(claim: Claim, words: Words) -> frozenset[str]:
    """Return the stems of a claim and of what its quotes stand under."""
    return frozenset(words.terms(" ".join([claim.text, *over(claim)])))


def over(claim: Claim) -> list[str]:
    """Return the titles and headings that what a claim quotes stands under."""
    passages = [quote.passage for quote in claim.quotes]
    titles = [one.document.title for one in passages]
    return titles + [heading for one in passages for heading in one.chunk.headings]


def _linked_name_share(case: Case) -> float:
    """Return the share of the words written as names that are linked for sure; no names: 1."""
    whole = case.parts[0] if case.parts else None
    tokens = tokens_of(whole.goal.text) if whole else ()
    spans = [(one.start, one.end) for one in whole.linked if one.score >= SURE] if whole else []
    names = [
        token
        for at, token in enumerate(tokens)
        if token.text[:1].isupper() and not (at == 0 and token.low in OPENERS)
    ]
    known = [one for one in names if any(start <= one.start < end for start, end in spans)]
    return len(known) / len(names) if names else 1.0


def forms_of(part: Part, linked: Sequence[Linked]) -> list[frozenset[str]]:
    """Return for each name in a question all the forms that it may have in a text."""
    spans: dict[tuple[int, int], set[str]] = {}
    for one in linked:
        known = part.expansion.entities.get(one.entity_id)
        forms = (one.matched, one.name, *(known.aliases if known else ()))
        spans.setdefault((one.start, one.end), set()).update(map(named, forms))
    return [frozenset(own) for own in spans.values()]


def _meant(case: Case) -> float:
    """Return how likely it is in the worst asked part that some piece is what is asked for."""
    best = [max(odds.values()) for part in case.asked if (odds := case.odds(part))]
    return _bounded(min(best, default=0.0))


def _likely(case: Case) -> list[float]:
    """Return of each claim how likely what it quotes is what the whole question asks for."""
    odds = _odds_of_whole(case)
    return [_odds_of(claim.quotes[0], odds) for claim in case.claims] if odds else []


def _odds_of_whole(case: Case) -> Odds:
    return case.odds(case.parts[0]) if case.parts else {}


def _odds_of(quote: Quote, odds: Odds) -> float:
    """Return the odds of the likeliest piece that a quote has a share in."""
    own = [
        one
        for (chunk_id, start, end), one in odds.items()
        if chunk_id == quote.passage.chunk.id and start < quote.end and quote.start < end
    ]
    return max(own, default=-_SURE_ODDS)


def _bounded(odds: float) -> float:
    return max(-1.0, min(1.0, odds / _SURE_ODDS))


def _fitting(case: Case) -> float:
    """Return how well the best claim for each asked part answers it, on average."""
    asked = len(case.asked)
    best = [0.0] * asked
    for claim in case.claims:
        if claim.part < asked:
            best[claim.part] = max(best[claim.part], min(1.0, claim.score))
    return sum(best) / asked if asked else 0.0
