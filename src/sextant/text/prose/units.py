"""The smallest pieces of a passage that say something: sentences, rows, records, code lines.

Knows how text is laid out, and nothing of a question.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from operator import itemgetter

from sextant.limits import MOST_PIECES
from sextant.text.layouts.blocks import blocks_in
from sextant.text.layouts.code import code_in
from sextant.text.layouts.code_blocks import code_blocks, format_of, lines_of
from sextant.text.layouts.fields import fields_in
from sextant.text.layouts.piece import LONGEST, Line, Unit
from sextant.text.layouts.prose import piece, sentences_in
from sextant.text.layouts.rows import is_head_row, rows_in
from sextant.text.layouts.trees import is_tree, records_in
from sextant.text.markdown import line_of_code, readable
from sextant.text.prose.headings import headings_before, headings_in
from sextant.text.prose.nesting import items_over
from sextant.types import Passage

__all__ = ["Unit", "headings_over", "units_of"]

_QUESTION = re.compile(r"(?:Q|Question)\d{0,3}[.:)] .*\?$")
_ANSWER = re.compile(r"(?:A|Answer)\d{0,3}[.:)] ")
_MARKED = re.compile(r"([ \t]*)(?:[->•*+]|\d{1,3}[.)])[-> \t•*+]*")
_TREES = frozenset({"json", "jsonl", "yaml"})
_READERS: dict[str, Callable[[Passage, Sequence[Line]], list[Unit]]] = {
    "prose": sentences_in,
    "table": rows_in,
    "fields": fields_in,
    "code": code_in,
    "rule": lambda _passage, _block: [],
}


def units_of(passage: Passage) -> list[Unit]:
    """Return the pieces of a passage in reading order."""
    lines = lines_of(passage.chunk.text)
    kind = format_of(passage)
    if kind == "code":
        return code_in(passage, lines)[:MOST_PIECES]
    if kind in _TREES and is_tree(lines):
        return records_in(passage, lines)[:MOST_PIECES]
    found: list[Unit] = []
    for layout, block in blocks_in(passage, lines):
        found += _READERS[layout](passage, block)
        if len(found) >= MOST_PIECES:
            break
    found = _with_code(passage, found)
    return _placed(passage.chunk.text, _answers(found) or _bare(passage))[:MOST_PIECES]


def headings_over(passage: Passage, at: int) -> list[str]:
    """Return the headings that a place of a passage stands under, the nearest first."""
    own = headings_before(headings_in(passage.chunk.text), at)
    path = [name for name in passage.chunk.headings if not is_head_row(name)]
    return [*own, *reversed(path)]


def _with_code(passage: Passage, units: Sequence[Unit]) -> list[Unit]:
    """Return pieces; what stands among lines of code reads as the code that it is."""
    text = passage.chunk.text
    blocks = code_blocks(text, format_of(passage))
    found: list[Unit] = []
    for unit in units:
        before = bisect_right(blocks, unit.start, key=itemgetter(0)) - 1
        if before < 0 or unit.end > blocks[before][1]:
            found.append(unit)
        elif unit.layout in ("sentence", "item"):
            unit = replace(unit, start=_line_start(text, unit.start))
            if found and _goes_on(text, found[-1], unit):
                unit = replace(found.pop(), end=unit.end)
            found.append(_as_code(unit))
        else:
            own = text[unit.start : unit.end]
            is_changed = unit.layout != "code" and readable(own) != " ".join(own.split())
            found.append(_as_code(unit) if is_changed else unit)
    return found


def _line_start(text: str, at: int) -> int:
    """Return where a line of code starts; ``>`` and ``-`` before it are no marks of a list."""
    line = text.rfind("\n", 0, at) + 1
    return line + len(found[1]) if (found := _MARKED.fullmatch(text, line, at)) else at


def _goes_on(text: str, before: Unit, unit: Unit) -> bool:
    """Whether code is cut in a line, or between a line that ends with a backslash and the next."""
    between = text[before.end : unit.start]
    is_cut = "\n" not in between or (text[before.end - 1] == "\\" and between.count("\n") == 1)
    return is_cut and before.text[:1] == "`" and unit.end - before.start <= LONGEST


def _as_code(unit: Unit) -> Unit:
    lines = map(line_of_code, unit.passage.chunk.text[unit.start : unit.end].split("\n"))
    return replace(unit, text=" ".join(filter(None, lines)))


def _answers(units: Sequence[Unit]) -> list[Unit]:
    """Return pieces without the questions that the next one answers; it stands under them."""
    kept: list[Unit] = []
    asked = ""
    for unit, after in zip_longest(units, units[1:]):
        if after and _QUESTION.match(unit.text) and _ANSWER.match(after.text):
            asked = unit.text
            continue
        kept.append(replace(unit, under=f"{unit.under} {asked}".strip()) if asked else unit)
        asked = ""
    return kept


def _bare(passage: Passage) -> list[Unit]:
    """Return the headings of a passage that has nothing else."""
    text = passage.chunk.text
    return [
        piece(passage, text.index(one.name, one.start), one.end, "") for one in headings_in(text)
    ]


def _placed(text: str, units: Sequence[Unit]) -> list[Unit]:
    """Return pieces under the items that they stand below; rows and records under a heading."""
    items, headings = items_over(text), headings_in(text)
    placed = []
    for unit in units:
        item = items.get(text.rfind("\n", 0, unit.start) + 1, "")
        above = [readable(item, format_of(unit.passage))]
        if unit.layout in ("row", "record"):
            above = headings_before(headings, unit.start)[:1] + above
        under = " ".join(one for one in (*above, unit.under) if one)
        placed.append(replace(unit, under=under) if under != unit.under else unit)
    return placed
