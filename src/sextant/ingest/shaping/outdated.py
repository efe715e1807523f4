"""Whether a document says of itself that it has had its day. That counts against itself alone."""

from __future__ import annotations

import re
from itertools import islice

from sextant.ingest.values import Kind, Reading
from sextant.types import OWN

OUTDATED = f"{OWN}outdated"
"""Where a document keeps the words by which it calls itself outdated."""

_LONGEST = 160
_EARLY = 2
"""In which of the first blocks after the title such a word has to stand."""

_PAST = (
    r"(?:superseded|outdated|out[- ]of[- ]date|obsolete|deprecated|archived|withdrawn|replaced"
    r"|retired|expired|no longer (?:valid|in force|in use|current|applies|apply)"
    r"|not in force(?: any ?more)?|not valid any ?more|ended)"
)
_NOUN = (
    r"(?:page|document|article|policy|policies|procedure|guide|guideline|handbook|runbook|note|notes"
    r"|text|version|list|sheet|table|rule|rules|term|terms|price|prices|fee|fees|fares?|rates?|plans?"
    r"|values?|figures?|timetable|contract|matrix|standard|instructions?|information|content)"
)
_IN_TITLE = re.compile(
    rf"(?:[(\[][^)\]]*\b(?:{_PAST}|old)[)\]]|[-–—:|]\s*{_PAST})\s*$"  # noqa: RUF001 - dashes as they are printed
    rf"|^[(\[]?{_PAST}[)\]:]",
    re.IGNORECASE,
)
_AT_FIRST = re.compile(
    rf"(?:(?:note|notice|warning|important|status|attention)\s*[:!.]\s*)?"
    rf"(?:do not use\b|old (?:page|version|copy)\b"
    rf"|{_PAST}\s*(?:$|[.:;,!]|\b(?:by|on|since|from|as of|in)\b)"
    rf"|th(?:is|e|ese|ose)\s+(?:[\w-]+\s+){{0,2}}?{_NOUN}\s+"
    rf"(?:(?:is|are|was|were|has been|have been|became)\s+(?:now\s+)?{_PAST}"
    rf"|is kept for (?:the )?(?:record|reference|auditors|audits|archive)\b"
    rf"|(?:no longer\s+(?:applies|apply|holds?|is|are)|ended|expired|held until)\b"
    rf"|(?:was|were)\s+(?:in force|valid)\s+until\b"
    rf"|ha(?:s|ve)\s+not\s+been\s+(?:valid|in force)\b))",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[*_>`~#\s]+")


def own_word(reading: Reading) -> str:
    """Return the words by which a document calls itself outdated, if it does so at once."""
    title = " ".join(reading.title.split())
    if _IN_TITLE.search(title):
        return title[:_LONGEST]
    bodies = (one for one in reading.blocks if one.kind is not Kind.HEADING)
    for block in islice(bodies, _EARLY):
        text = _MARKUP.sub(" ", reading.text[block.start : block.end][:_LONGEST]).strip()
        if _AT_FIRST.match(text):
            return text
    return ""
