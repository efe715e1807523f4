"""Rows of a table, each read with the heads of its columns. Knows pipes and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sextant.text.layouts.piece import Field, Line, Unit, record_pieces
from sextant.types import Passage

_RULED = frozenset(" \t|:+-=")
_RULE = re.compile(r"[ \t]*[|+:]?[ \t]*[-=:]")
_CELL = re.compile(r"(?:[^|\\]|\\.?)+", re.DOTALL)
_NUMBER = re.compile(r"[-+]?[\d.,\s]*\d[%]?")
_LONGEST_HEAD = 200


def is_ruled(line: str) -> bool:
    """Whether a line has no cell that says something."""
    return _RULED.issuperset(line)


def is_rule(line: str) -> bool:
    """Whether a line draws the rule between the heads of columns and what stands under them."""
    return is_ruled(line) and ("|" in line or "+" in line) and bool(_RULE.match(line))


def rows_in(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    """Return one piece for each row; of a table that goes on, the heads are in its headings."""
    heads, rows = _parted(passage, block)
    under = " ".join(filter(None, heads))
    found: list[Unit] = []
    for line in rows:
        if fields := list(_fields(heads, line)):
            fields[0] = replace(fields[0], start=line[0])
            fields[-1] = replace(fields[-1], end=line[1])
            found += record_pieces(passage, fields, "row", under)
    return found


def names_columns(row: Sequence[str]) -> bool:
    """Whether a row names columns: no name twice, and no number but of years in a row."""
    named = [cell for cell in row if cell]
    if not named or len(set(named)) < len(named) or len(named) * 2 < len(row):
        return False
    numbers = [cell for cell in named if _NUMBER.fullmatch(cell)]
    return not any(len(cell) > _LONGEST_HEAD for cell in named) and (
        not numbers or (len(numbers) < len(row) and _follow(numbers))
    )


def head_row(lines: str) -> str:
    """Return the heads of a table, from the lines that its first row is kept together with."""
    own = [line for line in lines.split("\n") if line.strip() and not is_ruled(line)]
    cells = cells_of(own[0]) if len(own) > 1 else []
    return f"| {' | '.join(map(_escaped, cells))} |" if len(cells) > 1 else ""


def is_head_row(heading: str) -> bool:
    """Whether a heading is that of the columns of a table that goes on."""
    return heading.startswith("| ") and heading.endswith(" |")


def cells_of(line: str) -> list[str]:
    """Return what stands in the cells of a row, empty ones too."""
    return [value for value, _, _ in _cells(line)]


def joined(row: Sequence[str], width: int) -> str:
    """Return cells as a line from which they can be read again, in a table so many cells wide."""
    last = max(at for at, cell in enumerate(row, 1) if cell)
    line = " | ".join(map(_escaped, row[:last]))
    if width > 1 and (last == 1 or not row[0]):
        return f"| {line.lstrip()} |"
    return line


def _parted(passage: Passage, block: Sequence[Line]) -> tuple[list[str], Sequence[Line]]:
    """Return the heads of a table and the lines under them."""
    while block and is_ruled(block[0][2]):
        block = block[1:]
    if not block:
        return [], block
    first = cells_of(block[0][2])
    if len(block) > 1 and is_rule(block[1][2]):
        return _names(first), block[2:]
    known = passage.chunk.headings[-1:]
    if known and is_head_row(known[0]) and not passage.chunk.text[: block[0][0]].strip():
        return _names(cells_of(known[0])), block
    return (_names(first), block[1:]) if names_columns(first) else ([], block)


def _names(cells: Sequence[str]) -> list[str]:
    return [cell.replace("_", " ") for cell in cells]


def _fields(heads: Sequence[str], line: Line) -> Iterator[Field]:
    cells = [] if is_ruled(line[2]) else _cells(line[2])
    names = (*heads, *[""] * (len(cells) - len(heads)))
    for head, (value, start, end) in zip(names, cells, strict=False):
        if value:
            yield Field(head, value, line[0] + start, line[0] + end)


def _cells(line: str) -> list[tuple[str, int, int]]:
    """Return each cell of a row with where it starts and ends."""
    body = line.strip()
    start = line.find(body) + body.startswith("|")
    end = line.find(body) + len(body)
    if end > start and body.endswith("|") and not body.endswith("\\|"):
        end -= 1
    found, at = [], start
    while at <= end:
        cell = _CELL.match(line, at, end)
        stop = cell.end() if cell else at
        found.append((line[at:stop].strip().replace("\\|", "|"), at, stop))
        at = stop + 1
    return found


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def _follow(numbers: Sequence[str]) -> bool:
    """Whether numbers count up one by one, as years and days do."""
    if len(numbers) < 2 or not all(map(str.isdecimal, numbers)):
        return False
    return all(int(other) - int(one) == 1 for one, other in pairwise(numbers))
