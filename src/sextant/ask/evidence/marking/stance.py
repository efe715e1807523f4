"""What a text says to a part of a question, and whether two texts contradict each other.

Two texts contradict each other that speak of the same of what is asked and give it different
values. Which of them is to be believed is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.marking.coverage import answer_values, held, share_of, spoken_of
from sextant.ask.evidence.marking.fit import MEASURED, new_names
from sextant.ask.evidence.read import Read, content, named
from sextant.ask.evidence.subject import unnamed_subject
from sextant.ask.evidence.wording.values import DATE, dimension, names_in
from sextant.ask.quotes import Quote
from sextant.ask.reading.wants import Kind
from sextant.retrieval.scoring.worth import standing_of
from sextant.text.prose.negation import denies
from sextant.text.words import Words
from sextant.types import Document

_DIMENSIONED = frozenset({Kind.AMOUNT, Kind.COUNT})
_SHARED = 0.6
"""Both speak of so much of what is asked."""

_SHARED_LEAST = 0.3
"""So much is enough for texts that are worded alike, where the sources are no equals."""

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
_DIGIT = re.compile(r"\d")
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stance:
    """What a text says to a part: its values, what it speaks of, and its other words.

    ``text`` is the piece of a source, or the claim that an answer makes already; ``standing`` how
    far its source goes before another: by reputation while in force, then by date.
    """

    text: Read | Claim
    quote: Quote
    values: frozenset[str]
    spoken: frozenset[str]
    frame: frozenset[str]
    odds: float | None
    worth: float
    standing: tuple[float, datetime]
    is_denial: bool
    is_tabular: bool = False
    called: frozenset[str] = frozenset()
    """The names in the question that it has, or stands under."""
    has_other_names: bool = False

    @property
    def document(self) -> Document:
        """The source."""
        return self.quote.passage.document


class Matter:
    """What a part asks, as that which sources may disagree on."""

    def __init__(self, wanted: Asked, words: Words) -> None:
        self._wanted, self._words = wanted, words
        wants = wanted.part.goal.wants
        self._kind, self._noun = wants.kind, frozenset(content(words, wants.noun))
        self._is_measured = wants.kind in MEASURED
        self._names = frozenset(map(named, names_in(wanted.part.goal.text)))

    def stance_of(self, read: Read, quote: Quote) -> Stance | None:
        """Return what a piece of a source says; None if it can contradict nothing."""
        text, wanted, odds = read.unit.text, self._wanted, self._wanted.odds_of(read.unit)
        if odds is not None and odds < _POSSIBLE[True]:
            return None
        spoken = held(wanted, read) | read.around.intersection(wanted.terms)
        values = answer_values(wanted, text) if spoken or odds is not None else frozenset()
        if not values and (self._is_measured or not spoken):
            return None
        terms = read.terms
        if DATE.search(text):
            terms = frozenset(content(self._words, DATE.sub(" ", text)))
        return Stance(
            read,
            quote,
            values,
            spoken,
            self._frame(terms, values),
            odds,
            read.worth,
            _standing(quote, read.worth),
            self._is_denial(text),
            read.unit.layout in _TABULAR,
            self._called_by(read),
            bool(new_names(wanted, text)),
        )

    def stance_of_claim(self, claim: Claim, worth: float) -> Stance:
        """Return what a claim says that is in no source's own words."""
        quote, text = claim.quotes[0], claim.text
        values, passage = answer_values(self._wanted, text), quote.passage
        over = " ".join([passage.document.title, *passage.chunk.headings, text])
        spoken = spoken_of(self._wanted, over, self._words)
        frame = self._frame(content(self._words, DATE.sub(" ", text)), values)
        standing, denied = _standing(quote, worth), self._is_denial(text)
        called, others = self._called_in(named(over)), bool(new_names(self._wanted, text))
        return Stance(
            claim,
            quote,
            values,
            spoken,
            frame,
            None,
            worth,
            standing,
            denied,
            False,
            called,
            others,
        )

    def contradict(self, one: Stance, other: Stance) -> bool:
        """Whether two sources give what is asked two values."""
        if one.document.id == other.document.id or self._are_of_others(one, other):
            return False
        if are_worded_alike(one, other) and self._differ(one, other):
            needed = _SHARED_LEAST if _are_no_equals(one, other) else _SHARED
            shared = share_of(self._wanted, one.spoken & other.spoken)
            return shared >= needed and _are_possible(one, other)
        if self._kind == Kind.YES_NO or not one.values or not other.values:
            return False
        if not _are_apart(one.values, other.values) or not self._are_comparable(one, other):
            return False
        if self._are_both_meant(one, other):
            return True
        is_plain = self._is_measured
        return self._speak_of_the_same(one, other) and _are_possible(one, other, is_plain=is_plain)

    def likeness(self, same: Sequence[Stance], other: Stance) -> float:
        """Return how likely a text answers what these do: by its odds, its words and its matter."""
        alike = max(_share_of_words(mine, other) for mine in same)
        is_called_so = bool(self._noun) and self._noun <= other.spoken | other.frame
        about = alike + share_of(self._wanted, other.spoken) + is_called_so
        return (other.odds or 0.0) + _ABOUT * about

    def _are_both_meant(self, one: Stance, other: Stance) -> bool:
        """Whether no equals both give a measure and likely mean what is asked, in any words."""
        if not self._is_measured or one.odds is None or other.odds is None:
            return False
        return min(one.odds, other.odds) >= _LIKELY and _are_no_equals(one, other)

    def _are_of_others(self, one: Stance, other: Stance) -> bool:
        """Whether one of two texts names whom the question names, and the other somebody else."""
        missed = (one.called - other.called, other.called - one.called)
        return bool((missed[0] and other.has_other_names) or (missed[1] and one.has_other_names))

    def _called_by(self, read: Read) -> frozenset[str]:
        """Return whom of those that are named a piece speaks of: in `It reads Q` that is not Q."""
        about = unnamed_subject(read.unit, self._names)
        return self._called_in(named(about) if about else read.name + read.heading)

    def _called_in(self, spelt: str) -> frozenset[str]:
        return frozenset(name for name in self._names if name in spelt)

    def _differ(self, one: Stance, other: Stance) -> bool:
        """Whether of two texts in like words each has a value, or a word, that the other lacks."""
        if one.is_denial != other.is_denial:
            return True
        if one.values - other.values and other.values - one.values:
            return self._are_comparable(one, other)
        if self._is_measured or one.values != other.values:
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
        """Whether two texts are about the same of what is asked; unread ones have to be alike."""
        is_alike, needed = are_worded_alike(one, other), _SHARED
        if one.odds is None or other.odds is None:
            has_words = is_alike
        else:
            is_called_so = bool(self._noun) and self._noun <= one.frame & other.frame
            framed = _FRAMED[self._is_measured or is_called_so]
            has_words = _share_of_words(one, other) >= framed
            if is_alike and min(one.odds, other.odds) >= _LIKELY:
                needed = _SHARED_LESS
        spoken = one.spoken & other.spoken
        is_enough = len(spoken) >= _LEAST_SHARED and share_of(self._wanted, spoken) >= needed
        return has_words and is_enough

    def _frame(self, terms: Iterable[str], values: Iterable[str]) -> frozenset[str]:
        """Return the words of a text that are no value and no number."""
        own = {term for value in values for term in self._words.terms(value)}
        return frozenset(term for term in terms if term not in own and not term.isdigit())

    def _is_denial(self, text: str) -> bool:
        return self._kind == Kind.YES_NO and denies(text)


def _standing(quote: Quote, worth: float) -> tuple[float, datetime]:
    document = quote.passage.document
    moment = document.modified or document.created
    return standing_of(document, worth), moment.astimezone(UTC) if moment else _LONG_AGO


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
