"""Markdown's links, images, definitions and labels: kept, or only their text.

Knows no address that stands in the text by itself.
"""

from __future__ import annotations

import re

from sextant.chat.reply_links import signs
from sextant.chat.reply_links.bare_addresses import AROUND
from sextant.chat.reply_links.reply_state import REMOVED, ReplyState, Step, limit_of
from sextant.chat.reply_links.targets import destination_of, is_absolute


class MarkdownLinks:
    """The links of one reply.

    An image may be loaded from where a definition leads, so of either it is known whether it came.
    """

    __slots__ = ("_defines", "_shows_image", "_state")

    def __init__(self, state: ReplyState) -> None:
        self._state = state
        self._shows_image = self._defines = False

    def take_destination(self, text: str, start: int) -> Step:
        """Deal with what stands behind the text of a link, or of an image."""
        opened, limit = start + len("]("), limit_of(text, start)
        found = signs.DESTINATION.match(text, opened, limit)
        if found is None:  # `<` that is not closed yet, or on this line
            return None if self._state.waits(text, start, len(text)) else ("] (", opened)
        written, end = found["at"], found.end("at")
        if self._state.waits(text, start, end):
            return None
        if "`" in written or text[end : end + 1] != ")":
            self._state.inline.doubt()  # marks of code in a destination or a title are none
        if not is_absolute(destination_of(written)):
            return text[start:opened], opened
        is_short = end - start < signs.LONGEST
        if is_short and self._may_lead(written, is_loaded=self._shows_image):
            return self._kept_link(text, start, found)
        if behind := signs.BEHIND.match(text, end, limit):
            return self._state.follow("]", text, behind.end())
        if self._state.waits(text, start, limit) and signs.BEHIND_BEGUN.match(text, end):
            return None
        return "] (", opened

    def take_opening(self, text: str, start: int) -> Step:
        """Deal with a bracket: of a link that goes, its text is told alone where that is safe."""
        shown = signs.SHOWN.match(text, start, limit_of(text, start))
        if shown is None:
            is_begun = self._state.waits_for(signs.SHOWN_BEGUN, text, start)
            return None if is_begun else ("[", start + 1)
        step = self.take_destination(text, shown.end() - len("]("))
        if step is None:
            return None
        behind = signs.SHOWN_END.match(text, step[1])
        is_alone = step[0] == "]" and behind
        if is_alone and behind and behind["end"] is not None and not self._state.is_final:
            return None
        told = self._alone(shown)
        return (told, step[1]) if is_alone and told else ("[", start + 1)

    def take_definition(self, text: str, start: int) -> Step:
        """Deal with where a label leads: an address that is not allowed goes."""
        opened = start + len("]:")
        found = signs.DEFINED.match(text, opened, limit_of(text, start))
        if found is None:
            return None if self._state.waits(text, start, len(text)) else ("] :", opened)
        if self._state.waits(text, start, found.end()):
            return None
        written = found["at"] if found["at"].startswith("<") else found["at"].rstrip(AROUND)
        if not is_absolute(destination_of(written)):
            return text[start:opened], opened
        is_short = found.end() - start < signs.LONGEST
        if is_short and self._state.may_show(written, is_loaded=self._shows_image):
            self._defines = True
            return text[start : found.start("at")], found.start("at")
        return f"]: {REMOVED}", found.start("at") + len(written)

    def take_image(self, text: str, start: int) -> Step:
        """Deal with the sign of an image: one that may not be loaded is a link, or its text."""
        simple = signs.ALT.match(text, start)
        if simple is None:
            if self._state.waits_for(signs.ALT_BEGUN, text, start):
                return None
            self._shows_image = self._shows_image or not self._defines
            return ("\\!" if self._defines else "!"), start + 1
        limit = limit_of(text, start)
        found = signs.DESTINATION.match(text, simple.end(), limit)
        end = found.end("at") if found else limit
        if self._state.waits(text, start, end):
            return None
        written = found["at"] if found else ""
        is_known = not is_absolute(destination_of(written)) or self._may_lead(
            written, is_loaded=True
        )
        return ("!" if is_known and end - start < signs.LONGEST else ""), start + 1

    def take_label(self, text: str, start: int) -> Step:
        """Deal with the label of a reference: one with marks of code in it is read before those."""
        if self._state.waits_for(signs.LABEL_BEGUN, text, start):
            return None
        if not signs.LABEL.match(text, start):
            self._state.inline.doubt()
        return "]", start + 1

    def _may_lead(self, written: str, *, is_loaded: bool) -> bool:
        """Whether a link may lead there; one with a second address in it could be read as two."""
        found = [one.lastgroup for one in signs.SIGN.finditer(written)]
        count = len([own for own in found if own not in ("reference", "opening")])
        return count <= 1 and self._state.may_show(written, is_loaded=is_loaded)

    def _alone(self, shown: re.Match[str]) -> str:
        """Return the text of a link as it stands without it, or nothing if that may be a link."""
        if not self._state.is_behind_gap:
            return ""
        if shown["address"]:
            return "" if self._state.may_show(shown["address"]) else REMOVED
        return "" if signs.SIGN.search(shown["words"]) else shown["words"]

    def _kept_link(self, text: str, start: int, found: re.Match[str]) -> Step:
        """Return a link as it is, or in `<>` where a client could take more for its address."""
        end = after = found.end("at")
        while after < limit_of(text, end) and text[after] in AROUND:
            after += 1
        if self._state.waits(text, end, after):
            return None
        goes_on = after < len(text) and not signs.ADDRESS_END.match(text, after)
        if goes_on and not found["at"].startswith("<"):
            return f"{text[start : found.start('at')]}<{found['at']}>", end
        return text[start:end], end
