"""Where HTML may be read in a reply, and which `<` may stay although no tag ends there.

To a reader of Markdown, `<Map<K, V>>` is text as it is no whole tag; a browser would take any `<`
before a letter for a tag. So it stays as it is outside of HTML, where nothing behind it changes,
and is set apart by a space elsewhere.
"""

from __future__ import annotations

import re

from sextant.chat.reply_links import signs
from sextant.chat.reply_links.lines import ReplyLines
from sextant.chat.reply_links.targets import TAG_BEGUN, TAG_PREFIX

_UNENDING = re.compile(r"<(?:[!?]|/?(?:script|pre|style|textarea)\b)", re.IGNORECASE)
"""What begins HTML that goes on behind a blank line."""
_CHANGING = re.compile(r"[:\[\]!]|www", re.IGNORECASE)
"""What may begin a sign that is not kept: without it, a tag could come of what was none."""


class HtmlBlocks:
    """Whether the paragraph that is being written may be one of HTML."""

    __slots__ = ("_lines", "_paragraph", "is_unending")

    def __init__(self, lines: ReplyLines) -> None:
        self._lines = lines
        self._paragraph = -1
        self.is_unending = False

    @property
    def is_open(self) -> bool:
        """Whether a reader may take what comes for HTML."""
        return self.is_unending or self._paragraph == self._lines.paragraph

    def see_tag(self, text: str, start: int) -> None:
        """Take in a `<` that may begin a tag: at the beginning of a line, it may be a block's."""
        if signs.LINE_MARKS.match(self._lines.head):
            self._paragraph = self._lines.paragraph
            self.is_unending = self.is_unending or bool(_UNENDING.match(text, start))

    def keeps(self, text: str, start: int, limit: int) -> bool:
        """Whether a `<` that begins no whole tag may stay as it is."""
        if self.is_open:
            return not text[start + 1].isalpha()
        found = TAG_PREFIX.match(text, start, limit)
        end = found.end() + 1 if found else start
        is_cut = limit - start >= signs.LONGEST and TAG_BEGUN.match(text, start, limit)
        return not (is_cut or _CHANGING.search(text, start, end))
