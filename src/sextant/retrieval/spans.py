"""What in a question could be a name, by how it is written. Knows no store and no entity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sextant.text.prose.sentences import OPENERS

_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"[\"“«]([^\"“”«»\n\ud800-\udfff]{2,80})[\"”»]")
_JOINTS = "-_'’./&+@#"  # noqa: RUF001 - an apostrophe as it is printed
_OWNING = re.compile(r"['’](?:s\b|(?!\w))")  # noqa: RUF001 - an apostrophe as it is printed
_LONGEST, _LONGEST_NAME, _MOST_WORDS = 10, 120, 400
_LEFT, _LEAST_LEFT = 2, 5
_BETWEEN = frozenset({" ", "-", "'", "’", ". ", "."})  # noqa: RUF001 - an apostrophe as printed
_ARTICLES = frozenset({"the", "a", "an"})
_PLAIN = OPENERS | frozenset(
    "about am be been between by during else ever him his her hers i into just less may me might "  # noqa: SIM905 - words read best as words
    "mine more must my name named next not of off only or other out over own per please said same "
    "shall such tell than them then through too up us very via whom whose why within without yes "
    "answer explain find give happens list mean means show there think want works".split()
)
"""Words of a question that name nothing by themselves, however they are written."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words of the question."""

    text: str
    start: int
    end: int
    words: int

    @property
    def is_name(self) -> bool:
        """Whether it is written like a name: with a capital letter, or a digit among letters."""
        coded = any(map(str.isdigit, self.text)) and any(map(str.isalpha, self.text))
        return coded or any(map(str.isupper, self.text))


def _words(text: str) -> list[re.Match[str]]:
    return list(islice(_WORD.finditer(text), _MOST_WORDS))


def spans_in(text: str) -> Iterator[Span]:
    """Yield the runs of words that could be names."""
    words = _words(text)
    plain = [word.group().lower() in _PLAIN for word in words]
    opens = [at for at in range(len(words)) if _opens(text, words, plain, at)]
    ends = [_ends(text, word, plain[at]) for at, word in enumerate(words)]
    for first in opens:
        for last in range(first, min(first + _LONGEST, len(words))):
            start, end = words[first].start(), words[last].end()
            if ends[last] and 1 < end - start <= _LONGEST_NAME and not all(plain[first : last + 1]):
                yield Span(text[start:end], start, end, last - first + 1)


def _opens(text: str, words: Sequence[re.Match[str]], plain: Sequence[bool], at: int) -> bool:
    """Whether a name may start at a word; a plain one must be an article or stand by a capital."""
    word = words[at]
    if _goes_on(text, word.start() - 1, -1):
        return False
    near = words[at : at + 2]
    return not plain[at] or word.group() in _ARTICLES or any(one[0][0].isupper() for one in near)


def _ends(text: str, word: re.Match[str], plain: bool) -> bool:
    """Whether a name may end with a word, and not in the middle of it."""
    if plain and len(word.group()) > 1 and word.group()[0].islower():
        return False
    return not _goes_on(text, word.end(), 1) or bool(_OWNING.match(text, word.end()))


def _goes_on(text: str, at: int, step: int) -> bool:
    """Whether a sign here joins what stands before it and after it into one word."""
    return (
        0 < at < len(text) - 1
        and text[at] in _JOINTS
        and text[at + step].isalnum()
        and text[at - step].isalnum()
    )


def apart(spans: Iterable[Span], taken: Sequence[Span] = ()) -> list[Span]:
    """Return the longest spans that overlap neither each other nor one that is taken."""
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start - one.end, one.start)):
        if all(span.end <= one.start or span.start >= one.end for one in (*taken, *chosen)):
            chosen.append(span)
    return chosen


def left_over(text: str, taken: Sequence[Span]) -> list[Span]:
    """Return the longest quoted and capitalised spans beside those that are taken."""
    quoted = (Span(one[1], one.start(1), one.end(1), 1) for one in _QUOTED.finditer(text))
    spans = (
        span
        for span in (*islice(quoted, _MOST_WORDS), *_capitalised(text))
        if _LEAST_LEFT <= len(span.text) <= _LONGEST_NAME
    )
    return apart(spans, taken)[:_LEFT]


def _capitalised(text: str) -> Iterator[Span]:
    """Yield runs of words that start with a capital letter, but not one that opens a sentence."""
    run: list[re.Match[str]] = []
    for word in (*_words(text), None):
        name = word is not None and word.group()[0].isupper()
        near = bool(run) and word is not None and text[run[-1].end() : word.start()] in _BETWEEN
        if run and not (name and near):
            start, end = run[0].start(), run[-1].end()
            yield Span(text[start:end], start, end, len(run))
            run = []
        if name and word is not None and word.group().lower() not in _PLAIN:
            run.append(word)
