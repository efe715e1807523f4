"""From text to search terms: fold case, split into words, stem. Knows nothing of scores."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

import Stemmer

from sextant.errors import ConfigError

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
_LONGEST = 64

NO_STEMS = "none"


def languages() -> tuple[str, ...]:
    """Name the languages whose words can be stemmed; ``none`` leaves words as they are."""
    return (*sorted(Stemmer.algorithms()), NO_STEMS)


class Words:
    """The words of one language. Remembers stems, since the same words come again and again."""

    def __init__(self, language: str = "english") -> None:
        if language not in languages():
            raise ConfigError(
                f"There are no stems for {language!r}.", f"Use one of {', '.join(languages())}."
            )
        self.language = language
        self._stem: Callable[[str], str] = str
        if language != NO_STEMS:
            self._stem = Stemmer.Stemmer(language, 0).stemWord
        self._terms: dict[str, tuple[str, ...]] = {}

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order, repeated as often as they occur."""
        known = self._terms
        found: list[str] = []
        for word in _WORD.findall(fold(text)):
            terms = known.get(word)
            if terms is None:
                terms = self._learn(word)
            found += terms
        return found

    def _learn(self, word: str) -> tuple[str, ...]:
        if len(self._terms) > _MEMORY:
            self._terms.clear()
        terms = tuple(self._stem(part[:_LONGEST]) for part in _split_unspaced(word))
        self._terms[word] = terms
        return terms


_MEMORY = 200_000


def fold(text: str) -> str:
    """Make texts that differ only in case, width or composition the same."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _split_unspaced(word: str) -> Iterator[str]:
    """Cut scripts written without spaces into overlapping pairs, which serve as their words."""
    if word.isascii():
        yield word
        return
    end = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > end:
            yield word[end : run.start()]
        end = run.end()
        signs = run.group()
        yield from (signs[at : at + 2] for at in range(max(1, len(signs) - 1)))
    if end < len(word):
        yield word[end:]
