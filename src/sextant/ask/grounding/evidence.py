"""What a retrieved chunk tells, piece by piece, as prose is compared with it. Knows no prose.

Hidden text, and text from the first word on that speaks to a model, tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sextant.ask.evidence.claim import Quote
from sextant.ask.evidence.markdown import readable
from sextant.ask.evidence.units import Unit, units_of
from sextant.ask.grounding.orders import first_order
from sextant.ask.grounding.values import values_of
from sextant.ask.grounding.wording import Wording, wording_of
from sextant.text.words import Words
from sextant.types import Passage

_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<tag>[a-z][a-z0-9]*)\b[^<>]{0,2000}?(?:display\s*:\s*none|visibility\s*:\s*hidden|"
    r"opacity\s*:\s*0|font-size\s*:\s*0|(?<=\s)hidden\b|color\s*:\s*(?:white|#fff))[^<>]{0,2000}>"
    r".*?(?:</(?P=tag)\s*>|\Z)"
    r"|<(?P<kind>script|style|template|noscript|title|svg)\b.*?(?:</(?P=kind)\s*>|\Z)"
    r"|^[ ]{0,3}\[[^\]\n]{0,500}\]:[^\n]*$",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_STOP = re.compile(r"[.!?;]\s|\n")
_LEANING = re.compile(
    r"(?:it|its|they|their|them|this|that|these|those|he|she|his|her|both|there|then|such)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, row or record of a chunk: its own words, and those it is read with.

    One that leans says of what stands before it what it says.
    """

    unit: Unit
    own: Wording
    read: Wording
    leans: bool = False

    @property
    def quote(self) -> Quote:
        """The words as they stand in the document."""
        return Quote(self.unit.passage, self.unit.start, self.unit.end)


def pieces_of(passage: Passage, words: Words) -> tuple[Piece, ...]:
    """Return what a chunk tells, each piece under its title and headings."""
    lead = ". ".join(filter(_tells, (passage.document.title, *passage.chunk.headings)))
    units = [replace(unit, passage=passage) for unit in units_of(_told(passage))]
    return tuple(_piece(units, at, lead, words) for at in range(len(units)))


def leans(text: str) -> bool:
    """Whether a sentence speaks of what stands before it."""
    return bool(_LEANING.match(text))


def _piece(units: Sequence[Unit], at: int, lead: str, words: Words) -> Piece:
    """Return a piece with what it cannot be read without."""
    unit = units[at]
    is_leaning = leans(unit.text)
    subject = values_of(units[at - 1].text).names[:1] if at and is_leaning else ()
    parts = (lead, unit.under, *subject, unit.text)
    read = "\n".join(readable(part) for part in parts if part)
    return Piece(unit, wording_of(unit.text, words), wording_of(read, words), is_leaning)


def _told(passage: Passage) -> Passage:
    """Return the passage with blanks for what is hidden or tells nothing; places stay the same."""
    text = _HIDDEN.sub(lambda found: _blank(found.group()), passage.chunk.text)
    end = first_order(text)
    if end < len(text):
        end = max((stop.end() for stop in _STOP.finditer(text, 0, end)), default=0)
    blanked = text[:end] + _blank(text[end:])
    return replace(passage, chunk=replace(passage.chunk, text=blanked))


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _tells(text: str) -> bool:
    return bool(text.strip()) and first_order(text) == len(text)
