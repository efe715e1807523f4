"""The smallest pieces of a passage that say something: sentences, rows, records, code lines.

Knows how text is laid out, and nothing of a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from sextant.limits import MOST_PIECES
from sextant.text.markdown import printable, readable
from sextant.text.sentences import sentence_spans
from sextant.types import Passage

_RULED = frozenset(" \t|:+-")
_HEADING = re.compile(r"^#{1,6}\s|^[^\n]{1,200}\n[=~^*+-]{4,}\s*$")
_MARKED = re.compile(r"^(#{1,6})[ \t]+(.+)$", re.MULTILINE)
_DEEPEST = 6
_FIELD = re.compile(r"^[ \t]*(?:-[ \t]+)?([^\W\d][\w .-]{0,40}):[ \t]+(\S.*)$")
_DASH = re.compile(r"^[ \t]*-[ \t]*$")
_COMMENT = re.compile(r"^[ \t]*(?://+|#+|--+|;+|/?\*+)[ \t]?")
_META = re.compile(r"^:[\w -]+:\s|^\.\. ")
_CONTINUES = re.compile(
    r"(?:After that|After this|Then|Otherwise|So|Therefore|Thus|Hence|That is why|This is why|"
    r"In that case|In this case|If so|If not|If none|Instead|This means|That means)\b"
)
_NUMBER = re.compile(r"^\d{1,3}[.)]$")
_MARK = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_TOGETHER = 300
_LONGEST = 600
"""A longer piece is cut; nobody reads it as a sentence."""

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
    return [*found, *reversed(passage.chunk.headings)]


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
            under = unit.text if unit.text.endswith(":") else under
    return found


def _piece(passage: Passage, start: int, stop: int, under: str) -> Unit:
    end = cut(passage.chunk.text, start, stop)
    return Unit(passage, start, end, readable(passage.chunk.text[start:end]), under)


def _goes_on(before: Unit, unit: Unit) -> bool:
    """Whether a sentence belongs to the item before it, or cannot be read without what is there."""
    between = before.passage.chunk.text[before.end : unit.start]
    if unit.end - before.start > _TOGETHER or "\n\n" in between:
        return False
    return before.layout == "item" or bool(_CONTINUES.match(unit.text))


def cut(text: str, start: int, end: int) -> int:
    """Return where a piece ends that is not too long, between two words if it can be."""
    if end - start <= _LONGEST:
        return end
    at = text.rfind(" ", start + 1, start + _LONGEST)
    return at if at > start else start + _LONGEST


def _rows(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    heads = [cell.replace("_", " ") for cell in _cells(block[0][2])]
    found = []
    for start, stop, whole in block[1:]:
        end = cut(passage.chunk.text, start, stop)
        line = whole[: end - start]
        if _RULED.issuperset(line):
            continue
        said = "; ".join(
            f"{head}: {cell}" if head else cell
            for head, cell in zip(heads, _cells(line), strict=False)
            if cell
        )
        if said:
            found.append(Unit(passage, start, end, readable(said) + ".", " ".join(heads), "row"))
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
    fields = [(line, match) for line in lines if (match := _FIELD.match(line[2]))]
    fields = [one for one in fields if one[0][1] - lines[0][0] <= _LONGEST]
    if not fields:
        return []
    said = "; ".join(
        f"{match.group(1).replace('_', ' ')}: {match.group(2).strip()}" for _, match in fields
    )
    stop = "" if said.endswith((".", "!", "?")) else "."
    end = fields[-1][0][1]
    return [Unit(passage, _begin(lines[0]), end, readable(said) + stop, layout="record")]


def _begin(line: Line) -> int:
    """Return where a line begins, behind its blanks."""
    return line[0] + len(line[2]) - len(line[2].lstrip())


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
    start = _begin(lines[0])
    end = cut(passage.chunk.text, start, lines[-1][1])
    own = passage.chunk.text[start:end].split("\n")
    said = " ".join(_COMMENT.sub("", line).strip() for line in own)
    return Unit(passage, start, end, " ".join(printable(said).split()), layout="code")


_READERS: dict[str, Callable[[Passage, Sequence[Line]], list[Unit]]] = {
    "prose": _sentences,
    "table": _rows,
    "fields": _records,
    "code": _code,
}
