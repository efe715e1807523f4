"""Markdown: one pass over the lines. Knows blocks; what is inside a line is for `marks`."""

from __future__ import annotations

import re

from sextant.ingest.read.declared import Declared
from sextant.ingest.read.decode import decode_within
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.prose.front import front_matter
from sextant.ingest.read.prose.marks import links, plain_name
from sextant.ingest.values import Block, Kind, Reading

_LINE = re.compile(
    r"""
      (?P<plain>(?:(?:[^\s#=\-+*_~`<|:\d]|<(?!!--|pre|script|style|textarea)|\|(?![ \t:|\-]*+\n))
        [^\n]*+\n)++)
    | (?P<blank>(?:[ \t]*+\n)++)
    | (?P<inset>(?:[ ]{1,3}+[^\s#=\-+*_~`<|:\d][^\n]*+\n)++)
    | (?P<deep>(?:(?:[ ]{4}|\t)[ \t]*+[^\s\-+*~`|:\d][^\n]*+\n)++)
    | (?P<fence>[ \t]*+(?:`{3,}+(?=[^`\n]*\n)|~{3,}+)[^\n]*+\n)
    | (?P<atx>[ ]{0,3}+\#{1,6}+(?:[ \t][^\n]*+)?\n)
    | (?P<under>[ ]{0,3}+(?:=++|-++)[ \t]*+\n)
    | (?P<grid>[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+\n)
    | (?P<rule>[ ]{0,3}+(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)\n)
    | (?P<item>[ \t]*+(?:[-*+]|\d{1,9}+[.)])(?:[ \t][^\n]*+)?\n)
    | (?P<html>[ ]{0,3}+<(?:!--|(?:pre|script|style|textarea)(?=[\s>]))[^\n]*+\n)
    | (?P<indented>(?:[ ]{4}|[ ]{0,3}\t)[^\n]*+\n)
    | (?P<other>[^\n]++\n)
    """,
    re.VERBOSE,
)
_SAME = {"inset": "other", "deep": "indented"}
_CLOSING = re.compile(r"^[ \t]*+(`{3,}+|~{3,}+)[ \t]*+\n", re.MULTILINE)
_HTML_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
_CLOSED_ATX = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_LONGEST_NAME = 300
_ENDS = (".", "!", "?")
_OPENED_BY_ONE = re.compile(r"[ \t]*(?:[-*+]|1[.)])[ \t]+\S")


def read_markdown(given: Given) -> list[Reading]:
    """Read a Markdown file; its text is the file."""
    decoded = decode_within(given.data, given.limits)
    fields, start = front_matter(decoded.text, given.limits)
    blocks = scan(decoded.text, start)
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
            aliases=fields.aliases,
            links=links(decoded.text, blocks, given.limits.links),
            metadata=fields.metadata,
            notes=decoded.notes,
        )
    ]


def title_of(fields: Declared, blocks: tuple[Block, ...], path: str) -> str:
    """Return the declared title, or the first heading of the highest kind, or the file's name."""
    if fields.title:
        return fields.title
    return first_heading(blocks) or readable_name(path)


def first_heading(blocks: tuple[Block, ...] | list[Block]) -> str:
    """Return the first heading of level 1, or else the first heading."""
    first = ""
    for block in blocks:
        if block.kind is Kind.HEADING:
            if block.level == 1:
                return block.name
            first = first or block.name
    return first


def scan(text: str, start: int = 0) -> tuple[Block, ...]:
    """Return the blocks of a Markdown text from a place on."""
    return tuple(_Scanner(text, start).run())


class _Scanner:
    """Where the pass is, and the block that is open."""

    __slots__ = (
        "_blocks", "_cuts", "_gap", "_in_list", "_indent", "_kind", "_lined", "_no_comment_end",
        "_open", "_pos", "_text", "_until",
    )  # fmt: skip

    def __init__(self, text: str, start: int) -> None:
        self._lined = text if text.endswith("\n") else text + "\n"
        self._text = text
        self._pos = start
        self._blocks: list[Block] = []
        self._kind: Kind | None = None
        self._open = start
        self._until = start
        self._cuts: list[int] = []
        self._gap = False
        self._in_list = False
        self._indent = 0
        self._no_comment_end = False

    def run(self) -> list[Block]:
        match, lined, size = _LINE.match, self._lined, len(self._text)
        start = self._pos
        while start < size:
            found = match(lined, start)
            if found is None or found.lastgroup is None:  # pragma: no cover - "other" takes all
                break
            self._pos = end = found.end()
            _STEPS[found.lastgroup](self, start, end)
            start = self._pos
        self._close()
        return self._blocks

    def _blank(self, _start: int, _end: int) -> None:
        if self._kind is Kind.LIST or self._kind is Kind.CODE:
            self._gap = True
        elif self._kind is not None:
            self._close()

    def _plain(self, start: int, end: int) -> None:
        kind = self._kind
        if kind is Kind.TABLE:
            self._row(start, end)
        elif kind is Kind.TEXT or (kind is Kind.LIST and not self._gap):
            self._until = end
        else:
            self._start(Kind.TEXT, start, end)
            self._in_list = False

    def _other(self, start: int, end: int) -> None:
        inside = self._lined[start] in " \t"
        if self._kind is Kind.LIST and inside:
            self._until, self._gap = end, False
        elif self._kind is None and self._in_list and inside:
            self._start(Kind.LIST, start, end)
        else:
            self._plain(start, end)

    def _indented(self, start: int, end: int) -> None:
        if self._kind is Kind.LIST or self._kind is Kind.CODE:
            self._until, self._gap = end, False
        elif self._kind is not None:
            self._plain(start, end)
        elif self._in_list:
            self._start(Kind.LIST, start, end)
        else:
            self._start(Kind.CODE, start, end)

    def _item(self, start: int, end: int) -> None:
        line = self._lined[start:end]
        indent = _indent(line)
        if self._kind is Kind.LIST:
            if indent <= self._indent + 1:
                self._cuts.append(start)
            self._until, self._gap = end, False
        elif self._kind is Kind.TABLE or (self._kind is Kind.TEXT and not _opens(line)):
            self._plain(start, end)
        elif indent >= 4 and not self._in_list:
            self._indented(start, end)
        else:
            self._start(Kind.LIST, start, end)
            self._in_list = True

    def _fence(self, start: int, end: int) -> None:
        line = self._lined[start:end]
        body = line.lstrip(" \t")
        if _indent(line) >= 4 and not (self._in_list or self._kind is Kind.LIST):
            self._indented(start, end)
            return
        self._close()
        self._in_list = self._in_list and line[0] in " \t"
        self._pos = self._fence_end(body, end)
        self._emit(Kind.CODE, start, self._pos)

    def _fence_end(self, opening: str, end: int) -> int:
        mark = opening[0]
        length = len(opening) - len(opening.lstrip(mark))
        for closing in _CLOSING.finditer(self._lined, end):
            if closing[1][0] == mark and len(closing[1]) >= length:
                return closing.end()
        return len(self._text)

    def _atx(self, start: int, end: int) -> None:
        line = self._lined[start:end].strip()
        name = line.lstrip("#")
        level = len(line) - len(name)
        self._close()
        self._in_list = False
        if name.endswith("#"):
            name = _CLOSED_ATX.sub("", name.strip())
        self._heading(start, end, level, name)

    def _under(self, start: int, end: int) -> None:
        until = self._until
        if self._kind is Kind.TEXT:
            self._leave_sentences(start)
        if self._kind is Kind.TEXT and until - self._open <= _LONGEST_NAME:
            opened, self._kind = self._open, None
            level = 1 if "=" in self._lined[start:end] else 2
            self._heading(opened, end, level, self._lined[opened:until])
        elif self._kind is Kind.TABLE or "=" in self._lined[start:end]:
            self._plain(start, end)
        else:
            self._rule(start, end)

    def _leave_sentences(self, start: int) -> None:
        """Let only the last line of a paragraph be a heading if what is above it ends there."""
        line = above = self._lined.rfind("\n", 0, start - 1) + 1
        # A paragraph may have many lines that underline: none of them is to copy all above it.
        while above > self._open and self._lined[above - 1].isspace():
            above -= 1
        if line > self._open and self._lined.endswith(_ENDS, self._open, above):
            until, self._until = self._until, line
            self._start(Kind.TEXT, line, until)

    def _grid(self, start: int, end: int) -> None:
        header = self._header_above(start)
        if header < 0:
            self._other(start, end)
            return
        kind, opened = self._kind, self._open
        self._until = header
        if opened < header:
            self._close()
        self._in_list = self._in_list or kind is Kind.LIST
        self._start(Kind.TABLE, header, end)

    def _header_above(self, start: int) -> int:
        """Return where the line above starts if it can head a table, or else -1."""
        if self._kind not in (Kind.TEXT, Kind.LIST) or self._until != start:
            return -1
        header = self._lined.rfind("\n", 0, start - 1) + 1
        cells = self._lined[header:start].count("|")
        return header if header >= self._open and cells else -1

    def _rule(self, start: int, end: int) -> None:
        if self._kind is Kind.TABLE:
            self._row(start, end)
            return
        self._close()
        self._in_list = False
        self._emit(Kind.TEXT, start, end)

    def _html(self, start: int, end: int) -> None:
        comment = self._lined.startswith("<!--", self._lined.index("<", start))
        until = self._comment_end(start) if comment else self._element_end(start)
        if not until:
            self._plain(start, end)
            return
        self._close()
        self._pos = self._lined.find("\n", until) + 1 or len(self._text)
        self._emit(Kind.TEXT if comment else Kind.CODE, start, self._pos)

    def _comment_end(self, start: int) -> int:
        until = -1 if self._no_comment_end else self._lined.find("-->", start)
        self._no_comment_end = until < 0
        return max(until, 0)

    def _element_end(self, start: int) -> int:
        closing = _HTML_END.search(self._lined, start)
        return closing.end() if closing else len(self._text)

    def _row(self, start: int, end: int) -> None:
        at = start
        while at < end:
            self._cuts.append(at)
            at = self._lined.find("\n", at) + 1
        self._until = end

    def _heading(self, start: int, end: int, level: int, raw: str) -> None:
        name = plain_name(raw)
        self._emit(Kind.HEADING if name else Kind.TEXT, start, end, level if name else 0, name)

    def _start(self, kind: Kind, start: int, end: int) -> None:
        self._close()
        self._kind, self._open, self._until, self._gap = kind, start, end, False
        if kind is Kind.LIST:
            self._indent = _indent(self._lined[start:end])

    def _close(self) -> None:
        if self._kind is not None:
            kind, self._kind = self._kind, None
            self._emit(kind, self._open, self._until)

    def _emit(self, kind: Kind, start: int, end: int, level: int = 0, name: str = "") -> None:
        piece = self._text[start:end]
        body = piece.strip()
        if body:
            first = start + len(piece) - len(piece.lstrip())
            last = first + len(body)
            cuts = self._inner_cuts(kind, first, last) if self._cuts else ()
            self._blocks.append(Block(kind, first, last, level, name, None, cuts))
        if self._cuts:
            self._cuts = []

    def _inner_cuts(self, kind: Kind, first: int, last: int) -> tuple[int, ...]:
        """Leave out the first row of a table, which should stay with the head."""
        cuts = self._cuts[1:] if kind is Kind.TABLE else self._cuts
        return tuple(cut for cut in cuts if first < cut < last)


_STEPS = {name: getattr(_Scanner, f"_{_SAME.get(name, name)}") for name in _LINE.groupindex}


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs(4))


def _opens(line: str) -> bool:
    """Whether a line may start a list inside a paragraph."""
    return _OPENED_BY_ONE.match(line) is not None
