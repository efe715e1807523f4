"""What a text says to a part of a question, and whether two texts contradict each other.

Two texts contradict each other that speak of the same of what is asked and give it different
values. Which of them is to be believed is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sextant.ask.evidence.asked import Asked, Read, content, named
from sextant.ask.evidence.claim import Claim, Quote
from sextant.ask.evidence.marking.coverage import share_of, spoken_of
from sextant.ask.evidence.marking.fit import MEASURED, new_names, new_values
from sextant.ask.evidence.wording.force import replaced
from sextant.ask.evidence.wording.values import DATE, dimension, values_in
from sextant.ask.reading.wants import Kind
from sextant.retrieval.scoring.worth import standing_of
from sextant.text.prose.negation import denies
from sextant.text.words import Words
from sextant.types import Document

_DIMENSIONED = frozenset({Kind.AMOUNT, Kind.COUNT})
_SHARED = 0.6
"""Both speak of so much of what is asked."""

_LEAST_SHARED = 2
"""Who asks `and who owns it?` says of too little whether two texts are about the same."""

_LIKELY, _WORDED, _SHARED_LESS = 3.0, 0.7, 0.45
"""From these odds on and with so many words in common, they may share less of it. So many words are
needed, too, where nobody read what a text says."""

_SAME_WORDS, _ALL_WORDS, _SWAPPED = 3, 2, 2
"""Texts are worded alike that have at least so many words in common, or so many that are all of
one of them; a name in plain words is at most so many others."""

_CLEARLY = 0.15
"""Sources whose reputations are so far apart are no equals."""

_ABOUT = 5.0
"""What it counts for, beside log odds, that a text is worded like another one, speaks of all that
is asked, or has the noun that is asked for."""

_POSSIBLE = {True: -3.0, False: -0.6}
"""The least odds that a text is what is asked for, if its value is plain to see, since it is a
measure or stands in the place of another one, and if it is not."""

_FRAMED = {True: 0.3, False: 0.5}
"""The share of the shorter text's other words that the longer one has, if what is asked is measured
or both call it by its name, and otherwise. All these numbers were fitted by bench/poison.py
--topics fit, so that false texts are found to disagree with the true ones, and few of the texts
that are found for the sample's 90 honest questions."""

_TABULAR = frozenset({"row", "record"})
_CODE = re.compile(r"`([^`]+)`|(?<!\w)[\w$-]*(?:[\w-][._/:@][\w-]|\d)[\w./:@%-]*")
_DIGIT = re.compile(r"\d")
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stance:
    """What a text says to a part: its values, what it speaks of, and its other words.

    ``text`` is the piece of a source, or the claim that an answer makes already.
    """

    text: Read | Claim
    quote: Quote
    values: frozenset[str]
    spoken: frozenset[str]
    frame: frozenset[str]
    odds: float | None
    worth: float
    is_denial: bool
    is_tabular: bool
    has_other_names: bool = False
    """Whether it names somebody whom the question does not."""

    @property
    def document(self) -> Document:
        """The source."""
        return self.quote.passage.document

    @property
    def standing(self) -> tuple[float, datetime]:
        """How far its source goes before another: by reputation while in force, then by date."""
        moment = self.document.modified or self.document.created
        own = standing_of(self.document, self.worth)
        return own, moment.astimezone(UTC) if moment else _LONG_AGO


@dataclass(frozen=True, slots=True)
class Matter:
    """What a part asks, as that which sources may disagree on."""

    wanted: Asked
    words: Words

    def stance_of(self, read: Read, quote: Quote) -> Stance | None:
        """Return what a piece of a source says; None if it has nothing that is asked for."""
        values = _values(self.wanted, read.unit.text)
        if not values and self._kind in MEASURED:
            return None
        unit = read.unit
        is_tabular, odds = unit.layout in _TABULAR, self.wanted.odds_of(unit)
        spoken, frame = self._words_of(quote, unit.text, unit.under, values)
        denied, others = denies(unit.text), bool(new_names(self.wanted, unit.text))
        return Stance(
            read, quote, values, spoken, frame, odds, read.worth, denied, is_tabular, others
        )

    def stance_of_claim(self, claim: Claim, worth: float) -> Stance:
        """Return what a claim says that is in no source's own words."""
        quote, text = claim.quotes[0], claim.text
        values = _values(self.wanted, text)
        spoken, frame = self._words_of(quote, text, "", values)
        denied = denies(text)
        return Stance(claim, quote, values, spoken, frame, None, worth, denied, is_tabular=False)

    def contradict(self, one: Stance, other: Stance) -> bool:
        """Whether two sources give what is asked two values."""
        if one.document.id == other.document.id or self._are_of_others(one, other):
            return False
        if are_worded_alike(one, other) and self._differ(one, other):
            return not one.spoken.isdisjoint(other.spoken) and _are_possible(one, other)
        if self._kind == Kind.YES_NO or not one.values or not other.values:
            return False
        if not _are_apart(one.values, other.values) or not self._are_comparable(one, other):
            return False
        if self._are_both_meant(one, other):
            return True
        is_plain = self._kind in MEASURED
        return self._speak_of_the_same(one, other) and _are_possible(one, other, is_plain=is_plain)

    def likeness(self, same: Sequence[Stance], other: Stance) -> float:
        """Return how likely a text answers what these do: by its odds, its words and its matter."""
        alike = max(_share_of_words(mine, other) for mine in same)
        is_called_so = bool(self._noun) and self._noun <= other.spoken | other.frame
        about = alike + share_of(self.wanted, other.spoken) + is_called_so
        return (other.odds or 0.0) + _ABOUT * about

    @property
    def _kind(self) -> Kind:
        return self.wanted.part.goal.wants.kind

    @property
    def _noun(self) -> frozenset[str]:
        return frozenset(content(self.words, self.wanted.part.goal.wants.noun))

    def _are_both_meant(self, one: Stance, other: Stance) -> bool:
        """Whether no equals both give a measure and likely mean what is asked, in any words."""
        if self._kind not in MEASURED or one.odds is None or other.odds is None:
            return False
        return min(one.odds, other.odds) >= _LIKELY and _are_no_equals(one, other)

    def _are_of_others(self, one: Stance, other: Stance) -> bool:
        """Whether one of two texts names whom the question names, and the other somebody else."""
        names = {name.forms[0] for name in self.wanted.names}
        ours, theirs = one.spoken & names, other.spoken & names
        return (bool(ours - theirs) and other.has_other_names) or (
            bool(theirs - ours) and one.has_other_names
        )

    def _differ(self, one: Stance, other: Stance) -> bool:
        """Whether of two texts in like words each has a value, or a word, that the other lacks."""
        if self._kind == Kind.YES_NO and one.is_denial != other.is_denial:
            return True
        if one.values - other.values and other.values - one.values:
            return self._are_comparable(one, other)
        if self._kind in MEASURED or one.values != other.values:
            return False
        swapped = (len(one.frame - other.frame), len(other.frame - one.frame))
        return min(swapped) > 0 and max(swapped) <= _SWAPPED and _are_no_equals(one, other)

    def _are_comparable(self, one: Stance, other: Stance) -> bool:
        """Whether two texts measure in the same: 30 percent is no other value than 50 EUR."""
        if self._kind not in _DIMENSIONED:
            return True
        ours, theirs = ({dimension(value) for value in own.values} for own in (one, other))
        return not ours.isdisjoint(theirs)

    def _speak_of_the_same(self, one: Stance, other: Stance) -> bool:
        """Whether two texts are about the same of what is asked, and have other words in common.

        Where nobody read what they say, they have to be worded alike.
        """
        is_alike, needed = are_worded_alike(one, other), _SHARED
        if one.odds is None or other.odds is None:
            has_words = is_alike
        else:
            is_called_so = bool(self._noun) and self._noun <= one.frame & other.frame
            framed = _FRAMED[self._kind in MEASURED or is_called_so]
            has_words = _share_of_words(one, other) >= framed
            if is_alike and min(one.odds, other.odds) >= _LIKELY:
                needed = _SHARED_LESS
        spoken = one.spoken & other.spoken
        is_enough = len(spoken) >= _LEAST_SHARED and share_of(self.wanted, spoken) >= needed
        return has_words and is_enough

    def _words_of(
        self, quote: Quote, text: str, under: str, values: Iterable[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Return what a text speaks of, and its words that are no value, number or date."""
        passage = quote.passage
        over = [passage.document.title, *passage.chunk.headings, under, text]
        spoken = spoken_of(self.wanted, " ".join(over), self.words)
        own = {term for value in values for term in self.words.terms(value)}
        found = content(self.words, DATE.sub(" ", text))
        return spoken, frozenset(term for term in found if term not in own and not term.isdigit())


def are_worded_alike(one: Stance, other: Stance) -> bool:
    """Whether the shorter of two texts has few words that the other one lacks, or none."""
    both, share = len(one.frame & other.frame), _share_of_words(one, other)
    if one.is_tabular != other.is_tabular:
        return False
    return (both >= _SAME_WORDS and share >= _WORDED) or (both >= _ALL_WORDS and share == 1.0)


def _are_possible(one: Stance, other: Stance, *, is_plain: bool = True) -> bool:
    """Whether both texts may be what is asked for, as far as that is known."""
    odds = [own.odds for own in (one, other) if own.odds is not None]
    return not odds or min(odds) >= _POSSIBLE[is_plain]


def _share_of_words(one: Stance, other: Stance) -> float:
    shorter = min(len(one.frame), len(other.frame))
    return len(one.frame & other.frame) / shorter if shorter else 1.0


def _are_no_equals(one: Stance, other: Stance) -> bool:
    return abs(one.standing[0] - other.standing[0]) >= _CLEARLY


def _are_apart(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether two texts share no value; names that both have do not count beside figures."""
    figures = [frozenset(one for one in own if _DIGIT.search(one)) for own in (ours, theirs)]
    if all(figures):
        return figures[0].isdisjoint(figures[1])
    return ours.isdisjoint(theirs)


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
    if kind in MEASURED:
        return frozenset(one for one in found if _DIGIT.search(one))
    return found | names


def _opens(name: str, text: str) -> bool:
    """Whether a name is one word that may only be written so because it opens the sentence."""
    return " " not in name and name.isalpha() and text.lstrip("\"'*`([").startswith(name)
