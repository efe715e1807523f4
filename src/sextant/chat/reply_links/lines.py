"""Where a reader stands in a reply: how the line begins, in which paragraph and items of lists."""

from __future__ import annotations

import re

LINE_HEAD = 64  # characters of a line by which its beginning is known
_BREAK = re.compile(r"\r\n|\r|\n")
_MARKER = re.compile(r" *(?:[-*+]|(?P<number>[0-9]{1,9})[.)]) {1,4}(?=\S)")
_RULE = re.compile(r"[-*_ \t]+\Z")
"""A line across the page, which may begin as an item does."""
_LEAST_OF_CODE = 4  # columns behind which a line is code by its indentation (CommonMark)


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


class ListItems:
    """The items that the line before is part of, by how far their content is indented.

    Lines of fenced code are not looked at. Only what is certain to every reader of Markdown counts:
    from a line that is indented less than an item, the item has ended.
    """

    __slots__ = ("_is_after_blank", "_offsets", "is_in_code")

    def __init__(self) -> None:
        self._offsets: list[int] = []
        self._is_after_blank = True
        self.is_in_code = False

    def end_line(self, head: str, *, is_blank: bool) -> None:
        """Take in the beginning of a line that has ended."""
        if self.is_in_code:
            return
        if not is_blank:
            self._read(head)
        self._is_after_blank = is_blank

    def holds_fence(self, head: str) -> bool:
        """Whether a fence behind such a beginning of its line is one for every reader."""
        if head.strip(" "):
            self._read(f"{head}`")
            return self._offsets[-1:] == [len(head)]
        self._leave(len(head))
        return self._is_block_at(len(head))

    def _read(self, line: str) -> None:
        indent = len(line) - len(line.lstrip(" "))
        is_sibling = self._leave(indent)
        marker = _MARKER.match(line)
        if marker is None or _RULE.match(line) or not self._is_block_at(indent):
            return
        # Any other number is no item where it follows the text of a paragraph.
        if marker["number"] in (None, "1") or is_sibling or self._is_after_blank:
            self._offsets.append(marker.end())

    def _leave(self, indent: int) -> bool:
        """End the items that a line is not indented enough for, and tell whether there were any."""
        count = len(self._offsets)
        self._offsets = [own for own in self._offsets if own <= indent]
        return len(self._offsets) < count

    def _is_block_at(self, indent: int) -> bool:
        """Whether a line so far indented may begin a block, rather than be code or go on."""
        return indent - (self._offsets[-1] if self._offsets else 0) < _LEAST_OF_CODE
