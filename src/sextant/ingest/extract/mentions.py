"""Finding known names in text, all of them in one pass. Knows whose they are, but no store."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import ahocorasick_rs

from sextant.ingest.extract.index import Holder
from sextant.ingest.extract.phrases import STOP
from sextant.text.names import normal_name
from sextant.text.sentences import sentence_spans
from sextant.text.words import SIGNS, fold, words_in

_END = "\x01"
_SHORT = 4
_SIGNS = SIGNS | {ord(_END): STOP}


class Mention(NamedTuple):
    """A name in a text: whose it is, and which words it takes up. A tuple, since there are many."""

    entity: str
    first: int
    last: int


class Wording:
    """A text as the words that names are compared by, with a stop between sentences."""

    __slots__ = ("_spans", "_spelt", "joined", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self._spans = sentence_spans(text)
        self.words = self._words(fold)
        self._spelt: list[str] | None = None
        self.joined = f" {'  '.join(self.words)} "

    def stands(self, written: tuple[str, ...], place: int) -> bool:
        """Whether a word stands here as it is written; a short one at this very place."""
        if len(written[0]) > _SHORT:
            return any(one in self.text for one in written)
        if self._spelt is None:
            self._spelt = self._words(_composed)
        return place < len(self._spelt) and self._spelt[place] in written

    def place(self, at: int) -> int:
        """Return which word stands at a place of the joined words."""
        return self.joined.count("  ", 0, at + 1) if at else 0

    def _words(self, form: Callable[[str], str]) -> list[str]:
        if self.text.isascii():
            whole = form(self.text)
            marked = f" {_END} ".join([whole[start:end] for start, end in self._spans])
            return marked.translate(_SIGNS).split()
        words: list[str] = []
        for start, end in self._spans:
            words += [*words_in(form(self.text[start:end])), STOP]
        return words[:-1]


def _composed(text: str) -> str:
    """Return a text as it is folded, but for the case of its letters."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


class Finder:
    """An automaton over all names that are sought; a single word counts only as it is written."""

    def __init__(self, sought: Iterable[tuple[str, Holder]]) -> None:
        holders: dict[str, Holder] = {}
        written: dict[str, set[str]] = defaultdict(set)
        for spelling, holder in sought:
            for form in map(form_of, written_forms(normal_name(spelling))):
                holders[form] = min(holder, holders.get(form, holder))
                written[form] |= _capitalised(spelling)
        self._heading: tuple[str, frozenset[str]] = ("", frozenset())
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
        if heading != self._heading[0]:
            found = frozenset(mention.entity for mention in self.find(Wording(heading)))
            self._heading = (heading, found)
        return self._heading[1]

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


def own_mentions(wording: Wording, own: Mapping[str, str]) -> Iterator[Mention]:
    """Yield where a name that only the document itself claims stands first, if it does."""
    for form, entity in own.items():
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
