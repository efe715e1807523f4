"""Names in a sentence by their capitals. Knows English openings, months and days."""

from __future__ import annotations

import re

from sextant.text.prose.sentences import OPENERS

_MONTHS = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
_CAPITALISED = re.compile(
    r"\b[A-Z][\w&'-]*(?: (?:of (?:the )?|and )?(?:[A-Z][\w&'-]*|[A-Z]?\d{1,3}\b(?! [A-Z])))*"
)
_NO_NAMES = re.compile(rf"(?:{_WEEKDAY}|{_MONTHS}|UTC|EUR|USD|GBP|CHF)$")


def capitalised_names(text: str) -> list[str]:
    """Return what is written like a name, without the words that open a sentence and dates."""
    found = []
    for name in _CAPITALISED.findall(text):
        words = name.split()
        while words and words[0].lower() in OPENERS:
            words = words[1:]
        if words and not _NO_NAMES.match(words[0]):
            found.append(" ".join(words))
    return found
