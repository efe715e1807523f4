"""How fresh a passage is, by its own time or its document's. Knows no clock: the day is given."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from sextant.types import Document, Passage

HALF_LIFE_DAYS = 365.0
UNDATED = 0.5
_DAY = 86_400.0


def recency(document: Document, now: datetime, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """Return 1 for what changed today or later, and half of it after each half-life."""
    return _fresh(changed(document), now, half_life_days)


def passage_recency(
    passage: Passage, now: datetime, half_life_days: float = HALF_LIFE_DAYS
) -> float | None:
    """Return the recency of a passage that has a time of its own; None where it has none."""
    moment = passage.timestamp
    return _fresh(_aware(moment), now, half_life_days) if moment else None


def _fresh(moment: datetime | None, now: datetime, half_life_days: float) -> float:
    if moment is None:
        return UNDATED
    days = (_aware(now) - moment).total_seconds() / _DAY
    return round(math.exp2(-max(0.0, days) / max(half_life_days, 1e-6)), 6)


def changed(document: Document) -> datetime | None:
    """Return when a document changed last, as far as it says so."""
    moment = document.modified or document.created
    return moment and _aware(moment)


def _aware(moment: datetime) -> datetime:
    return moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
