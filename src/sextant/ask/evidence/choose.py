"""Which claims to make for a part: edges that its cues ask for, and sentences that fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sextant.ask.evidence.asked import Asked, Read, content, named
from sextant.ask.evidence.claim import Claim, Quote
from sextant.ask.evidence.edges import edge_claims, explaining
from sextant.ask.evidence.marking.coverage import (
    answers_in,
    held,
    share_of,
    spoken_of,
    stands_under,
)
from sextant.ask.evidence.marking.fit import MEASURED, new_names
from sextant.ask.evidence.marking.rivals import settled
from sextant.ask.evidence.marking.score import Mark, marked, ordered
from sextant.ask.evidence.subject import told
from sextant.ask.reading.wants import Kind
from sextant.text.names import normal_name
from sextant.text.words import Words

_FLOOR = 0.5
"""A sentence that scores less beside the best one is not said."""

_GAIN = 0.15
"""The share of what is asked that a further sentence must bring."""

_EDGE = 0.75
"""An edge leads if it speaks of this much of what the best sentence speaks of."""

_ALIKE = 0.8
"""A source supports a claim if it speaks of this much of what the claim speaks of."""

_THERE, _NEAR_THERE = 1.3, 1.1
"""What a piece gains that stands in the passage, or in the document, of what was said before."""

_ABOUT = 0.6
"""A list tells how to do something if its title speaks of this much of what is asked."""

_MOST_OF = 0.6
_STEPS = 6
_QUOTES = 3
_LOOKED_AT = 20
_NO_EDGE = MEASURED | {Kind.REASON}


def choose(
    wanted: Asked, reads: Sequence[Read], words: Words, most: int, before: Sequence[Claim] = ()
) -> list[Claim]:
    """Return at most so many claims for a part, the most direct one first.

    What comes before was said to other parts; what goes with it stands near it.
    """
    steps = _steps(wanted, reads)
    if steps:
        return steps
    marks = settled(wanted, _from_there(marked(wanted, reads), before))[:_LOOKED_AT]
    claims = _edges(wanted, marks, words)[:most]
    said = frozenset(item for one in claims for item in spoken_of(wanted, one.text, words))
    for mark in marks:
        if mark.score < marks[0].score * _FLOOR:
            break
        if _of_another(wanted, mark.read, claims[:1], words):
            continue
        own = held(wanted, mark.read)
        same = _same(wanted, mark.read, own, claims, words)
        if same is not None:
            claims[same] = _supported(claims[same], mark.read, wanted, words)
        elif len(claims) < most and (
            share_of(wanted, own - said) >= _needed(wanted) or _is_first(wanted, mark.read, claims)
        ):
            claims += [_said(wanted, mark.read, mark.score), *_bridge_to(wanted, mark, marks)]
            said |= own | (mark.read.around & frozenset(wanted.terms))
    return _unique(_bridge(wanted, claims, reads, words) + _explained(wanted, claims, words))


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
        if _quote(mark.read).key not in known:
            kept.append(replace(mark, score=mark.score * bonus))
    return ordered(kept) if before else marks


def _is_first(wanted: Asked, one: Read, claims: Sequence[Claim]) -> bool:
    """Whether a piece is the first of all, or the first that has the sort of value asked for."""
    if not claims:
        return True
    return bool(answers_in(wanted, one.unit.text)) and not any(
        answers_in(wanted, claim.text) for claim in claims
    )


def _bridge_to(wanted: Asked, mark: Mark, marks: Sequence[Mark]) -> list[Claim]:
    """Return what joins a name in the question to the title that a piece stands under."""
    title = mark.read.title
    for name in wanted.names:
        if title in name.bridges and not name.is_in(mark.read):
            for one in marks:
                if name.is_in(one.read) and title in one.read.name:
                    return [_said(wanted, one.read, one.score)]
    return []


def _of_another(wanted: Asked, one: Read, claims: Sequence[Claim], words: Words) -> bool:
    """Whether a piece has the thing asked for by name, but of none whom the claims brought up."""
    wants = wanted.part.goal.wants
    noun = frozenset(content(words, wants.noun))
    if not wants.cues or not noun or not noun <= one.terms:
        return False
    names = [named(name) for claim in claims for name in new_names(wanted, claim.text)]
    return bool(names) and not any(name in one.name or name in one.heading for name in names)


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


def _needed(wanted: Asked) -> float:
    return _GAIN / 2 if wanted.part.goal.wants.kind == Kind.YES_NO else _GAIN


def _same(
    wanted: Asked, one: Read, own: frozenset[str], claims: Sequence[Claim], words: Words
) -> int | None:
    """Return which claim a piece says again: the same values or names, or nearly the same words."""
    ours = answers_in(wanted, one.unit.text)
    for at, claim in enumerate(claims):
        theirs = answers_in(wanted, claim.text)
        if ours and ours <= theirs:
            return at
        if theirs and theirs <= ours and spoken_of(wanted, claim.text, words) <= own:
            return at
        told = frozenset(content(words, claim.text))
        if len(told & one.terms) >= _ALIKE * len(told) and len(one.terms) <= 2 * len(told):
            return at
    return None


def _supported(claim: Claim, one: Read, wanted: Asked, words: Words) -> Claim:
    """Return a claim with one more source, if it is another one that speaks of the same."""
    document = one.unit.passage.document.id
    known = {quote.passage.document.id for quote in claim.quotes}
    if len(claim.quotes) >= _QUOTES or document in known:
        return claim
    theirs = spoken_of(wanted, claim.text, words)
    both = theirs & (held(wanted, one) | one.around)
    if share_of(wanted, both) < share_of(wanted, theirs) * _ALIKE:
        return claim
    return replace(claim, quotes=(*claim.quotes, _quote(one)))


def _said(wanted: Asked, one: Read, score: float) -> Claim:
    return Claim(told(one.unit, wanted.part.goal.wants.noun), (_quote(one),), score=score)


def _quote(one: Read) -> Quote:
    return Quote(one.unit.passage, one.unit.start, one.unit.end)
