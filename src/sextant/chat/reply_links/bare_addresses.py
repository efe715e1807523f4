"""Where an address in a text ends for who reads it: what delimits it is no part of it."""

from __future__ import annotations

import re

AROUND = ".,;:!?)]}*_~'\"`"
"""What stands behind an address in a sentence, and is no part of it."""
_DELIMITER = re.compile(r"[\s\"'`<>]")
_OPENED_BY = {")": "(", "]": "[", "}": "{"}


def cut_address(written: str, at_least: int) -> str:
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
