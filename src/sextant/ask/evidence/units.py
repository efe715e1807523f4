"""The smallest pieces of a passage that say something: sentences, rows, records, code lines.

Knows how text is laid out, and nothing of a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sextant.text.sentences import sentence_spans
from sextant.types import Passage

_RULE = re.compile(r"^[\s|:+-]*-[\s|:+-]*$")
_HEADING = re.compile(r"^#{1,6}\s")
_FIELD = re.compile(r"^[ \t]*(?:-[ \t]+)?([\w][\w .-]{0,40}):[ \t]+(\S.*)$")
_DASH = re.compile(r"^[ \t]*-[ \t]*$")
_COMMENT = re.compile(r"^[ \t]*(?://+|#+|--+|;+|/?\*+)[ \t]?")
_MARK = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_MOST = 400
"""No passage has more pieces that are looked at."""

Line = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a passage: ``chunk.text[start:end]``, how it reads, and what it is read under."""

    passage: Passage
    start: int
    end: int
    text: str
    under: str = ""
    layout: str = "sentence"


def units_of(passage: Passage) -> list[Unit]:
    """Return the pieces of a passage in reading order."""
    found: list[Unit] = []
    code = passage.document.metadata.get("sextant:format") == "code"
    for layout, block in _blocks(_lines(passage.chunk.text), code=code):
        found += _READERS[layout](passage, block)
        if len(found) >= _MOST:
            break
    return found[:_MOST]


def _lines(text: str) -> list[Line]:
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append((at, at + len(line), line))
        at += len(line) + 1
    return lines


def _blocks(lines: Sequence[Line], *, code: bool) -> Iterator[tuple[str, list[Line]]]:
    """Yield runs of lines that are laid out alike; one line alone is no table and no record."""
    runs = [(layout, list(own)) for layout, own in groupby(lines, key=lambda one: _layout(one[2]))]
    merged: list[tuple[str, list[Line]]] = []
    for layout, own in runs:
        kept = "code" if code else layout if len(own) > 1 else "prose"
        if merged and merged[-1][0] == kept:
            merged[-1][1].extend(own)
        else:
            merged.append((kept, own))
    yield from merged


def _layout(line: str) -> str:
    if " | " in line or line.lstrip().startswith("|"):
        return "table"
    if _FIELD.match(line) or _DASH.match(line):
        return "fields"
    return "prose"


def _sentences(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    text = passage.chunk.text
    found, under = [], ""
    for start, last in sentence_spans(text, block[0][0], block[-1][1]):
        if _HEADING.match(text[start:last]):
            under = text[start:last].lstrip("# ")
            continue
        marked = _MARK.match(text[start:last])
        first = start + marked.end() if marked else start
        said = " ".join(text[first:last].split())
        if said:
            layout = "item" if marked else "sentence"
            found.append(Unit(passage, first, last, said, under, layout))
        if said.endswith(":"):
            under = said
    return found


def _rows(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    heads = [cell.replace("_", " ") for cell in _cells(block[0][2])]
    found = []
    for start, end, line in block[1:]:
        if _RULE.match(line) or not line.strip():
            continue
        said = "; ".join(
            f"{head}: {cell}" if head else cell
            for head, cell in zip(heads, _cells(line), strict=False)
            if cell
        )
        if said:
            found.append(Unit(passage, start, end, said + ".", " ".join(heads), "row"))
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _records(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    """Return one piece for each record of a list of them, and one for each field outside."""
    found: list[Unit] = []
    held: list[Line] = []
    listed = any(_DASH.match(line) for _, _, line in block)
    for line in block:
        if _DASH.match(line[2]) or not listed:
            found += _record(passage, held)
            held = []
        if _FIELD.match(line[2]):
            held.append(line)
    return found + _record(passage, held)


def _record(passage: Passage, lines: Sequence[Line]) -> list[Unit]:
    fields = [match for line in lines if (match := _FIELD.match(line[2]))]
    if not fields:
        return []
    said = "; ".join(f"{one.group(1).replace('_', ' ')}: {one.group(2).strip()}" for one in fields)
    start = lines[0][0] + len(lines[0][2]) - len(lines[0][2].lstrip())
    stop = "" if said.endswith((".", "!", "?")) else "."
    return [Unit(passage, start, lines[-1][1], said + stop, layout="record")]


def _code(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    """Return each comment with the line of code that it stands before."""
    found: list[Unit] = []
    held: list[Line] = []
    for line in block:
        is_comment = bool(_COMMENT.match(line[2]))
        if line[2].strip():
            held.append(line)
        if held and not is_comment:
            found.append(_remark(passage, held))
            held = []
    return found + ([_remark(passage, held)] if held else [])


def _remark(passage: Passage, lines: Sequence[Line]) -> Unit:
    said = " ".join(_COMMENT.sub("", line).strip() for _, _, line in lines)
    start = lines[0][0] + len(lines[0][2]) - len(lines[0][2].lstrip())
    return Unit(passage, start, lines[-1][1], " ".join(said.split()), layout="code")


_READERS: dict[str, Callable[[Passage, Sequence[Line]], list[Unit]]] = {
    "prose": _sentences,
    "table": _rows,
    "fields": _records,
    "code": _code,
}
