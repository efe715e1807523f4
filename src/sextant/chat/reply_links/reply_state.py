"""What the parts of a filter share on one reply, such as where it stands and whether it is over."""

from __future__ import annotations

import re

from sextant.chat.reply_links import signs
from sextant.chat.reply_links.inline_code import InlineCode
from sextant.chat.reply_links.lines import ReplyLines
from sextant.chat.reply_links.targets import Allows, destination_of

REMOVED = "[link removed]"
Step = tuple[str, int] | None
"""What is told of a sign, and where the text goes on; nothing where more has to come first."""


class ReplyState:
    """One reply on its way. `allows` says which addresses may stand in it."""

    __slots__ = ("allows", "inline", "is_final", "lines")

    def __init__(self, allows: Allows) -> None:
        self.allows = allows
        self.lines = ReplyLines()
        self.inline = InlineCode(self.lines)
        self.is_final = False

    @property
    def is_behind_gap(self) -> bool:
        """Whether what comes next is joined to nothing before it."""
        return not self.lines.last or self.lines.last.isspace()

    def waits(self, text: str, start: int, end: int) -> bool:
        """Whether what goes from here to there may go on in the next piece."""
        return end == len(text) and not self.is_final and end - start < signs.LONGEST

    def waits_for(self, begun: re.Pattern[str], text: str, start: int) -> bool:
        """Whether what begins here may become whole with the next piece."""
        return self.waits(text, start, len(text)) and bool(begun.match(text, start))

    def may_show(self, written: str, *, is_loaded: bool = False) -> bool:
        """Whether an address may stand in the reply, as it is written in Markdown."""
        return self.allows(destination_of(written), is_loaded)

    def follow(self, replacement: str, text: str, end: int) -> Step:
        """Return what stands for a link, apart from what would make another link of it."""
        if self.waits(text, end, end):
            return None
        is_within = replacement == REMOVED and not signs.LINE_MARKS.match(self.lines.head)
        is_joined = text[end : end + 1] in (("(", "[") if is_within else ("(", "[", ":"))
        return (f"{replacement} " if is_joined else replacement), end


def limit_of(text: str, start: int) -> int:
    """Return up to where what begins here is looked at, however much of the text is there."""
    return min(len(text), start + signs.LONGEST)
