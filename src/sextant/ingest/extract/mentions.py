"""Finding known names in text, all of them in one pass. Knows whose they are, but no store."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import ahocorasick_rs

from sextant.ingest.extract.index import Holder
from sextant.ingest.extract.phrases import STOP
from sextant.text.names import normal_name
from sextant.text.sentences import sentence_spans
from sextant.text.words import fold

_WORD = re.compile(r"[^\W_]+")
_END = "\x01"
_SHORT = 4
_SIGNS = {code: " " for code in range(128) if not chr(code).isalnum()} | {ord(_END): STOP}


class Mention(NamedTuple):
    """A name in a text: whose it is, and which words it takes up. A tuple, since there are many."""

    entity: str
    first: int
    last: int


class Wording:
    """A text as the words that names are compared by, with a stop between sentences."""

    __slots__ = ("joined", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = _words(text)
        self.joined = f" {'  '.join(self.words)} "

    def stands(self, written: tuple[str, ...]) -> bool:
        """Whether a word stands here as it is written; short ones are part of many others."""
        if len(written[0]) > _SHORT:
            return any(one in self.text for one in written)
        return _alone(written).search(self.text) is not None

    def place(self, at: int) -> int:
        """Return which word stands at a place of the joined words."""
        return self.joined.count("  ", 0, at + 1) if at else 0


@lru_cache(4_096)
def _alone(written: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(map(re.escape, written))})(?![^\W_])")


def _words(text: str) -> list[str]:
    spans = sentence_spans(text)
    if text.isascii():
        folded = text.lower()
        return words_in(f" {_END} ".join([folded[start:end] for start, end in spans]))
    words: list[str] = []
    for start, end in spans:
        words += [*words_in(fold(text[start:end])), STOP]
    return words[:-1]


def words_in(text: str) -> list[str]:
    """Return the words of a text as they are written."""
    return text.translate(_SIGNS).split() if text.isascii() else _WORD.findall(text)


class Finder:
    """An automaton over all names that are sought; a single word counts only as it is written."""

    def __init__(self, sought: Iterable[tuple[str, Holder]]) -> None:
        holders: dict[str, Holder] = {}
        written: dict[str, set[str]] = defaultdict(set)
        for spelling, holder in sought:
            for form in map(form_of, written_forms(normal_name(spelling))):
                holders[form] = min(holder, holders.get(form, holder))
                written[form] |= {spelling, spelling.capitalize(), spelling.upper()}
        forms = list(holders)
        self._entities = [holders[form].entity for form in forms]
        self._lengths = [form.count("  ") for form in forms]
        self._written = [_as_written(form, written[form]) for form in forms]
        self._automaton = (
            ahocorasick_rs.AhoCorasick(forms, matchkind=ahocorasick_rs.MATCHKIND_LEFTMOST_LONGEST)
            if forms
            else None
        )

    def find(self, wording: Wording) -> list[Mention]:
        """Return the names in a text, in order; where several fit, the longest."""
        found: list[Mention] = []
        if self._automaton is None:
            return found
        for pattern, start, _ in self._automaton.find_matches_as_indexes(wording.joined):
            written = self._written[pattern]
            if not written or wording.stands(written):
                first = wording.place(start)
                found.append(
                    Mention(self._entities[pattern], first, first + self._lengths[pattern])
                )
        return found


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
