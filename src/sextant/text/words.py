"""From text to search terms: fold case, split into words, stem. Knows nothing of scores."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

import Stemmer

from sextant.errors import ConfigError

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
_LONGEST = 64
SIGNS = {code: " " for code in range(128) if not chr(code).isalnum()}

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
        self._stems: dict[str, str] = {}

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order, repeated as often as they occur."""
        words = words_in(fold(text))
        if not text.isascii():
            words = [part for word in words for part in _split_unspaced(word)]
        try:
            return list(map(self._stems.__getitem__, words))
        except KeyError:
            return list(map(self._learned(words).__getitem__, words))

    def _learned(self, words: Iterable[str]) -> dict[str, str]:
        """Return stems that hold these words; other threads may be learning, too."""
        stems = {} if len(self._stems) > _MEMORY else self._stems
        for word in words:
            if word not in stems:
                stems[word] = self._stem(word[:_LONGEST])
        self._stems = stems
        return stems


def words_in(text: str) -> list[str]:
    """Return the runs of letters and digits in a text."""
    return text.translate(SIGNS).split() if text.isascii() else _WORD.findall(text)


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
