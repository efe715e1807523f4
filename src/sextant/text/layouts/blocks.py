"""Runs of lines that are laid out alike: prose, tables, fields, code, rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from sextant.text.layouts.code_blocks import code_blocks, format_of, lines_of
from sextant.text.layouts.fields import is_dash, is_field, stands_alone
from sextant.text.layouts.piece import Line
from sextant.text.layouts.prose import MARK
from sextant.text.layouts.rows import is_head_row, is_rule
from sextant.text.prose.headings import fenced
from sextant.types import Passage

_RULED_OFF = re.compile(
    r"^[ \t]*(?:[-*+•>]|\d{1,3}[.)])[ \t][^\n]*\n"
    r"(?P<rule>[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}))[ \t]*$",
    re.MULTILINE,
)
"""An item or a quote with a rule below it, which makes no heading of it."""

_REMARK = re.compile(r"^[ \t]*#", re.MULTILINE)


def blocks_in(passage: Passage, lines: Sequence[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Yield runs of lines that are laid out alike; one line alone is no table and no record."""
    known = _known(passage)
    usual = _layouts([line for _, _, line in lines])
    laid = [(known.get(line[0], own), line) for own, line in zip(usual, lines, strict=True)]
    goes_on = any(map(is_head_row, passage.chunk.headings[-1:]))
    merged: list[tuple[str, list[Line]]] = []
    for layout, run in groupby(laid, key=itemgetter(0)):
        own = [line for _, line in run]
        is_one = len(own) == 1 and own[0][0] not in known
        kept = "prose" if is_one and not _is_row(own[0][2], goes_on=goes_on) else layout
        if kept == "prose" and merged and _is_wrapped(merged[-1], own[0][2]):
            own.insert(0, merged[-1][1].pop())
        if merged and merged[-1][0] == kept:
            merged[-1][1].extend(own)
        else:
            merged.append((kept, own))
    yield from ((kept, own) for kept, own in merged if own)


def _known(passage: Passage) -> dict[int, str]:
    """Return the layout of lines that are known by others: rules, fences, code."""
    text = passage.chunk.text
    found = {rule.start("rule"): "rule" for rule in _RULED_OFF.finditer(text)}
    for start, _, last in fenced(text):
        found[start] = found[last] = "rule"
    for first, last in code_blocks(text, format_of(passage)):
        lines = [(first + at, line) for at, _, line in lines_of(text[first:last].rstrip("\n"))]
        if _REMARK.search(text, first, last):
            found |= {at: "code" for at, _ in lines}
        elif not any(is_rule(line) for _, line in lines):
            found |= {at: "prose" for at, line in lines if _layout(line) == "table"}
    return found


def _is_row(line: str, *, goes_on: bool) -> bool:
    """Whether a line is a row or a record even where it stands alone."""
    return stands_alone(line) or (goes_on and _layout(line) == "table")


def _is_wrapped(before: tuple[str, Sequence[Line]], line: str) -> bool:
    """Whether the last of some fields goes on in a line below it."""
    layout, fields = before
    if layout != "fields" or not fields or not line.strip() or MARK.match(line):
        return False
    field = fields[-1][2]
    ends = field.rstrip().endswith((".", "!", "?"))
    deeper = len(line) - len(line.lstrip()) > len(field) - len(field.lstrip())
    return not is_dash(field) and (deeper or (line[0].islower() and not ends))


def _layouts(lines: Sequence[str]) -> list[str]:
    """Return how each line is laid out; around a rule, every line with a bar is one of a table."""
    found = [_layout(line) for line in lines]
    is_table = False
    for at, line in enumerate(lines):
        if is_rule(line) and at and "|" in lines[at - 1]:
            found[at - 1], is_table = "table", True
        is_table = is_table and "|" in line
        if is_table:
            found[at] = "table"
    return found


def _layout(line: str) -> str:
    is_item = bool(MARK.match(line))
    if (" | " in line and not is_item) or line.lstrip().startswith("|") or is_rule(line):
        return "table"
    return "fields" if is_field(line) else "prose"
