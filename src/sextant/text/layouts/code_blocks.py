"""Where code stands in lines of its own: in fences, or indented as Markdown and RST have it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sextant.text.prose.headings import fenced
from sextant.types import Passage

if TYPE_CHECKING:
    from sextant.text.layouts.piece import Line

Span = tuple[int, int]

_DEEP = 4
"""Columns that make code of a line of Markdown: https://spec.commonmark.org/0.31.2/#indented-code-blocks"""

_OPENS = re.compile(
    r"[> \t]*(?:(?:[-•*+]|\d{1,3}[.)])[ \t]+"
    r"|(?P<aside>!!!|\?\?\?\+?|===|\[\^[^\]\n]{1,80}\]:|:[ \t]|<[A-Z]))"
)
"""An item, a note of MkDocs, a tab, a footnote, a component: what is below is indented."""

_DIRECTIVE = re.compile(r"[ \t]*\.\. ")
_CODE_DIRECTIVE = re.compile(
    r"[ \t]*\.\. (?:code|code-block|sourcecode|parsed-literal|prompt|doctest|testcode)::"
)


def code_blocks(text: str, kind: str) -> list[Span]:
    """Return where lines of code start and end in a text of a format, in order and apart."""
    found = [(first, last) for _, first, last in fenced(text)]
    if indented := _INDENTED.get(kind):
        found += indented(text)
    apart: list[Span] = []
    for first, last in sorted(found):
        if apart and first < apart[-1][1]:
            apart[-1] = apart[-1][0], max(last, apart[-1][1])
        else:
            apart.append((first, last))
    return apart


def format_of(passage: Passage) -> str:
    """Return the format that a passage was read from, if it is known."""
    return passage.document.metadata.get("sextant:format", "")


def lines_of(text: str) -> list[Line]:
    """Return the lines of a text with where each starts and ends."""
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append((at, at + len(line), line))
        at += len(line) + 1
    return lines


def _in_markdown(text: str) -> Iterator[Span]:
    """Yield what is indented behind a blank line, further than items and notes indent it."""
    columns = [_indent(text)] if _indent(text) else []
    opened: Span | None = None
    after_blank = False
    for start, end, line in lines_of(text):
        if line.strip():
            indent = _indent(line)
            columns = [column for column in columns if column <= indent]
            is_deep = indent >= (columns[-1] if columns else 0) + _DEEP
            if is_deep and (opened or after_blank):
                opened = (opened[0] if opened else start, end)
            else:
                yield from [opened] if opened else []
                opened = None
                columns += _columns(line)
        after_blank = not line.strip()
    yield from [opened] if opened else []


def _columns(line: str) -> list[int]:
    """Return the column that text below a line goes on at, if it is an item or the like."""
    found = _OPENS.match(line)
    if found is None:
        return []
    return [_indent(line) + _DEEP if found["aside"] else len(found[0].expandtabs(_DEEP))]


def _in_rst(text: str) -> Iterator[Span]:
    """Yield what is indented below a directive for code, or below a line that ends with ``::``"""
    over: int | None = None
    opened: Span | None = None
    for start, end, line in lines_of(text):
        if not line.strip():
            continue
        if over is not None and _indent(line) > over:
            opened = (opened[0] if opened else start, end)
            continue
        yield from [opened] if opened else []
        opened = None
        is_plain = line.rstrip().endswith("::") and not _DIRECTIVE.match(line)
        over = _indent(line) if is_plain or _CODE_DIRECTIVE.match(line) else None
    yield from [opened] if opened else []


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(_DEEP))


_INDENTED: dict[str, Callable[[str], Iterator[Span]]] = {
    "markdown": _in_markdown,
    "rst": _in_rst,
}
