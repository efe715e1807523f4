"""Passages read into pieces of text made ready to compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sextant.ask.reading.tokens import STOP_WORDS
from sextant.retrieval.scoring.worth import worths
from sextant.retrieval.sorts import sorts
from sextant.text.names import normal_name
from sextant.text.orders import is_within, orders_in
from sextant.text.prose.units import Unit, units_of
from sextant.text.words import Words, words_in
from sextant.types import Hit, Passage


@dataclass(frozen=True, slots=True)
class Read:
    """A piece of evidence as it is compared: its stems and names, and those it stands under."""

    unit: Unit
    stems: tuple[str, ...]
    terms: frozenset[str]
    around: frozenset[str]
    name: str
    title: str
    heading: str
    before: str
    sorts: tuple[str, ...] = ()
    prior: float = 0.0
    worth: float = 1.0


class Reader:
    """Reads each passage once, however often it is looked at for a question."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._known: dict[tuple[str, str], list[Read]] = {}

    def read(self, hits: Sequence[Hit], question: str = "") -> list[Read]:
        """Return the pieces of the hits, best hit first, each worth what it is for the question.

        What reads like an order to an assistant is no piece: no answer says it.
        """
        best = max((hit.scores.total for hit in hits), default=0.0) or 1.0
        worth = worths((hit.passage.document for hit in hits), question)
        return [
            replace(
                one, prior=max(0.0, hit.scores.total / best), worth=worth[hit.passage.document.id]
            )
            for hit in hits
            for one in self._pieces(hit.passage)
        ]

    def _pieces(self, passage: Passage) -> list[Read]:
        key = passage.chunk.id, passage.version
        if key not in self._known:
            self._known[key] = _read(passage, self.words)
        return self._known[key]


def _read(passage: Passage, words: Words) -> list[Read]:
    document = passage.document
    heading = " ".join([document.title, *passage.chunk.headings])
    own_sorts = tuple(sorts(document))
    over = frozenset(content(words, " ".join([heading, *own_sorts])))
    name = named(heading)
    title = named(document.title)
    titled = words.terms(document.title)
    found, before = [], ""
    orders = orders_in(passage.chunk.text)
    for unit in units_of(passage):
        if is_within(orders, unit.start, unit.end):
            continue
        stems = words.terms(unit.text)
        own = frozenset(stems) - _UNASKED
        around, above = over, name
        if unit.under:
            around, above = over | frozenset(content(words, unit.under)), name + named(unit.under)
        spelt = named(unit.text)
        found.append(
            Read(
                unit,
                tuple(dict.fromkeys([*titled, *stems])),
                own,
                around,
                spelt,
                title,
                above,
                before,
                own_sorts,
            )
        )
        before = unit.text
    return found


def named(text: str) -> str:
    """Return a text so that a name in it can be found as whole words."""
    return f" {normal_name(text)} "


_UNASKED = STOP_WORDS.union(Words().terms(" ".join(sorted(STOP_WORDS))))
"""Words that mean nothing by themselves, and their stems."""


def content(words: Words, text: str) -> list[str]:
    """Return the stems of the words that mean something, each once."""
    return list(dict.fromkeys(term for term in words.terms(text) if term not in _UNASKED))


def spoken(words: Words, text: str) -> dict[str, str]:
    """Return for each stem that means something the word as it was asked."""
    told: dict[str, str] = {}
    for word in words_in(text):
        for term in words.terms(word):
            if term not in _UNASKED:
                told.setdefault(term, word)
    return told
