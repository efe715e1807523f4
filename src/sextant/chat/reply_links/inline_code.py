"""Code within a line of a reply: kept as it is where every reader of Markdown takes it for code.

Readers agree on the marks of a paragraph as long as each that opens code is closed on its line.
From the first one in doubt to the next blank line, all is text: what one reader takes for the end
of code may be its beginning to another.
"""

from __future__ import annotations

import re

from sextant.chat.reply_links import signs
from sextant.chat.reply_links.lines import ReplyLines

_STOP = re.compile(r"`+|[\r\n|]|\]:")
"""Marks, or what ends code: the line, a cell of a table, the label of a definition."""


class InlineCode:
    """Which code may be trusted in the paragraph that is being written."""

    __slots__ = ("_doubtful", "_lines")

    def __init__(self, lines: ReplyLines) -> None:
        self._lines = lines
        self._doubtful = -1

    @property
    def is_doubtful(self) -> bool:
        """Whether readers may disagree on what is code in this paragraph."""
        return self._doubtful == self._lines.paragraph

    def doubt(self) -> None:
        """Take nothing for code up to the end of the paragraph."""
        self._doubtful = self._lines.paragraph

    def find_end(self, text: str, marks: re.Match[str], *, is_final: bool) -> int | None:
        """Return where code that begins here ends, or its marks; nothing until that is known."""
        limit = min(len(text), marks.start() + signs.LONGEST)
        is_known = not self.is_doubtful and self._lines.last != "\\"
        for stop in _STOP.finditer(text, marks.end(), limit) if is_known else ():
            if stop[0][0] != "`":
                is_known = False
                break
            is_whole = stop.end() < limit or (is_final and limit == len(text))
            if is_whole and len(stop[0]) == len(marks[0]):
                return stop.end()
        if is_known and not is_final and len(text) - marks.start() < signs.LONGEST:
            return None
        self.doubt()
        return marks.end()
