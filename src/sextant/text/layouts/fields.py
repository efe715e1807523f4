"""Fields, a line each, and the records that they make up. Knows colons and dashes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sextant.text.layouts.piece import LONGEST, Field, Line, Unit, record_pieces
from sextant.text.layouts.prose import sentences_in
from sextant.types import Passage

_FIELD = re.compile(r"^(?:[ \t]*(?:-[ \t]+)?|:)([^\W\d](?:(?!\. )[\w .-]){0,40}):[ \t]+(\S.*)$")
_LABELLED = re.compile(r"^[^:;|\n]{1,200}:[ ][^;\n]*\S;[ ][^:;\n]{1,200}:[ ]\S")
"""A row with the head of its column before each cell."""

_NEXT_CELL = re.compile(r";[ ](?=[^:;\n]{1,200}:[ ]\S)")
_DASH = re.compile(r"^[ \t]*-[ \t]*$")


def is_field(line: str) -> bool:
    """Whether a line is a field, or opens a record."""
    return bool(_FIELD.match(line) or _LABELLED.match(line) or is_dash(line))


def is_dash(line: str) -> bool:
    """Whether a line does nothing but open a record."""
    return bool(_DASH.match(line))


def stands_alone(line: str) -> bool:
    """Whether a line is a record wherever it stands: ``:Owner: Y``, or a row in one line."""
    return bool(_LABELLED.match(line)) or (line.startswith(":") and bool(_FIELD.match(line)))


def fields_in(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    """Return one piece for each record of a list of them, and one for each field outside."""
    found: list[Unit] = []
    held: list[Line] = []
    listed = any(is_dash(line) for _, _, line in block)
    for line in block:
        if is_dash(line[2]) or not listed:
            found += _record(passage, held)
            held = []
        if not is_dash(line[2]):
            held.append(line)
    return found + _record(passage, held)


def begin(line: Line) -> int:
    """Return where a line begins, behind its blanks."""
    return line[0] + len(line[2]) - len(line[2].lstrip())


def _record(passage: Passage, lines: Sequence[Line]) -> list[Unit]:
    """Return fields as one piece; one that is too long for that is read as sentences."""
    if len(lines) == 1 and len(lines[0][2]) > LONGEST and not _LABELLED.match(lines[0][2]):
        return sentences_in(passage, lines)
    return record_pieces(passage, [field for line in lines for field in _fields(line)], "record")


def _fields(line: Line) -> Iterator[Field]:
    """Yield the field of a line, or the cells of a row that is written in one."""
    start, end, whole = line
    if not _LABELLED.match(whole):
        label, _, value = whole.strip().removeprefix("- ").removeprefix(":").partition(":")
        yield Field(label.replace("_", " "), value.strip(), begin(line), end)
        return
    at = 0
    for stop in (*(cell.start() for cell in _NEXT_CELL.finditer(whole)), len(whole)):
        label, _, value = whole[at:stop].partition(": ")
        yield Field(label.strip().replace("_", " "), value.strip(), start + at, start + stop)
        at = stop + len("; ")
