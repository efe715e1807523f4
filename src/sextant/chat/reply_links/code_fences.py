"""Where fenced code begins and ends in a reply, as far as every reader of Markdown agrees.

Fences at the start of a line or in items of lists, as long as no other fence and no HTML has begun
before: what is code in a quotation to one reader may be text to another. In an item, code is what
is indented as its fence; from a line on which readers may disagree, nothing is taken for code.
"""

from __future__ import annotations

import re

from sextant.chat.reply_links import signs
from sextant.chat.reply_links.lines import ReplyLines
from sextant.chat.reply_links.reply_state import Step

_MOST_BEFORE_MARKS = 3  # columns that marks may be indented behind where their block begins


class CodeFences:
    """The code that is open, if any, by the marks that opened it."""

    __slots__ = ("_indent", "_lines", "is_trusted", "marks")

    def __init__(self, lines: ReplyLines) -> None:
        self._lines = lines
        self._indent = 0
        self.marks = ""
        self.is_trusted = True

    def may_open(self, marks: str) -> bool:
        """Whether marks may be those of a fence to some reader."""
        return len(marks) >= 3 and bool(signs.LINE_MARKS.match(self._lines.head))

    def open(self, text: str, sign: re.Match[str], *, is_final: bool) -> Step:
        """Deal with marks that may open code, behind the beginning of their line."""
        start, head = sign.start(), self._lines.head
        if self.is_trusted:
            if not is_final and signs.FENCE_BEGUN.match(text, start):
                return None
            opened = signs.FENCE.match(text, start)
            if opened and self._lines.items.holds_fence(head):
                self._set(opened["marks"], len(head))
                return opened[0], opened.end()
        self.is_trusted = False
        return sign[0], sign.end()

    def take_line(self, text: str, at: int, *, is_final: bool) -> Step:
        """Deal with a line of code behind its beginning, or with what there is of it."""
        found = signs.LINE.match(text, at)
        rest, is_whole = (found[0], bool(found["end"])) if found else ("", False)
        if self._lines.head:
            return rest, at + len(rest)
        body = rest.lstrip(" ")
        closing = re.fullmatch(rf"({self.marks[0]}*)[ \t]*[\r\n]?", body)
        if closing and not is_whole and not is_final and len(rest) < signs.LONGEST:
            return None
        indent = len(rest) - len(body)
        is_closing = closing and len(closing[1]) >= len(self.marks)
        if self._is_unclear(indent, body, is_closing=bool(is_closing)):
            self.is_trusted = False
            self._set("", 0)
            return "", at
        if is_closing and indent <= self._indent + _MOST_BEFORE_MARKS:
            self._set("", 0)
        return rest, at + len(rest)

    def _is_unclear(self, indent: int, body: str, *, is_closing: bool) -> bool:
        """Whether code in an item may be over here to one reader, and go on to another."""
        if not self._indent or not body.strip():
            return False
        is_deeper = self._indent < indent <= self._indent + _MOST_BEFORE_MARKS
        return indent < self._indent or (is_closing and is_deeper)

    def _set(self, marks: str, indent: int) -> None:
        self.marks, self._indent = marks, indent
        self._lines.items.is_in_code = bool(marks)
