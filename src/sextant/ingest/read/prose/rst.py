"""reStructuredText: sections, directives and literal blocks. Roles stay as they were written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sextant.ingest.read.declared import NOTHING, Declared, declared
from sextant.ingest.read.decode import decode_within
from sextant.ingest.read.given import Given
from sextant.ingest.read.prose.markdown import title_of
from sextant.ingest.values import Block, Hyperlink, Kind, Reading

_LONGEST = 600
_LINE = re.compile(r"[^\n]*+(?:\n|\Z)")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
_CODE = re.compile(r"\.\. (?:code|code-block|sourcecode|parsed-literal|literalinclude|math)::")
_FIELD = re.compile(r":([^:\n]{1,100}):[ \t]+([^\n]{1,2000})\n")
_TABLE = re.compile(r"[ \t]*(?:\+[-=+]{3,}\+|={2,}(?:[ \t]+={2,})+)[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|(?:\d{1,9}|#|[a-z])[.)])[ \t]")
_ROLE = re.compile(r":[\w:+.-]{1,60}:`([^`<>]+?)(?:\s*<[^<>`]*>)?`")
_MARK = re.compile(r"(``|\*\*|\*|`)([^\n]+?)\1_{0,2}")
_TARGET = re.compile(r"^[ \t]*\.\. _`?([^:`\n]{1,300})`?:[ \t]+(\S{1,2000})", re.MULTILINE)
_INLINE = re.compile(r"`([^`<>]{1,300}+)<([^<>`\s]{1,2000}+)>`__?")
_REFERENCE = re.compile(r"(?:`([^`<>\n]{1,300})`|\b([A-Za-z0-9][\w.-]{0,99}))__?(?!\w)")


def read_rst(given: Given) -> list[Reading]:
    """Read reStructuredText; its text is the file."""
    decoded = decode_within(given.data, given.limits)
    blocks = tuple(_Sections().name(decoded.text, _pieces(decoded.text)))
    fields = _docinfo(decoded.text, blocks)
    return [
        Reading(
            decoded.text,
            blocks,
            title=title_of(fields, blocks, given.path),
            url=fields.url,
            source_type=given.format,
            language=fields.language,
            created=fields.created,
            modified=fields.modified,
            tags=fields.tags,
            links=tuple(_links(decoded.text))[: given.limits.links],
            metadata=fields.metadata,
            notes=decoded.notes,
        )
    ]


class _Sections:
    """Levels by the order in which adornments first appear."""

    def __init__(self) -> None:
        self._seen: list[tuple[str, bool]] = []

    def name(self, text: str, pieces: Iterator[Block]) -> Iterator[Block]:
        for piece in pieces:
            if piece.kind is Kind.HEADING:
                lines = text[piece.start : piece.end].split("\n")
                style = (lines[-1].strip()[0], len(lines) == 3)
                if style not in self._seen:
                    self._seen.append(style)
                yield replace(piece, level=self._seen.index(style) + 1)
            else:
                yield piece


def _pieces(text: str) -> Iterator[Block]:
    """Cut the text at blank lines and section titles; an indented body stays with its head."""
    lines = [(found.start(), found.end(), found[0]) for found in _LINE.finditer(text) if found[0]]
    at = 0
    while at < len(lines):
        if not lines[at][2].strip():
            at += 1
            continue
        end, kind, name = _piece(lines, at)
        start, stop = lines[at][0], lines[end - 1][1]
        body = text[start:stop]
        first = start + len(body) - len(body.lstrip())
        yield Block(kind, first, start + len(body.rstrip()), name=name)
        at = end


_Lines = list[tuple[int, int, str]]


def _piece(lines: _Lines, at: int) -> tuple[int, Kind, str]:
    """Return where the piece that starts at a line ends, what it is, and a heading's name."""
    title = _title(lines, at)
    if title:
        return title
    line = lines[at][2]
    if line.startswith(".. "):
        end = _body(lines, at + 1)
        return end, Kind.CODE if _CODE.match(line) else Kind.TEXT, ""
    end = at + 1
    while end < len(lines) and lines[end][2].strip() and not _title(lines, end):
        end += 1
    if lines[end - 1][2].rstrip().endswith("::") and _body(lines, end) > end:
        return _body(lines, end), Kind.CODE, ""
    if _TABLE.match(line):
        return _table_end(lines, end, line), Kind.TABLE, ""
    return end, Kind.LIST if _ITEM.match(line) else Kind.TEXT, ""


def _title(lines: _Lines, at: int) -> tuple[int, Kind, str] | None:
    """Recognise a title at a line: over- and underlined, or underlined."""
    line = lines[at][2]
    if _ADORNMENT.match(line):
        if at + 2 < len(lines) and lines[at + 2][2].rstrip() == line.rstrip():
            middle = lines[at + 1][2].strip()
            if middle and len(middle) <= len(line.strip()) and not _ADORNMENT.match(middle):
                return at + 3, Kind.HEADING, _strip_markup(middle)
        return None
    if line[0].isspace() or at + 1 >= len(lines):
        return None
    under = lines[at + 1][2].strip()
    if _ADORNMENT.match(under) and len(under) >= min(len(line.strip()), 4) and _strip_markup(line):
        return at + 2, Kind.HEADING, _strip_markup(line)
    return None


def _body(lines: _Lines, at: int) -> int:
    """Return where an indented body ends."""
    end = at
    for number in range(at, len(lines)):
        line = lines[number][2]
        if line.strip():
            if not line[0].isspace():
                break
            end = number + 1
    return end


def _table_end(lines: _Lines, end: int, border: str) -> int:
    """A simple table may have blank lines inside; it ends with a border of its own."""
    if border.lstrip().startswith("+"):
        return end
    if lines[end - 1][2].strip() == border.strip() and end >= 3:
        return end
    for number in range(end, min(end + 500, len(lines))):
        if lines[number][2].strip() == border.strip():
            return number + 1
    return end


def _strip_markup(raw: str) -> str:
    text = _MARK.sub(r"\2", _ROLE.sub(r"\1", raw[:_LONGEST]))
    return " ".join(text.replace("\\", "").split())


def _docinfo(text: str, blocks: tuple[Block, ...]) -> Declared:
    """Read the field list that stands first, or right below the title."""
    for block in blocks[:2]:
        if text.startswith(":", block.start):
            fields = _FIELD.findall(text[block.start : block.end] + "\n")
            return declared(dict(fields)) if fields else NOTHING
    return NOTHING


def _links(text: str) -> Iterator[Hyperlink]:
    targets = {_key(found[1]): found[2] for found in _TARGET.finditer(text)}
    found = [(match.start(), match[2], match[1]) for match in _INLINE.finditer(text)]
    if targets:
        for match in _REFERENCE.finditer(text):
            label = match[1] or match[2]
            if _key(label) in targets:
                found.append((match.start(), targets[_key(label)], label))
    for at, target, label in sorted(found):
        yield Hyperlink(target, _strip_markup(label), at)


def _key(label: str) -> str:
    return " ".join(label.split()).casefold()
