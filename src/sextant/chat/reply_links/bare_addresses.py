"""Addresses in the text of a reply, which clients make links of, and where each ends for a reader.

What delimits an address is no part of it.
"""

from __future__ import annotations

import re

from sextant.chat.reply_links import signs
from sextant.chat.reply_links.reply_state import REMOVED, ReplyState, Step, limit_of

AROUND = ".,;:!?)]}*_~'\"`"
"""What stands behind an address in a sentence, and is no part of it."""
_DELIMITER = re.compile(r"[\s\"'`<>]")
_OPENED_BY = {")": "(", "]": "[", "}": "{"}


class BareAddresses:
    """The addresses of one reply that stand in its text."""

    __slots__ = ("_state",)

    def __init__(self, state: ReplyState) -> None:
        self._state = state

    def take(self, text: str, sign: re.Match[str]) -> Step:
        """Deal with an address in the text: all that a client may take for a part of it counts."""
        start = sign.start()
        limit = limit_of(text, start)
        found = signs.ADDRESS_END.search(text, sign.end(), limit)
        end = found.start() if found else limit
        if self._state.waits(text, start, end):
            return None
        whole = text[start:end]
        if whole == sign[0]:
            return whole, end
        shown, mark, behind = whole.partition("](")
        address = _cut_address(shown, len(sign[0]))
        is_clear = (
            sign.lastgroup == "address" and "\\" not in address and len(whole) < signs.LONGEST
        )
        bare = shown if mark else shown.rstrip(AROUND)
        if is_clear and "\\" not in shown and self._state.may_show(bare):
            is_glued = mark and behind.rstrip(AROUND) != shown
            return self._kept_address(text, sign, shown, is_glued=bool(is_glued))
        if is_clear and self._state.may_show(address):
            return self._kept_address(text, sign, address, is_glued=True)
        removed = REMOVED if len(whole) < signs.LONGEST else f"{REMOVED} "
        return self._state.follow(removed, text, start + len(address))

    def _kept_address(
        self, text: str, sign: re.Match[str], address: str, *, is_glued: bool
    ) -> Step:
        """Return an address, apart from what some clients would take for more of it."""
        start, end = sign.start(), sign.start() + len(address)
        inner = signs.SIGN.search(text, sign.end(), end)
        if inner and inner.lastgroup != "code":
            first = text[start : inner.start()]
            if self._state.may_show(first):
                return first, inner.start()  # who ends it there goes on there
        if "`" in address:
            self._state.inline.doubt()
        # Who does not see where a link begins takes its text and its destination for one address.
        return (f"{address} " if is_glued else address), end


def _cut_address(written: str, at_least: int) -> str:
    """Return an address without quotes, brackets it does not open, and signs of the sentence."""
    found = _DELIMITER.search(written, at_least)
    inside = written[: found.start()] if found else written
    open_ones: list[str] = []
    for at, sign in enumerate(inside):
        if sign in _OPENED_BY.values():
            open_ones.append(sign)
        elif sign in _OPENED_BY:
            if _OPENED_BY[sign] not in open_ones:
                inside = inside[:at]
                break
            open_ones.remove(_OPENED_BY[sign])
    end = len(inside.rstrip(".,;:!?*_~\\"))
    return written[: max(end, at_least)]
