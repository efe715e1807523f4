"""Which lines are headings, and what stands under them. Knows how they are marked, and no format.

Remarks in fenced code look like headings, and are none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

HEADING = re.compile(
    r"(?:(?P<marks>#{1,6}|={1,6})[ \t]+(?P<name>[^\n]+)"
    r"|(?![-*+•>|][ \t])(?P<title>[^\n]{1,200})\n"
    r"(?P<line>={3,}|-{3,}|~{4,}|\^{4,}|\*{4,}|\+{4,})[ \t]*)(?=\n|\Z)"
)
"""A heading: marked in front, or underlined."""

_AT_LINES = re.compile(rf"^[ ]{{0,3}}{HEADING.pattern}", re.MULTILINE)
_MARKS = ("#", "=", "---", "~~~~", "^^^^", "****", "++++")
"""Every heading has one of these, and most passages have none."""

_FENCE = re.compile(
    r"^(?P<quote>[ \t]*+(?:>[> \t]*+)?)(?:(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)"
    r"|(?P<call>\{\{[<%][ \t]*+(?P<ends>/?)[ \t]*+highlight\b[^{}\n]*+\}\}"
    r"|\{%-?[ \t]*+(?P<over>end)?+highlight\b[^{}%\n]*+%\})[ \t]*+)(?:\n|\Z)",
    re.MULTILINE,
)
"""A fence, in a quote as well, or what opens and ends highlighted code for Hugo and Jekyll."""

_UNDERLINES = "=-~^*+"
_DEEPEST = 6
_FEWEST_LETTERS = 4


class Heading(NamedTuple):
    """A heading in a text, from its marks to its last sign."""

    start: int
    end: int
    level: int
    name: str


def heading_of(said: str) -> str:
    """Return the name in a heading; a line over a rule that is much shorter may be none."""
    found = HEADING.fullmatch(said)
    if found is None:
        return ""
    if found["marks"]:
        return found["name"].strip(" \t#=")
    return found["title"].strip() if 2 * len(found["line"]) >= len(found["title"].strip()) else ""


@lru_cache(64)
def headings_in(text: str) -> tuple[Heading, ...]:
    """Return the headings in a text, in order."""
    if not any(mark in text for mark in _MARKS):
        return ()
    code = [span for _, *span in fenced(text)]
    return tuple(
        Heading(found.start(), found.end(), _level(found), name)
        for found in _AT_LINES.finditer(text)
        if (name := heading_of(found[0].lstrip())) and not _is_within(found.start(), code)
    )


def _is_within(at: int, spans: Sequence[Sequence[int]]) -> bool:
    before = bisect_right(spans, at, key=itemgetter(0)) - 1
    return before >= 0 and at < spans[before][1]


def fenced(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield where each fence that is closed starts, and where the code in it starts and ends."""
    opened: re.Match[str] | None = None
    at = 0
    for fence in _FENCE.finditer(text):
        if opened and ">" in opened["quote"] and not _is_quoted(text, at, fence):
            opened = None
        at = fence.end()
        if opened is None:
            opened = None if fence["ends"] or fence["over"] else fence
        elif _ends(opened, fence):
            yield opened.start(), opened.end(), fence.start()
            opened = None


def _is_quoted(text: str, at: int, fence: re.Match[str]) -> bool:
    """Whether the lines from a place on are quoted, up to a fence and with it."""
    between = text[at : fence.start()].split("\n")[:-1]
    return ">" in fence["quote"] and all(one.lstrip().startswith(">") for one in between)


def _ends(opened: re.Match[str], fence: re.Match[str]) -> bool:
    if opened["call"]:
        return bool(fence["ends"] or fence["over"])
    if opened["quote"].count(">") != fence["quote"].count(">") or not fence["mark"]:
        return False
    return fence["mark"].startswith(opened["mark"]) and not fence["rest"].strip()


def _level(found: re.Match[str]) -> int:
    return len(found["marks"] or "") or _UNDERLINES.index(found["line"][0]) + 1


def headings_before(headings: Sequence[Heading], at: int) -> list[str]:
    """Return the headings that a place stands under, the nearest first."""
    found: list[str] = []
    above = _DEEPEST + 1
    for heading in reversed(headings):
        if heading.start < at and heading.level < above:
            found.append(heading.name)
            above = heading.level
    return found


def is_shouted(line: str) -> bool:
    """Whether a line is written like the headings of a plain text: ``NEXT MEETING``"""
    return (
        line.isupper()
        and line[0].isalnum()
        and line[-1] not in ".!?,;"
        and ": " not in line
        and sum(map(str.isalpha, line)) >= _FEWEST_LETTERS
    )
