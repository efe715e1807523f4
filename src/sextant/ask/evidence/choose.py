"""Which claims to make for a part: edges that its cues ask for, and sentences that fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sextant.ask.evidence.again import is_cited, quote_of, same, says, supported, told_by
from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.disagreement import with_disagreements
from sextant.ask.evidence.edges import edge_claims, explaining
from sextant.ask.evidence.joined import joined
from sextant.ask.evidence.marking.coverage import (
    held,
    share_of,
    spoken_of,
    stands_under,
)
from sextant.ask.evidence.marking.fit import MEASURED, new_names
from sextant.ask.evidence.marking.rivals import settled
from sextant.ask.evidence.marking.score import Mark, marked, ordered
from sextant.ask.evidence.read import Read, content, named
from sextant.ask.evidence.subject import told
from sextant.ask.reading.wants import Kind
from sextant.text.names import normal_name
from sextant.text.words import Words

_FLOOR = 0.5
"""A sentence that scores less beside the best one is not said."""

_GAIN = 0.15
"""The share of what is asked that a further sentence must bring."""

_LITTLE, _MUCH = 0.7, 0.95
"""Shares of what is asked: below the first nothing is sure to be answered, above the second all."""

_BELIEVED, _TELLING = 0.5, 3
"""A further piece is worth this much of the best one's source, and has so many words."""

_EACH, _IN_DOUBT = 3, 2
_PAIR, _CLOSE = 2, 0.9
"""Two sentences that score nearly the same are both said."""

_POSSIBLE, _HARDLY_LESS, _LESS_UNNAMED = -3.0, 2.0, 1.0
"""A piece of such odds is said that come so near to the best ones, whatever words it has; nearer,
if it lacks a name in the question that the best piece has."""

_EDGE = 0.75
"""An edge leads if it speaks of this much of what the best sentence speaks of."""

_THERE, _NEAR_THERE = 1.3, 1.1
"""What a piece gains that stands in the passage, or in the document, of what was said before."""

_ABOUT = 0.6
"""A list tells how to do something if its title speaks of this much of what is asked."""

_MOST_OF = 0.6
_STEPS = 6
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
    steps = _steps(wanted, reads)
    if steps:
        return steps
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
            and len(claims) < _room(wanted, said, most)
            and _is_further(wanted, mark, marks[0], claims, said)
        ):
            more = [_said(wanted, one, mark.score), *_bridge_to(wanted, mark, marks)]
            claims += more
            known += [told_by(wanted, claim, words) for claim in more]
            said |= own | (one.around & frozenset(wanted.terms))
    if is_whole:
        claims = _unique([*_joined(wanted, claims, every), *claims])
    claims = _unique(_bridge(wanted, claims, reads, words) + _explained(wanted, claims, words))
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


def _steps(wanted: Asked, reads: Sequence[Read]) -> list[Claim]:
    """Return the steps of the list that stands under what is asked, where a procedure is asked."""
    if wanted.part.goal.wants.kind != Kind.PROCEDURE:
        return []
    lists: dict[str, list[Read]] = {}
    for one in reads:
        if one.unit.layout == "item":
            lists.setdefault(one.unit.passage.chunk.id, []).append(one)
    told = {name: stands_under(wanted, own[0]) for name, own in lists.items() if len(own) > 1}
    best = max(told, key=lambda name: (told[name] * lists[name][0].worth, name), default="")
    if not best or told[best] < _ABOUT:
        return []
    return [_said(wanted, one, told[best]) for one in lists[best][:_STEPS]]


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


def _explained(wanted: Asked, claims: list[Claim], words: Words) -> list[Claim]:
    """Put behind the first reason the edges that lead from what is asked to what it is about."""
    if wanted.part.goal.wants.kind != Kind.REASON or not claims:
        return claims
    title = claims[0].quotes[0].passage.document.title
    about = [normal_name(name) for name in (title, *new_names(wanted, claims[0].text))]
    about += [form.strip() for name in wanted.names for form in name.forms]
    return _unique([claims[0], *explaining(wanted, about, words), *claims[1:]])


def _bridge(
    wanted: Asked, claims: Sequence[Claim], reads: Sequence[Read], words: Words
) -> list[Claim]:
    """Return what has what is still to be said beside a name that the claims brought up."""
    if not claims or wanted.part.reached.paths or not wanted.part.goal.wants.cues:
        return []
    noun = frozenset(content(words, wanted.part.goal.wants.noun))
    said = frozenset(term for one in claims for term in words.terms(one.text))
    left = frozenset(wanted.terms) - said
    names = [named(name) for one in claims for name in new_names(wanted, one.text)]
    for name in dict.fromkeys(names):
        found = [
            one
            for one in reads
            if name in one.name + one.heading and _brings(wanted, one, left, noun - said)
        ]
        if found:
            best = max(found, key=lambda one: (one.worth, name in one.name, one.prior))
            return [_said(wanted, best, claims[0].score)]
    return []


def _brings(wanted: Asked, one: Read, left: frozenset[str], noun: frozenset[str]) -> bool:
    """Whether a piece has the thing asked for by name, or most of what is still to be said."""
    if noun:
        return noun <= one.terms
    return bool(left) and share_of(wanted, left & one.terms) >= _MOST_OF * share_of(wanted, left)


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
    if _is_meant(wanted, one, best.read):
        return True
    if len(one.terms) < _TELLING:
        return False
    if share_of(wanted, held(wanted, one) - said) >= _needed(wanted, said):
        return mark.score >= best.score * _FLOOR
    return len(claims) < _PAIR and mark.score >= best.score * _CLOSE


def _is_meant(wanted: Asked, one: Read, best: Read) -> bool:
    """Whether a piece is hardly less likely what is asked for than the one that is most so."""
    odds = wanted.odds_of(one.unit)
    if odds is None:
        return False
    lacks = any(name.is_in(best) and not name.is_in(one) for name in wanted.names)
    less = _LESS_UNNAMED if lacks else _HARDLY_LESS
    return odds >= max(_POSSIBLE, max(wanted.odds.values()) - less)


def _room(wanted: Asked, said: frozenset[str], most: int) -> int:
    """Return how many sentences there may be; more where what is said speaks of little."""
    return most if most < _EACH or _sureness(wanted, said) >= 1.0 else most + _IN_DOUBT


def _sureness(wanted: Asked, said: frozenset[str]) -> float:
    """Return in 0 to 1 how far what is said speaks of what is asked."""
    share = share_of(wanted, said)
    return min(1.0, max(0.0, (share - _LITTLE) / (_MUCH - _LITTLE)))


def _said(wanted: Asked, one: Read, score: float) -> Claim:
    asked = frozenset(form for name in wanted.names for form in name.forms)
    text = told(one.unit, wanted.part.goal.wants.noun, asked=asked)
    return Claim(text, (quote_of(one),), score=score)
