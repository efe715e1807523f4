"""Which claims to make for a part: edges that its cues ask for, and sentences that fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sextant.ask.evidence.again import is_cited, quote_of, same, says, supported, told_by
from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.disagreement import with_disagreements
from sextant.ask.evidence.edges import edge_claims
from sextant.ask.evidence.joined import joined
from sextant.ask.evidence.marking.coverage import (
    held,
    share_of,
    spoken_of,
)
from sextant.ask.evidence.marking.fit import MEASURED
from sextant.ask.evidence.marking.rivals import settled
from sextant.ask.evidence.marking.score import Mark, marked, ordered
from sextant.ask.evidence.read import Read
from sextant.ask.evidence.subject import told
from sextant.ask.reading.wants import Kind
from sextant.text.words import Words

_FLOOR = 0.5
"""A sentence that scores less beside the best one is not said."""

_GAIN = 0.15
"""The share of what is asked that a further sentence must bring."""

_LITTLE, _MUCH = 0.7, 0.95
"""Shares of what is asked: below the first nothing is sure to be answered, above the second all."""

_BELIEVED, _TELLING = 0.5, 3
"""A further piece is worth this much of the best one's source, and has so many words."""

_PAIR, _CLOSE = 2, 0.9
"""Two sentences that score nearly the same are both said."""

_EDGE = 0.75
"""An edge leads if it speaks of this much of what the best sentence speaks of."""

_THERE, _NEAR_THERE = 1.3, 1.1
"""What a piece gains that stands in the passage, or in the document, of what was said before."""

_LOOKED_AT = 16
_NO_EDGE = MEASURED | {Kind.REASON}


def choose(
    wanted: Asked,
    reads: Sequence[Read],
    words: Words,
    most: int,
    before: Sequence[Claim] = (),
    *,
    is_whole: bool = False,
) -> list[Claim]:
    """Return at most so many claims for a part, the most direct one first.

    What comes before was said to other parts; what goes with it stands near it. Where the
    part is the whole question, two pieces that answer it together come first.
    """
    every = settled(wanted, _from_there(marked(wanted, reads), before))
    marks = every[:_LOOKED_AT]
    claims = _edges(wanted, marks, words)[:most]
    said = frozenset(item for one in claims for item in spoken_of(wanted, one.text, words))
    known = [told_by(wanted, claim, words) for claim in claims]
    for mark in marks:
        one = mark.read
        own = held(wanted, one)
        again = same(wanted, one, own, known)
        if again is not None and says(wanted, one, claims[again], words):
            claims[again] = supported(claims[again], one)
        elif (
            (again is None or not is_cited(one, claims))
            and len(claims) < most
            and _is_further(wanted, mark, marks[0], claims, said)
        ):
            more = [_said(wanted, one, mark.score), *_bridge_to(wanted, mark, marks)]
            claims += more
            known += [told_by(wanted, claim, words) for claim in more]
            said |= own | (one.around & frozenset(wanted.terms))
    if is_whole:
        claims = _unique([*_joined(wanted, claims, every), *claims])
    return with_disagreements(wanted, claims, reads, words, lambda one: _said(wanted, one, 0.0))


def together(wanted: Asked, reads: Sequence[Read], claims: Sequence[Claim]) -> list[Claim]:
    """Return the two pieces that answer a question together, as far as they are not said."""
    pair = _joined(wanted, claims, settled(wanted, marked(wanted, reads)))
    return [claim for claim in pair if claim not in claims]


def _joined(wanted: Asked, claims: Sequence[Claim], marks: Sequence[Mark]) -> list[Claim]:
    """Return what is said by the two pieces that answer a question together, if any do."""
    said = {quote.key: claim for claim in reversed(claims) for quote in claim.quotes}
    believed = [mark.read for mark in marks if mark.read.worth >= marks[0].read.worth * _BELIEVED]
    return [
        said.get(quote_of(one).key) or _said(wanted, one, marks[0].score)
        for one in joined(wanted, believed)
    ]


def _from_there(marks: list[Mark], before: Sequence[Claim]) -> list[Mark]:
    """Prefer what stands beside what was said already, and do not say that again."""
    quotes = [quote for claim in before for quote in claim.quotes[:1]]
    chunks = {quote.passage.chunk.id for quote in quotes}
    documents = {quote.passage.document.id for quote in quotes}
    known = {quote.key for quote in quotes}
    kept = []
    for mark in marks:
        passage = mark.read.unit.passage
        bonus = _THERE if passage.chunk.id in chunks else 1.0
        if bonus == 1.0 and passage.document.id in documents:
            bonus = _NEAR_THERE
        if quote_of(mark.read).key not in known:
            kept.append(replace(mark, score=mark.score * bonus))
    return ordered(kept) if before else marks


def _bridge_to(wanted: Asked, mark: Mark, marks: Sequence[Mark]) -> list[Claim]:
    """Return what joins a name in the question to the title that a piece stands under."""
    title = mark.read.title
    for name in wanted.names:
        if title in name.bridges and not name.is_in(mark.read):
            for one in marks:
                if name.is_in(one.read) and title in one.read.name:
                    return [_said(wanted, one.read, one.score)]
    return []


def _unique(claims: Iterable[Claim]) -> list[Claim]:
    return list({claim.text: claim for claim in claims}.values())


def _edges(wanted: Asked, marks: Sequence[Mark], words: Words) -> list[Claim]:
    """Return what the graph says, if it speaks of nearly as much as the best sentence does.

    Edges know no dates, and answer no question that has one.
    """
    wants, reached = wanted.part.goal.wants, wanted.part.reached
    if wants.kind in _NO_EDGE or wants.dates:
        return []
    if reached.paths:
        return edge_claims(wanted, reached, words)
    best = max((share_of(wanted, held(wanted, mark.read)) for mark in marks[:3]), default=0.0)
    cued = frozenset(term for cue in wants.cues for term in words.terms(cue.word))
    own = [term for term in wanted.terms if term in cued]
    if share_of(wanted, own + [name.forms[0] for name in wanted.names]) < best * _EDGE:
        return []
    return edge_claims(wanted, wanted.part.expansion, words)


def _needed(wanted: Asked, said: frozenset[str]) -> float:
    """Return what a further sentence must bring: the more, the more is said already."""
    usual = _GAIN / 2 if wanted.part.goal.wants.kind == Kind.YES_NO else _GAIN
    return usual * _sureness(wanted, said)


def _is_further(
    wanted: Asked, mark: Mark, best: Mark, claims: Sequence[Claim], said: frozenset[str]
) -> bool:
    """Whether a piece is worth saying behind what is said: it scores well, or brings something."""
    one = mark.read
    if not claims:
        return True
    if one.worth < best.read.worth * _BELIEVED:
        return False
    if len(one.terms) < _TELLING:
        return False
    if share_of(wanted, held(wanted, one) - said) >= _needed(wanted, said):
        return mark.score >= best.score * _FLOOR
    return len(claims) < _PAIR and mark.score >= best.score * _CLOSE


def _sureness(wanted: Asked, said: frozenset[str]) -> float:
    """Return in 0 to 1 how far what is said speaks of what is asked."""
    share = share_of(wanted, said)
    return min(1.0, max(0.0, (share - _LITTLE) / (_MUCH - _LITTLE)))


def _said(wanted: Asked, one: Read, score: float) -> Claim:
    asked = frozenset(form for name in wanted.names for form in name.forms)
    text = told(one.unit, wanted.part.goal.wants.noun, asked=asked)
    return Claim(text, (quote_of(one),), score=score)
