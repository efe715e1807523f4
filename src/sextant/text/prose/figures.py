"""The numbers in a text. Two texts that differ in one of them do not say the same."""

from __future__ import annotations

import re

_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")


def figures(text: str) -> frozenset[str]:
    """Return the numbers, dates and times in a text as they are written."""
    return frozenset(_FIGURE.findall(text))
