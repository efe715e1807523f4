"""From a tree of HTML elements to blocks, in one walk."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from sextant.ingest.read.data.tables import write_table
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.web.elements import (
    HEADINGS,
    is_data,
    is_visible,
    steps,
    table_rows,
    visible_text,
)
from sextant.ingest.values import Kind
from sextant.text.code_spans import code_fence, code_span

_LISTS = frozenset({"ul", "ol", "dl", "menu"})
_ITEMS = frozenset({"li", "dt", "dd"})
_INLINE = frozenset(
    {
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn",
        "em", "font", "i", "img", "ins", "kbd", "label", "mark", "math", "q", "rp", "rt", "ruby",
        "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
        "wbr",
    }
)  # fmt: skip
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_LEADING_ON = frozenset({"a", "img"})
_SPACE = re.compile(r"\s+")
_INDENT = "  "
_BREAK = "  \n"
"""A line break as Markdown has it, which may end a sentence without a full stop."""

_MOST_LEVELS = 10


@dataclass(slots=True)
class _Lines:
    """Text that grows, and the links in it by where they start."""

    parts: list[str] = field(default_factory=list)
    links: list[tuple[int, str, str]] = field(default_factory=list)
    length: int = 0

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


class Walker:
    """Writes what a reader of the page would see."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._line = _Lines()
        self._list = _Lines()
        self._cuts: list[int] = []
        self._depth = 0
        self._lead = ""

    def walk(self, root: LexborNode) -> None:
        """Write everything under the root."""
        for node, entering in steps(root, self._enter):
            self._visit(node, node.tag or "", entering)
        self._end_list()

    def _enter(self, node: LexborNode) -> bool:
        """Whether to look inside; what is hidden, or written as a whole, is not looked into."""
        tag = node.tag or ""
        if not is_visible(node):
            return False
        if tag == "pre":
            self._end_list()
            self._draft.add(Kind.CODE, code_fence((node.text(deep=True) or "").replace("\r", "")))
        elif tag in _CODE and _is_one_line(node):
            self._write_code(_SPACE.sub(" ", node.text(deep=True) or ""))
        elif tag == "table" and is_data(node):
            self._end_list()
            self._note_inside(node, write_table(self._draft, table_rows(node)))
        elif tag in HEADINGS:
            self._end_list()
            self._note_inside(node, self._draft.heading(visible_text(node), HEADINGS[tag]))
        else:
            return True
        return False

    def _visit(self, node: LexborNode, tag: str, entering: bool) -> None:
        if tag == "-text":
            if entering:
                self._write(node.text_content or "")
        elif tag in _INLINE:
            if entering and tag == "a":
                self._line.links.append((self._line.length, _target(node), visible_text(node)))
        elif tag == "br":
            if entering and self._line.parts:
                self._line.add(_BREAK)
        elif tag in _LISTS:
            self._flush()
            self._depth = max(self._depth + (1 if entering else -1), 0)
            if not self._depth:
                self._end_list()
        elif tag in _ITEMS and self._depth:
            self._flush()
            self._lead = self._bullet(tag) if entering else ""
        else:
            self._flush()

    def _write(self, text: str) -> None:
        text = _SPACE.sub(" ", text)
        parts = self._line.parts
        if text.startswith(" ") and (not parts or parts[-1].endswith((" ", "\n"))):
            text = text[1:]
        if text:
            self._line.add(text)

    def _write_code(self, code: str) -> None:
        own = code.strip()
        self._write(" " * code.startswith(" "))
        if own:
            self._line.add(code_span(own))
        self._write(" " * code.endswith(" "))

    def _bullet(self, tag: str) -> str:
        indent = _INDENT * min(self._depth - 1, _MOST_LEVELS)
        return f"{indent}{_INDENT}" if tag == "dd" else f"{indent}- "

    def _flush(self) -> None:
        """End the line: it becomes a block, or a line of the open list."""
        line, self._line = self._line, _Lines()
        body = "".join(line.parts).rstrip()
        if not body:
            return
        line.links = [(min(at, len(body)), target, label) for at, target, label in line.links]
        if self._depth:
            self._add_item(body, line)
        else:
            self._note(self._draft.add(Kind.TEXT, body), line)

    def _add_item(self, body: str, line: _Lines) -> None:
        if self._lead.startswith("- "):
            self._cuts.append(self._list.length)
        lead = self._lead or _INDENT * min(self._depth, _MOST_LEVELS)
        shift = self._list.length + len(lead)
        self._list.links.extend((at + shift, target, label) for at, target, label in line.links)
        self._list.add(f"{lead}{body}\n")
        self._lead = ""

    def _end_list(self) -> None:
        self._flush()
        if self._list.parts:
            text = "".join(self._list.parts)
            start = self._draft.add(Kind.LIST, text, cuts=self._cuts)
            self._note(start - (len(text) - len(text.lstrip())), self._list)
        self._list, self._cuts = _Lines(), []

    def _note(self, start: int, lines: _Lines) -> None:
        for at, target, label in lines.links:
            self._draft.link(target, label, max(start + at, 0))

    def _note_inside(self, node: LexborNode, start: int) -> None:
        for inner, entering in steps(node, is_visible):
            if entering and inner.tag == "a":
                self._draft.link(_target(inner), visible_text(inner), start)


def _is_one_line(node: LexborNode) -> bool:
    """Whether an element holds words alone, marked or not: no link, no block that was left open."""
    return all(child.tag == "-text" or _is_word(child) for child in node.iter(include_text=True))


def _is_word(node: LexborNode) -> bool:
    if node.tag not in _INLINE - _LEADING_ON or not is_visible(node):
        return False
    return all(child.tag == "-text" for child in node.iter(include_text=True))


def _target(node: LexborNode) -> str:
    return (node.attributes.get("href") or "").strip()
