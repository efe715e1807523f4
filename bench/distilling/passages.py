"""Sections as passages of the length that is embedded, English, each once, none evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from bench.distilling.evaluated import runs
from bench.distilling.sections import Section

_LEAST, _MOST = 120, 900
_TITLE = 150
_COMMON = frozenset(
    (
        "the",
        "of",
        "and",
        "to",
        "in",
        "is",
        "a",
        "for",
        "that",
        "with",
        "as",
        "on",
        "be",
        "are",
        "this",
        "by",
        "it",
        "from",
        "or",
        "an",
        "not",
        "can",
        "which",
    )
)
_ENGLISH = 0.13
"""So large a share of English words is as common as these, and of no other language's."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A passage, and what it is from, which decides how often it is learnt from."""

    source: str
    title: str
    text: str


class Passages:
    """What was taken so far."""

    def __init__(self, evaluated: Set[int]) -> None:
        self._evaluated, self._seen = evaluated, set[int]()
        self.kept: list[Drawn] = []
        self.left_out = 0

    def take(self, source: str, section: Section, *, is_english: bool = False) -> int:
        """Take a section in, and return how many characters of it were new."""
        taken = 0
        for text in _cut(section.paragraphs):
            plain = re.sub(r"[ \t]+", " ", text).strip()
            same = hash(re.sub(r"\W+", "", plain.lower()))
            if len(plain) < _LEAST or same in self._seen or not (is_english or _english(plain)):
                continue
            self._seen.add(same)
            if any(run in self._evaluated for run in runs(plain)):
                self.left_out += 1
                continue
            self.kept.append(Drawn(source, section.title[:_TITLE], plain))
            taken += len(plain)
        return taken


def _cut(paragraphs: Sequence[str]) -> Iterator[str]:
    """Join small paragraphs and cut long ones at the end of a sentence."""
    held = ""
    for paragraph in map(str.strip, paragraphs):
        rest = paragraph
        if held and len(held) + len(rest) > _MOST:
            yield held
            held = ""
        while len(rest) > _MOST:
            cut = rest.rfind(". ", _LEAST, _MOST) + 1 or _MOST
            yield rest[:cut]
            rest = rest[cut:].strip()
        held = f"{held}\n{rest}".strip()
    if held:
        yield held


def _english(text: str) -> bool:
    words = re.findall(r"[a-z]+", text.lower())
    return len(words) > 0 and sum(word in _COMMON for word in words) / len(words) > _ENGLISH
