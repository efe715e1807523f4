"""Which claims to make for a part: edges that its cues ask for, then sentences that fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from sextant.ask.evidence.asked import Asked, Part, Read, asked, named
from sextant.ask.evidence.claim import Claim, Quote
from sextant.ask.evidence.edges import edge_claims
from sextant.ask.evidence.fit import MEASURED, new_names, new_values
from sextant.ask.evidence.rivals import settled
from sextant.ask.evidence.score import Mark, marked
from sextant.ask.evidence.subject import told
from sextant.ask.reading.wants import Kind
from sextant.text.words import Words

_FLOOR = 0.5
"""A sentence that scores less beside the best one is not said."""

_GAIN = 0.12
"""The share of what is asked that a further sentence must bring."""

_QUOTES = 2
_LOOKED_AT = 20


def choose(
    part: Part, reads: Sequence[Read], words: Words, today: date, most: int
) -> list[Claim]:
    """Return at most so many claims for a part, the most direct one first."""
    wanted = asked(part, reads, words, today)
    marks = settled(wanted, marked(wanted, reads))[:_LOOKED_AT]
    claims = edge_claims(part, part.expansion)[:most]
    said = _spoken_of(wanted, " ".join(claim.text for claim in claims), words)
    for mark in marks:
        if mark.score < marks[0].score * _FLOOR:
            break
        same = _same(wanted, mark.read, claims)
        if same is not None:
            claims[same] = _supported(claims[same], mark.read)
            continue
        gain = _gain(wanted, mark.read, said, words) if claims else 1.0
        if len(claims) < most and gain >= _GAIN:
            claims.append(Claim(told(mark.read.unit), (_quote(mark.read),), score=mark.score))
            said |= _spoken_of(wanted, mark.read.unit.text, words)
    return claims


def _spoken_of(wanted: Asked, text: str, words: Words) -> frozenset[str]:
    """Return what a text speaks of, of all that is asked: stems, and names by their first form."""
    own, spelt = frozenset(words.terms(text)), named(text)
    names = [one.forms[0] for one in wanted.names if any(form in spelt for form in one.forms)]
    return own.intersection(wanted.terms).union(names)


def _gain(wanted: Asked, one: Read, said: frozenset[str], words: Words) -> float:
    new = _spoken_of(wanted, one.unit.text, words) - said
    weights = {name.forms[0]: name.weight for name in wanted.names} | dict(wanted.terms)
    return sum(weights[item] for item in new) / wanted.weight if wanted.weight else 0.0


def _same(wanted: Asked, one: Read, claims: Sequence[Claim]) -> int | None:
    """Return which claim a piece of another document says again: the same values or names."""
    ours = _answers(wanted, one.unit.text)
    for at, claim in enumerate(claims):
        if ours and ours <= _answers(wanted, claim.text) | _answers(
            wanted, claim.quotes[0].text
        ):
            return at
    return None


def _answers(wanted: Asked, text: str) -> frozenset[str]:
    kind = wanted.part.goal.wants.kind
    if kind in MEASURED:
        return frozenset(new_values(wanted, text))
    if kind == Kind.PERSON:
        return frozenset(named(name) for name in new_names(wanted, text))
    return frozenset()


def _supported(claim: Claim, one: Read) -> Claim:
    """Return a claim with one more source, if it is another one and there is room."""
    document = one.unit.passage.document.id
    known = {quote.passage.document.id for quote in claim.quotes}
    if len(claim.quotes) >= _QUOTES or document in known:
        return claim
    return replace(claim, quotes=(*claim.quotes, _quote(one)))


def _quote(one: Read) -> Quote:
    return Quote(one.unit.passage, one.unit.start, one.unit.end)
