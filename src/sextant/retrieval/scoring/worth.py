"""What documents' words are worth beside each other.

Knows reputation, supersession and what paths say of pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sextant.retrieval.scoring.page_sorts import deductions
from sextant.retrieval.scoring.superseded import superseded
from sextant.types import Document

_ORDINARY = 0.5
"""The reputation from which on a source counts in full."""

_SUPERSEDED = 0.3


_PAST = re.compile(
    r"\b(?:used to|formerly|previous(?:ly)?|former|old|outdated|superseded|withdrawn)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def worths(documents: Iterable[Document], question: str = "") -> Mapping[str, float]:
    """Return in 0 to 1 how far to believe each document; a superseded one counts least.

    What had its day is believed where the question asks for the past, or for the year in its title.
    A page that is of another sort than the manual counts less for a question about now.
    """
    known = {document.id: document for document in documents}
    past = {} if _PAST.search(question) else dict(superseded(known.values()))
    years = frozenset(_YEAR.findall(question))
    past = {
        name: one
        for name, one in past.items()
        if years.isdisjoint(_YEAR.findall(known[name].title))
    }
    less = deductions((one for one in known.values() if one.id not in past), question)
    factors = {name: sort.factor for name, sort in less.items()} | dict.fromkeys(past, _SUPERSEDED)
    return {
        name: min(1.0, max(0.0, document.reputation) / _ORDINARY) * factors.get(name, 1.0)
        for name, document in known.items()
    }


def standing_of(document: Document, worth: float) -> float:
    """Return a document's reputation, less where its word counts least because it had its day."""
    return worth * max(_ORDINARY, document.reputation)
