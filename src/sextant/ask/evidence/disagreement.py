"""Where sources disagree: which of them leads, and which one says otherwise.

Two texts disagree that speak of the same of what is asked and give it different values. The more
reputable source leads, of equals the newer one; what the other says stands behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sextant.ask.evidence.asked import Asked, Read, content, named
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.marking.coverage import share_of, spoken_of
from sextant.ask.evidence.marking.fit import MEASURED, new_names, new_values
from sextant.ask.evidence.wording.force import in_force, replaced
from sextant.ask.evidence.wording.values import DATE, dimension, values_in
from sextant.ask.reading.wants import Kind
from sextant.retrieval.scoring.worth import standing_of
from sextant.text.words import Words
from sextant.types import Document

_SINGLE = MEASURED | {Kind.PLACE, Kind.PERSON, Kind.NAME, Kind.ANYTHING}
"""What has one answer: of a list, two sources may each tell a part."""

_DIMENSIONED = frozenset({Kind.AMOUNT, Kind.COUNT})
_SHARED = 0.6
"""Both speak of so much of what is asked."""

_LEAST_SHARED = 2
"""Who asks `and who owns it?` says of too little whether two texts are about the same."""

_LIKELY, _WORDED, _SHARED_LESS = 3.0, 0.7, 0.45
"""From these odds on and with so many words in common, they may share less of it. So many words are
needed, too, where nobody read what a text says."""

_POSSIBLE = {True: -3.0, False: -0.6}
"""The least odds that a text is what is asked for, if it is measured and if it is not."""

_FRAMED = {True: 0.3, False: 0.5}
"""The share of the shorter text's other words that the longer one has, if what is asked is measured
or both call it by its name, and otherwise. These numbers were fitted to the sample knowledge by
bench/poison.py --topics fit, so that false texts are found to disagree with the true ones, and few
of the texts that are found for its 90 honest questions."""

_LEADING = 0.0
"""The least odds of a text that takes the place of another one."""

_BELIEVED = 0.5
"""What is worth less than this much of the better source's word is not repeated."""

_CODE = re.compile(r"`([^`]+)`|(?<!\w)[\w$-]*(?:[\w-][._/:@][\w-]|\d)[\w./:@%-]*")
_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Stance:
    """What a text says to a part: its values, what it speaks of, its other words, and its claim."""

    claim: Claim
    values: frozenset[str]
    spoken: frozenset[str]
    frame: frozenset[str]
    odds: float | None
    worth: float

    @property
    def document(self) -> Document:
        return self.claim.quotes[0].passage.document

    @property
    def standing(self) -> tuple[float, datetime]:
        """How far its source goes before another: by reputation while in force, then by date."""
        moment = self.document.modified or self.document.created
        own = standing_of(self.document, self.worth)
        return own, moment.astimezone(UTC) if moment else _LONG_AGO


def with_disagreements(
    wanted: Asked,
    claims: Sequence[Claim],
    reads: Sequence[Read],
    words: Words,
    claim_of: Callable[[Read], Claim],
) -> list[Claim]:
    """Let the better of two sources that disagree lead, and say behind it what the other says."""
    if wanted.part.goal.wants.kind not in _SINGLE:
        return list(claims)
    matter = _Matter(wanted, words)
    stances = [
        matter.stance_of_piece(read, claim_of(read))
        for read in reads
        if _values(wanted, read.unit.text) and in_force(read.unit.text, read.before, wanted.day)
    ]
    by_quote = {one.claim.quotes[0].key: one for one in stances}
    worth = {one.document.id: one.worth for one in stances}
    kept: list[_Stance] = []
    for claim in claims:
        own = None if claim.relations else by_quote.get(claim.quotes[0].key)
        own = replace(own, claim=claim) if own else matter.stance_of_claim(claim, worth)
        lead = matter.lead(own, stances)
        known = any(lead.claim.text == one.claim.text for one in kept)
        if not known and not any(matter.is_disputed(own, one) for one in kept):
            kept.append(lead)
    return [one.claim for one in kept]


@dataclass(frozen=True, slots=True)
class _Matter:
    """What a part asks, as that which sources may disagree on."""

    wanted: Asked
    words: Words

    def stance_of_piece(self, read: Read, claim: Claim) -> _Stance:
        """Return what a piece of a source says."""
        odds = self.wanted.odds_of(read.unit)
        return self._stance(claim, read.unit.text, read.unit.under, odds, read.worth)

    def stance_of_claim(self, claim: Claim, worth: Mapping[str, float]) -> _Stance:
        """Return what a claim says that is in no source's own words."""
        known = worth.get(claim.quotes[0].passage.document.id, 1.0)
        return self._stance(claim, claim.text, "", None, known)

    def lead(self, own: _Stance, stances: Iterable[_Stance]) -> _Stance:
        """Return the best of all that give this a value, with what the next best says instead."""
        rivals = [one for one in stances if self.is_disputed(own, one)]
        leading = [one for one in rivals if one.odds is None or one.odds >= _LEADING]
        better = max(leading, key=lambda one: one.standing, default=own)
        if better.standing > own.standing:
            return _over(better, own)
        return _over(own, max(rivals, key=lambda one: one.standing)) if rivals else own

    def is_disputed(self, one: _Stance, other: _Stance) -> bool:
        """Whether two sources give what is asked two values."""
        if one.document.id == other.document.id or not one.values or not other.values:
            return False
        return (
            one.values.isdisjoint(other.values)
            and self._are_comparable(one, other)
            and self._speak_of_the_same(one, other)
            and all(own.odds is None or own.odds >= self._least_odds for own in (one, other))
        )

    @property
    def _kind(self) -> Kind:
        return self.wanted.part.goal.wants.kind

    @property
    def _least_odds(self) -> float:
        return _POSSIBLE[self._kind in MEASURED]

    def _are_comparable(self, one: _Stance, other: _Stance) -> bool:
        """Whether two texts measure in the same: 30 percent is no other value than 50 EUR."""
        if self._kind not in _DIMENSIONED:
            return True
        ours, theirs = ({dimension(value) for value in own.values} for own in (one, other))
        return not ours.isdisjoint(theirs)

    def _speak_of_the_same(self, one: _Stance, other: _Stance) -> bool:
        both, shorter = one.frame & other.frame, min(len(one.frame), len(other.frame))
        alike = len(both) / shorter if shorter else 1.0
        noun = frozenset(content(self.words, self.wanted.part.goal.wants.noun))
        is_precise = self._kind in MEASURED or (bool(noun) and noun <= both)
        odds = [own.odds for own in (one, other) if own.odds is not None]
        is_read, are_likely = len(odds) == 2, len(odds) == 2 and min(odds) >= _LIKELY
        needed = _SHARED_LESS if are_likely and alike >= _WORDED else _SHARED
        spoken = one.spoken & other.spoken
        if len(spoken) < _LEAST_SHARED or share_of(self.wanted, spoken) < needed:
            return False
        return alike >= (_FRAMED[is_precise] if is_read else _WORDED)

    def _stance(
        self, claim: Claim, text: str, under: str, odds: float | None, worth: float
    ) -> _Stance:
        passage = claim.quotes[0].passage
        over = [passage.document.title, *passage.chunk.headings, under]
        values = _values(self.wanted, text)
        own = frozenset(term for value in values for term in self.words.terms(value))
        spoken = spoken_of(self.wanted, " ".join([*over, text]), self.words)
        return _Stance(
            claim, values, spoken, frozenset(content(self.words, text)) - own, odds, worth
        )


def _over(lead: _Stance, other: _Stance) -> _Stance:
    """Return who leads, with what the other one says instead, if that is worth repeating."""
    told = other.claim if other.worth >= _BELIEVED * lead.worth else None
    return replace(lead, claim=replace(lead.claim, otherwise=told))


def _values(wanted: Asked, text: str) -> frozenset[str]:
    """Return what a text can be the answer by, without what it calls past and when it says so."""
    kind = wanted.part.goal.wants.kind
    if kind in MEASURED or kind == Kind.PLACE:
        past = values_in(replaced(text), kind)
        if found := frozenset(new_values(wanted, text)).difference(past):
            return found
    names = {named(name).strip() for name in new_names(wanted, text) if not _opens(name, text)}
    if kind == Kind.PERSON:
        return frozenset(names)
    undated = DATE.sub(" ", text)
    codes = (one.group(1) or one.group() for one in _CODE.finditer(undated))
    found = frozenset(one.strip(".:").lower() for one in codes if named(one) not in wanted.spelt)
    return found | (frozenset() if kind in MEASURED else names)


def _opens(name: str, text: str) -> bool:
    """Whether a name is one word that may only be written so because it opens the sentence."""
    return " " not in name and name.isalpha() and text.lstrip("\"'*`([").startswith(name)
