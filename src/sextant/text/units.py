"""The smallest pieces of a passage that say something: sentences, rows, records, code lines.

Knows how text is laid out, and nothing of a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from sextant.limits import MOST_PIECES
from sextant.text.layouts.piece import Field, Line, Unit, cut, stretches, told
from sextant.text.layouts.rows import is_head_row, is_rule, rows_in
from sextant.text.layouts.trees import is_tree, records_in
from sextant.text.markdown import printable, readable
from sextant.text.sentences import sentence_spans
from sextant.types import Passage

__all__ = ["Unit", "headings_over", "units_of"]

_HEADING = re.compile(r"^#{1,6}\s|^[^\n]{1,200}\n[=~^*+-]{4,}\s*$")
_MARKED = re.compile(r"^(#{1,6})[ \t]+(.+)$", re.MULTILINE)
_DEEPEST = 6
_FIELD = re.compile(r"^[ \t]*(?:-[ \t]+)?([^\W\d][\w .-]{0,40}):[ \t]+(\S.*)$")
_LABELLED = re.compile(r"^[^:;|\n]{1,200}:[ ][^;\n]*\S;[ ][^:;\n]{1,200}:[ ]\S")
"""A row with the head of its column before each cell."""
_NEXT_CELL = re.compile(r";[ ](?=[^:;\n]{1,200}:[ ]\S)")
_DASH = re.compile(r"^[ \t]*-[ \t]*$")
_COMMENT = re.compile(r"^[ \t]*(?://+|#+|--+|;+|/?\*+)[ \t]?")
_SECTION = re.compile(r"^\[{1,2}([^\W\d][\w .\"'/:-]{0,80})\]{1,2}[ \t]*(?:[#;].*)?$")
"""A line that opens a section of settings, as in TOML and INI."""
_META = re.compile(r"^:[\w -]+:\s|^\.\. ")
_CONTINUES = re.compile(
    r"(?:After that|After this|Then|Otherwise|So|Therefore|Thus|Hence|That is why|This is why|"
    r"In that case|In this case|If so|If not|If none|Instead|This means|That means)\b"
)
_NUMBER = re.compile(r"^\d{1,3}[.)]$")
_MARK = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_TOGETHER = 300
_TREES = frozenset({"json", "jsonl", "yaml"})


def units_of(passage: Passage) -> list[Unit]:
    """Return the pieces of a passage in reading order."""
    lines = _lines(passage.chunk.text)
    kind = passage.document.metadata.get("sextant:format")
    if kind in _TREES and is_tree(lines):
        return records_in(passage, lines)[:MOST_PIECES]
    found: list[Unit] = []
    for layout, block in _blocks(passage, lines, code=kind == "code"):
        found += _READERS[layout](passage, block)
        if len(found) >= MOST_PIECES:
            break
    return found[:MOST_PIECES]


def headings_over(passage: Passage, at: int) -> list[str]:
    """Return the headings that a place of a passage stands under, the nearest first."""
    found, level = [], _DEEPEST + 1
    for signs, name in reversed(_MARKED.findall(passage.chunk.text[:at])):
        if len(signs) < level:
            found.append(name.rstrip(" \t#"))
            level = len(signs)
    path = [name for name in passage.chunk.headings if not is_head_row(name)]
    return [*found, *reversed(path)]


def _lines(text: str) -> list[Line]:
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append((at, at + len(line), line))
        at += len(line) + 1
    return lines


def _blocks(
    passage: Passage, lines: Sequence[Line], *, code: bool
) -> Iterator[tuple[str, list[Line]]]:
    """Yield runs of lines that are laid out alike; one line alone is no table and no record."""
    laid = zip(_layouts([line for _, _, line in lines]), lines, strict=True)
    goes_on = any(map(is_head_row, passage.chunk.headings[-1:]))
    merged: list[tuple[str, list[Line]]] = []
    for layout, run in groupby(laid, key=itemgetter(0)):
        own = [line for _, line in run]
        is_alone = len(own) == 1 and not _is_row(own[0][2], goes_on=goes_on)
        kept = "code" if code else "prose" if is_alone else layout
        if merged and merged[-1][0] == kept:
            merged[-1][1].extend(own)
        else:
            merged.append((kept, own))
    yield from merged


def _is_row(line: str, *, goes_on: bool) -> bool:
    """Whether a line is a row even where it stands alone."""
    return bool(_LABELLED.match(line)) or (goes_on and _layout(line) == "table")


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
    if " | " in line or line.lstrip().startswith("|") or is_rule(line):
        return "table"
    if _FIELD.match(line) or _DASH.match(line) or _LABELLED.match(line):
        return "fields"
    return "prose"


def _sentences(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    """Return sentences; those of an item of a list that is not long stay together."""
    text = passage.chunk.text
    found: list[Unit] = []
    under, numbered = "", False
    for start, stop in sentence_spans(text, block[0][0], block[-1][1]):
        said = text[start:stop]
        if _HEADING.match(said):
            under = said.partition("\n")[0].strip("# ")
        if _HEADING.match(said) or _META.match(said) or _NUMBER.match(said):
            numbered = bool(_NUMBER.match(said))
            continue
        marked = _MARK.match(said)
        first = start + marked.end() if marked else start
        unit = _piece(passage, first, stop, under)
        if marked or numbered:
            unit = replace(unit, layout="item")
        elif found and _goes_on(found[-1], unit):
            before = found.pop()
            unit = replace(_piece(passage, before.start, stop, under), layout=before.layout)
        numbered = False
        if unit.text:
            found.append(unit)
            found += _rest(unit, stop)
            under = unit.text if unit.text.endswith(":") else under
    return found


def _rest(unit: Unit, stop: int) -> Iterator[Unit]:
    """Yield what is left of a sentence that was cut."""
    for start, end in stretches(unit.passage.chunk.text, unit.end, stop):
        rest = replace(_piece(unit.passage, start, end, unit.under), layout=unit.layout)
        if rest.text:
            yield rest


def _piece(passage: Passage, start: int, stop: int, under: str) -> Unit:
    end = cut(passage.chunk.text, start, stop)
    return Unit(passage, start, end, readable(passage.chunk.text[start:end]), under)


def _goes_on(before: Unit, unit: Unit) -> bool:
    """Whether a sentence belongs to the item before it, or cannot be read without what is there."""
    between = before.passage.chunk.text[before.end : unit.start]
    if unit.end - before.start > _TOGETHER or "\n\n" in between:
        return False
    return before.layout == "item" or bool(_CONTINUES.match(unit.text))


def _records(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    """Return one piece for each record of a list of them, and one for each field outside."""
    found: list[Unit] = []
    held: list[Line] = []
    listed = any(_DASH.match(line) for _, _, line in block)
    for line in block:
        if _DASH.match(line[2]) or not listed:
            found += _record(passage, held)
            held = []
        if not _DASH.match(line[2]):
            held.append(line)
    return found + _record(passage, held)


def _record(passage: Passage, lines: Sequence[Line]) -> list[Unit]:
    return told(passage, [field for line in lines for field in _fields(line)], "record")


def _fields(line: Line) -> Iterator[Field]:
    """Yield the field of a line, or the cells of a row that is written in one."""
    start, end, whole = line
    if not _LABELLED.match(whole):
        label, _, value = whole.strip().removeprefix("- ").partition(":")
        yield Field(label.replace("_", " "), value.strip(), _begin(line), end)
        return
    at = 0
    for stop in (*(cell.start() for cell in _NEXT_CELL.finditer(whole)), len(whole)):
        label, _, value = whole[at:stop].partition(": ")
        yield Field(label.strip().replace("_", " "), value.strip(), start + at, start + stop)
        at = stop + len("; ")


def _begin(line: Line) -> int:
    """Return where a line begins, behind its blanks."""
    return line[0] + len(line[2]) - len(line[2].lstrip())


def _code(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    """Return each comment with the line of code that it stands before, under its section."""
    found: list[Unit] = []
    held: list[Line] = []
    section = ""
    for line in block:
        is_comment = bool(_COMMENT.match(line[2]))
        if line[2].strip():
            held.append(line)
        if held and not is_comment:
            opened = _SECTION.match(line[2])
            found.append(_remark(passage, held, "" if opened else section))
            section = opened.group(1) if opened else section
            held = []
    return found + ([_remark(passage, held, section)] if held else [])


def _remark(passage: Passage, lines: Sequence[Line], section: str) -> Unit:
    start = _begin(lines[0])
    end = cut(passage.chunk.text, start, lines[-1][1])
    own = passage.chunk.text[start:end].split("\n")
    said = " ".join(_COMMENT.sub("", line).strip() for line in own)
    said = f"{section}: {said}" if section else said
    return Unit(passage, start, end, " ".join(printable(said).split()), section, "code")


_READERS: dict[str, Callable[[Passage, Sequence[Line]], list[Unit]]] = {
    "prose": _sentences,
    "table": rows_in,
    "fields": _records,
    "code": _code,
}
