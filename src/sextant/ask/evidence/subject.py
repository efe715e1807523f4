"""Sentences that do not say of what they speak, and how to say it for them. Knows English."""

from __future__ import annotations

import re

from sextant.ask.evidence.markdown import readable
from sextant.ask.evidence.units import Unit

_STAND_IN = re.compile(
    r"(?:It|Its|They|Their|This|These|Those|He|She|His|Her|We|Our|Then|That|There)\b(?! is no\b)"
)
_FRAGMENT = re.compile(
    r"(?:[A-Z][a-z]+ed|Led|Written|Run|Built|Kept|Held|Sent|Made|Known|Sold|Leads|Follows|Keeps|"
    r"Runs|Owns|Handles|Stores|Sends|Holds|Provides|Manages|Checks|Serves|Answers) "
)


def told(unit: Unit) -> str:
    """Return a piece as a reader sees it; under its title if it does not name its subject."""
    text = readable(unit.text)
    title = readable(unit.passage.document.title)
    if not title or not (_STAND_IN.match(text) or _FRAGMENT.match(text)):
        return text
    return f"{title}: {text}"
