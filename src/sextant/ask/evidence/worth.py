"""What documents' words are worth beside each other. Knows reputation and supersession."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sextant.ask.scoring.superseded import superseded
from sextant.types import Document

_ORDINARY = 0.5
"""The reputation from which on a source counts in full."""

_SUPERSEDED = 0.3


def worths(documents: Iterable[Document]) -> Mapping[str, float]:
    """Return in 0 to 1 how far to believe each document; a superseded one counts least."""
    known = {document.id: document for document in documents}
    past = superseded(known.values())
    return {
        name: min(1.0, max(0.0, document.reputation) / _ORDINARY)
        * (_SUPERSEDED if name in past else 1.0)
        for name, document in known.items()
    }
