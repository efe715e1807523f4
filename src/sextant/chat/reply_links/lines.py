"""Where a reader stands in a reply: how the line begins, and which paragraph it belongs to."""

from __future__ import annotations

import re

from sextant.chat.reply_links.list_items import ListItems

LINE_HEAD = 64  # characters of a line by which its beginning is known
_BREAK = re.compile(r"\r\n|\r|\n")


class ReplyLines:
    """The line that is being sent. A paragraph ends for certain at a blank line, and only there."""

    __slots__ = ("_is_blank", "head", "items", "last", "paragraph")

    def __init__(self) -> None:
        self.head = self.last = ""
        self.items = ListItems()
        self.paragraph = 0
        self._is_blank = True

    def add(self, text: str) -> str:
        """Take in what is sent, and return it."""
        if text:
            is_second_half = text[0] == "\n" and self.last == "\r"
            self.last = text[-1]
            first, *more = _BREAK.split(text[1:] if is_second_half else text)
            self._go_on(first)
            for line in more:
                self.paragraph += self._is_blank
                self.items.end_line(self.head, is_blank=self._is_blank)
                self.head, self._is_blank = "", True
                self._go_on(line)
        return text

    def _go_on(self, text: str) -> None:
        self._is_blank = self._is_blank and not text.strip(" \t")
        if len(self.head) < LINE_HEAD:
            self.head = (self.head + text)[:LINE_HEAD]
