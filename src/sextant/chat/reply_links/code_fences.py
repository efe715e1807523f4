"""Where code begins and ends in a reply, as far as every reader of Markdown agrees.

Fences at the very start of a line, as long as no other fence and no HTML has begun before: what is
code in a list or a quotation to one reader may be text to another.
"""

from __future__ import annotations

import re

from sextant.chat.reply_links import signs

Step = tuple[str, int] | None
"""What is told of a sign, and where the text goes on; nothing where more has to come first."""


class CodeFences:
    """The code that is open, if any, by the marks that opened it."""

    __slots__ = ("is_trusted", "marks")

    def __init__(self) -> None:
        self.marks = ""
        self.is_trusted = True

    def may_open(self, marks: str, line: str) -> bool:
        """Whether marks behind the beginning of a line may be those of a fence to some reader."""
        return len(marks) >= 3 and bool(signs.LINE_MARKS.match(line))

    def open(self, text: str, sign: re.Match[str], line: str, *, is_final: bool) -> Step:
        """Deal with marks behind the beginning of a line; code begins where that is empty."""
        start = sign.start()
        if line:
            self.is_trusted = False
            return sign[0], sign.end()
        if self.is_trusted:
            if not is_final and signs.FENCE_BEGUN.match(text, start):
                return None
            if opened := signs.FENCE.match(text, start):
                self.marks = opened["marks"]
                return opened[0], opened.end()
        self.is_trusted = False
        return sign[0], sign.end()

    def take_line(self, text: str, at: int, line: str, *, is_final: bool) -> Step:
        """Deal with a line of code behind its beginning, or with what there is of it."""
        found = signs.LINE.match(text, at)
        rest, is_whole = (found[0], bool(found["end"])) if found else ("", False)
        if not line:
            closing = re.fullmatch(rf" {{0,3}}({self.marks[0]}*)[ \t]*[\r\n]?", rest)
            if closing and not is_whole and not is_final and len(rest) < signs.LONGEST:
                return None
            if closing and len(closing[1]) >= len(self.marks):
                self.marks = ""
        return rest, at + len(rest)
