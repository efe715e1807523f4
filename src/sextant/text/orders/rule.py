"""One rule by which an order is known: its words, its pattern and its reason. Knows no rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sextant.text.words import words_in

_LEAD = re.compile(
    r"(?:^[ \t]*|[.!?:;,/=(){}\[\]\"'“>|*#\n–—-][ \t>|*#_`-]*"  # noqa: RUF001 - dashes as printed
    r"|\b(?:and|then|please|now|instead|just|simply|must|kindly|completely|fully"
    r"|you (?:may|can|must|should|will|shall))[ ,]+)\Z"
)
_LONGEST_LEAD = 40
_STEM = 5
"""So many letters of a word tell whether a rule can match at all."""


def stems_in(small: str) -> frozenset[str]:
    """Return the first letters of all words of a text in small letters."""
    return frozenset([word[:_STEM] for word in set(words_in(small))])


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, why it speaks to a model, and words of which every match has one; none is any.

    What is imperative begins a clause. A rule that is ``only_near`` counts in a paragraph that has
    another order: by itself its pattern is found in honest handbooks.
    """

    reason: str
    words: str
    text: str
    is_imperative: bool = False
    only_near: bool = False
    stems: frozenset[str] = field(init=False)
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stems", stems_in(self.words))
        object.__setattr__(self, "pattern", re.compile(self.text))

    def spans(self, small: str, stems: frozenset[str], end: int) -> Iterator[tuple[int, int]]:
        """Yield where a text in small letters, with these stems, does what the rule says."""
        if self.stems and self.stems.isdisjoint(stems):
            return
        for found in self.pattern.finditer(small, 0, end):
            before = max(0, found.start() - _LONGEST_LEAD)
            if not self.is_imperative or _LEAD.search(small, before, found.start()):
                yield found.span()
