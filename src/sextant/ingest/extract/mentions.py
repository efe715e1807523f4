"""Finding known names in text, all of them in one pass. Knows whose they are, but no store."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import ahocorasick_rs

from sextant.ingest.extract.index import Holder
from sextant.ingest.extract.phrases import STOP
from sextant.text.names import normal_name
from sextant.text.prose.sentences import sentence_spans
from sextant.text.words import SIGNS, fold, words_in

_END = "\x01"
_SHORT = 4
_MOST_HEADINGS = 4_096
_SIGNS = SIGNS | {ord(_END): STOP}


class Mention(NamedTuple):
    """A name in a text: whose it is, and which words it takes up. A tuple, since there are many."""

    entity: str
    first: int
    last: int


class Wording:
    """A text as the words that names are compared by, with a stop between sentences.

    ``spelt`` are the same words as they are written.
    """

    __slots__ = ("joined", "spelt", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        spans = sentence_spans(text)
        if text.isascii():
            marked = f" {_END} ".join([text[start:end] for start, end in spans])
            self.spelt = marked.translate(_SIGNS).split()
            self.joined = f" {'  '.join(self.spelt)} ".lower()
            self.words = self.joined.split()
        else:
            self.spelt = _words(text, spans, _composed)
            self.words = _words(text, spans, fold)
            self.joined = f" {'  '.join(self.words)} "

    def stands(self, written: tuple[str, ...], place: int) -> bool:
        """Whether a word stands here as it is written; a short one at this very place."""
        if len(written[0]) > _SHORT:
            return any(one in self.text for one in written)
        return place < len(self.spelt) and self.spelt[place] in written

    def sentences(self) -> Iterator[tuple[str, Sequence[tuple[int, int]], int]]:
        """Yield each sentence, where its words stand in it, and the place of the first of them."""
        first = 0
        for start, end in sentence_spans(self.text):
            sentence = _composed(self.text[start:end])
            spans = [found.span() for found in _WORD.finditer(sentence)]
            yield sentence, spans, first
            first += len(spans) + 1

    def place(self, at: int) -> int:
        """Return which word stands at a place of the joined words."""
        return self.joined.count("  ", 0, at + 1) if at else 0


_WORD = re.compile(r"[^\W_]+")


def _words(text: str, spans: Sequence[tuple[int, int]], form: Callable[[str], str]) -> list[str]:
    words: list[str] = []
    for start, end in spans:
        words += [*words_in(form(text[start:end])), STOP]
    return words[:-1]


def _composed(text: str) -> str:
    """Return a text as it is folded, but for the case of its letters."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


class Finder:
    """An automaton over all names that are sought; a single word counts only as it is written.

    ``stated`` are the entities among them that a source or a person states.
    """

    def __init__(self, sought: Iterable[tuple[str, Holder]]) -> None:
        holders: dict[str, Holder] = {}
        written: dict[str, set[str]] = defaultdict(set)
        for spelling, holder in sought:
            for form in map(form_of, written_forms(normal_name(spelling))):
                holders[form] = min(holder, holders.get(form, holder))
                written[form] |= _capitalised(spelling)
        self._headings: dict[str, frozenset[str]] = {}
        self.stated = frozenset(one.entity for one in holders.values() if one.is_stated)
        forms = list(holders)
        self._entities = [holders[form].entity for form in forms]
        self._lengths = [form.count("  ") for form in forms]
        self._written = [_as_written(form, written[form]) for form in forms]
        self._automaton = (
            ahocorasick_rs.AhoCorasick(forms, matchkind=ahocorasick_rs.MATCHKIND_LEFTMOST_LONGEST)
            if forms
            else None
        )

    def entities_in(self, heading: str) -> frozenset[str]:
        """Return whose names stand in a heading; the chunks of a section share theirs."""
        known = self._headings.get(heading)
        if known is None:
            known = frozenset(mention.entity for mention in self.find(Wording(heading)))
            if len(self._headings) >= _MOST_HEADINGS:
                self._headings.clear()
            self._headings[heading] = known
        return known

    def find(self, wording: Wording) -> list[Mention]:
        """Return the names in a text, in order; where several fit, the longest."""
        found: list[Mention] = []
        if self._automaton is None:
            return found
        for pattern, start, _ in self._automaton.find_matches_as_indexes(wording.joined):
            written = self._written[pattern]
            first = wording.place(start)
            if not written or wording.stands(written, first):
                found.append(
                    Mention(self._entities[pattern], first, first + self._lengths[pattern])
                )
        return found


def _capitalised(spelling: str) -> set[str]:
    """Return how a word may be written at the start of a sentence or of a shout; It is not IT."""
    return {spelling} if spelling.isupper() else {spelling, spelling.capitalize(), spelling.upper()}


def _as_written(form: str, spellings: set[str]) -> tuple[str, ...]:
    """Return how a single word of letters must be written to be a name; IT is not it."""
    word = form.strip()
    return tuple(sorted(one for one in spellings if fold(one) == word)) if word.isalpha() else ()


class OwnNames:
    """The names that only a document itself claims, by their first word."""

    def __init__(self, named: Iterable[tuple[str, str]]) -> None:
        self._by_word: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
        for number, (spelling, entity) in enumerate(named):
            word = spelling.partition(" ")[0]
            self._by_word[word].append((number, form_of(spelling), entity))

    def find(self, wording: Wording) -> Iterator[Mention]:
        """Yield where each of the names stands first, if it does, in the order of the claims."""
        words = self._by_word.keys() & set(wording.words)
        for _, form, entity in sorted(one for word in words for one in self._by_word[word]):
            at = wording.joined.find(form)
            if at >= 0:
                first = wording.place(at)
                yield Mention(entity, first, first + form.count("  "))


def written_forms(spelling: str) -> set[str]:
    """Return how a name may be written: in words, or as one."""
    return {spelling, spelling.replace(" ", "")}


def form_of(spelling: str) -> str:
    """Return how a normal name stands among joined words."""
    return f" {'  '.join(spelling.split())} "
