"""What a passage is made of: headings, paragraphs, lists, tables and code. Knows Markdown and RST.

An element is ``text[start:end]`` in whole lines. A list has all that is indented below its items.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter

from sextant.text.blocks.markup_lines import lists_data, markup_lines
from sextant.text.layouts.code_blocks import code_blocks, lines_of
from sextant.text.layouts.piece import Line
from sextant.text.layouts.rows import is_rule
from sextant.text.prose.headings import fenced, headings_in

_ITEM = re.compile(r"(?P<indent>[> \t]*)(?:[-•*+]|\d{1,3}[.)]|#\.)[ \t]+\S")
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*\{?(?P<language>[\w+#.-]*)", re.MULTILINE)
_OPENING = re.compile(
    r"[> \t]*(?:`{3,}|~{3,})[ \t]*\{?(?P<language>[\w+#.-]*)"
    r"|[ \t]*\{[{%][<%-]?[ \t]*highlight[ \t]+[\"']?(?P<highlighted>[\w+#.-]+)"
)
_DIRECTIVE = re.compile(r"[ \t]*\.\. (?:code|code-block|sourcecode)::[ \t]*(?P<language>[\w+#.-]*)")

_RULE = re.compile(r"[> \t]*(?:-{3,}|\*{3,}|_{3,}|(?:[*][ ]){2,}[*]|(?:-[ ]){2,}-)[ \t]*$")
_APART = re.compile(rf"{_RULE.pattern}|[> \t]*\[!\w+\]")
"""A line across the page, or what opens a note: no paragraph goes on over it."""

_BAR = " | "
_CODED = re.compile(
    r"[;{}\[(\\=]\s*$|^\s*(?://|/\*|\*/|#|[})\]$@]|import\s|from\s+\S+\s+import\b)"
    r"|^\s*(?:const|let|return|def|class)\b|\s=\s|=>|>>>|\w\(.*\)\s*:?\s*$|[\"'`],\s*$|^\s+[\w.-]+:(?:\s+\S+)?\s*$"
)
_SENTENCE = re.compile(r"(?:^|\s)(?:[A-Za-z]+[ ,]+){5,}[A-Za-z`]+[.:]\s*$")
_DIRECTIVES = re.compile(r"\s*(?:\.\. |!!!|:::)")
_KEY = re.compile(r"\s*(?:- +)*[\"']?[A-Za-z_$][\w./$-]*[\"']?:(?:\s|$)")
_SETTING = re.compile(rf"{_KEY.pattern}|\s*-\s|\s*#")
_DEEP = "    "
_FEWEST_LINES, _MOST_OF = 4, 0.7
"""Fewer lines, or a smaller share of them, may be anything."""


class Sort(StrEnum):
    """What an element is."""

    HEADING = "heading"
    PROSE = "prose"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    MARKUP = "markup"


@dataclass(frozen=True, slots=True)
class Element:
    """A part of a passage; of code also its language, and where it starts and ends in its fence."""

    sort: Sort
    start: int
    end: int
    language: str = ""
    code: tuple[int, int] = (0, 0)


def elements_of(text: str, kind: str) -> list[Element]:
    """Return what a text of this format is made of, in order."""
    known = _known(text, kind)
    found: list[Element] = []
    lines = list(_with_words(lines_of(text)))
    at = 0
    while at < len(lines):
        own = known.get(lines[at][0]) or _run(lines, at, known)
        found.append(own)
        while at < len(lines) and lines[at][0] < own.end:
            at += 1
    return found


def _with_words(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield lines but blank ones, in a quote as well; a tag may end in a line of its own."""
    is_quoted = False
    for line in lines:
        body = line[2].lstrip()
        if body.strip("> \t") or (body and not is_quoted):
            yield line
        is_quoted = body.startswith(">")


def _known(text: str, kind: str) -> dict[int, Element]:
    """Return headings and code by where the line starts that they begin with."""
    known: dict[int, Element] = {}
    for start, first, last in fenced(text):
        end = text.find("\n", last)
        language = _language(_OPENING, text, start)
        whole = Element(Sort.CODE, start, len(text) if end < 0 else end, language, (first, last))
        known[start] = whole
    known |= {one.start: one for one in _cut_fence(text, known, is_listing=lists_data(text, kind))}
    fences = _spans(known)
    for first, last in code_blocks(text, kind):
        if not _is_in(first, fences):
            line = text.rfind("\n", 0, first) + 1
            known[line] = Element(Sort.CODE, line, last, _over(text, line), (line, last))
    for first, last in markup_lines(text, kind, _spans(known)):
        known.setdefault(first, Element(Sort.MARKUP, first, last))
    for heading in headings_in(text):
        line = text.rfind("\n", 0, heading.start) + 1
        known.setdefault(line, Element(Sort.HEADING, line, heading.end))
    return known


def _cut_fence(text: str, whole: Mapping[int, Element], *, is_listing: bool) -> Iterator[Element]:
    """Yield long code of which the passage has only one end: from its fence on, or up to it."""
    spans = _spans(whole)
    lone = [one for one in _FENCE.finditer(text) if not _is_in(one.start(), spans)]
    for fence in lone[:1]:
        rest, before = text[fence.end() :], text[: fence.start()]
        is_end = not fence["language"] and (not rest.strip() or looks_like_code(before))
        if is_end and not whole:
            end = fence.end()
            yield Element(Sort.CODE, 0, end, "", (0, fence.start()))
        elif rest.strip():
            first, end = text.find("\n", fence.start()) + 1, len(text)
            yield Element(Sort.CODE, fence.start(), end, fence["language"], (first, end))
    if not lone and not whole and not is_listing and looks_like_code(text):
        yield Element(Sort.CODE, 0, len(text), "", (0, len(text)))


def looks_like_code(text: str) -> bool:
    """Whether most lines of a text are no prose: the middle of long code has no fence."""
    lines = [line for line in text.split("\n") if line.strip()]
    if _are_settings(lines):
        return True
    coded = [line for line in lines if _CODED.search(line) and not _is_prose(line)]
    is_whole = any(_DIRECTIVES.match(line) for line in lines)
    return not is_whole and len(lines) >= _FEWEST_LINES and len(coded) >= _MOST_OF * len(lines)


def _are_settings(lines: Sequence[str]) -> bool:
    """Whether lines are the middle of YAML: keys, items and remarks alone, and deep."""
    keys = sum(bool(_KEY.match(line)) for line in lines)
    is_deep = any(line.startswith(_DEEP) and _KEY.match(line) for line in lines)
    return (
        is_deep
        and len(lines) >= _FEWEST_LINES
        and 2 * keys >= len(lines)
        and all(_SETTING.match(line) for line in lines)
    )


def _is_prose(line: str) -> bool:
    return bool(_SENTENCE.search(line) or _ITEM.match(line) or _is_row(line))


def _spans(known: Mapping[int, Element]) -> list[tuple[int, int]]:
    return sorted((one.start, one.end) for one in known.values())


def _is_in(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a place is in one of some spans, which are in order and apart."""
    before = bisect_right(spans, at, key=itemgetter(0)) - 1
    return before >= 0 and at < spans[before][1]


def _over(text: str, at: int) -> str:
    """Return the language that a directive above some lines says they are in."""
    above = text[:at].rstrip()
    return _language(_DIRECTIVE, above, above.rfind("\n") + 1)


def _language(pattern: re.Pattern[str], text: str, at: int) -> str:
    found = pattern.match(text, at)
    return next(filter(None, found.groups()), "") if found else ""


def _run(lines: Sequence[Line], at: int, known: dict[int, Element]) -> Element:
    """Return the list, table or paragraph that begins with a line."""
    start, end, line = lines[at]
    if item := _ITEM.match(line):
        return Element(Sort.LIST, start, _list_end(lines, at, len(item["indent"]), known))
    if _RULE.match(line):
        return Element(Sort.PROSE, start, end)
    below = lines[at + 1][2] if at + 1 < len(lines) and lines[at + 1][0] == end + 1 else ""
    is_table = _is_row(line) or (_BAR in line and (_BAR in below or is_rule(below)))
    for begun, ended, other in (lines[own] for own in range(at + 1, len(lines))):
        is_apart = begun > end + 1 or begun in known or _ITEM.match(other) or _APART.match(other)
        if is_apart or (_is_row(other) or (is_table and _BAR in other)) != is_table:
            break
        end = ended
    return Element(Sort.TABLE if is_table else Sort.PROSE, start, end)


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|") or is_rule(line)


def _list_end(lines: Sequence[Line], at: int, indent: int, known: dict[int, Element]) -> int:
    """Return where a list ends: before what stands neither in it nor right below a line of it."""
    end = lines[at][1]
    for start, ended, line in (lines[own] for own in range(at + 1, len(lines))):
        if start < end:
            continue
        deeper = len(line) - len(line.lstrip()) > indent
        own = known.get(start)
        if own is not None and (own.sort is Sort.HEADING or not deeper):
            break
        item = _ITEM.match(line)
        if not deeper and not (item and len(item["indent"]) >= indent) and start > end + 1:
            break
        if item and len(item["indent"]) < indent:
            break
        end = own.end if own else ended
    return end


def elements_of_code(text: str, kind: str) -> list[Element]:
    """Return the code in a text, in order."""
    return sorted(
        (one for one in _known(text, kind).values() if one.sort is Sort.CODE),
        key=lambda one: one.start,
    )
