"""Moments as stores keep them: whole microseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sextant.stores.arrays.segments.rows import NO_TIME
from sextant.stores.refusals import cursor_unknown

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(moment: datetime | None) -> int:
    """Return a moment as the arrays hold it."""
    return NO_TIME if moment is None else (moment - _EPOCH) // timedelta(microseconds=1)


def moment(microseconds: int | None) -> datetime | None:
    """Return a moment from how the truth holds it."""
    return None if microseconds is None else _EPOCH + timedelta(0, 0, microseconds)


def time_of_cursor(cursor: str) -> int:
    """Return the microseconds that a cursor stands for; none at all is after all time."""
    if not cursor:
        return 2**63 - 1
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):  # so it fits into 64 bits
        raise cursor_unknown()
    return int(cursor)
