"""Sentences that do not say of what they speak, and how to say it for them. Knows English."""

from __future__ import annotations

import re

from sextant.ask.expand import sorts
from sextant.text.markdown import readable
from sextant.text.units import Unit

_STAND_IN = re.compile(
    r"(?:It|Its|They|Their|This|These|Those|He|She|His|Her|We|Our|Then|That)\b(?!')"
)
_FRAGMENT = re.compile(
    r"(?:[A-Z][a-z]+ed|Led|Written|Run|Built|Kept|Held|Sent|Made|Known|Sold|Leads|Follows|Keeps|"
    r"Runs|Owns|Handles|Stores|Sends|Holds|Provides|Manages|Checks|Serves|Answers) "
)


def told(unit: Unit, noun: str = "", *, whole: bool = True) -> str:
    """Return a piece as a reader sees it; under its title if it does not name its subject.

    The title is the answer where a sort of document is asked for: ``which runbook``.
    """
    text, document = unit.text, unit.passage.document
    title = readable(document.title)
    stands_alone = not (_STAND_IN.match(text) or _FRAGMENT.match(text))
    if not title or (whole and stands_alone and noun not in sorts(document)):
        return text
    return f"{title}: {text}"


def points_elsewhere(unit: Unit) -> bool:
    """Whether a piece does not tell something but links to where it is told."""
    quote = unit.passage.chunk.text[unit.start : unit.end]
    return "](" in quote and bool(_POINTER.search(quote))


_POINTER = re.compile(
    r"\b(?:see(?: also)?|refer to|(?:is|are)(?: \w+)? (?:in|on|by|under)(?: the| our)?) \[",
    re.IGNORECASE,
)
