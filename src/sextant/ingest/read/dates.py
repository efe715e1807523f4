"""Moments as documents write them. Nonsense is no moment; without a zone it is UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_OLDEST = 1970
_YEARS_AHEAD = 10
_DAY_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})$")
_PDF = re.compile(
    r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-]\d\d)'?(\d\d)?'?)?", re.ASCII
)
_LONGEST = 60
_WRITTEN = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y-%m-%d %H:%M:%S %z", "%Y-%m")


def moment(value: object) -> datetime | None:
    """Return the moment that a value states, or None."""
    if isinstance(value, datetime):
        return sensible(value)
    if not isinstance(value, str) or not 4 < len(value.strip()) <= _LONGEST:
        return None
    text = value.strip()
    for parse in (datetime.fromisoformat, _slashed, _pdf, _written, parsedate_to_datetime):
        try:
            return sensible(parse(text))
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def sensible(value: datetime) -> datetime | None:
    """Return the moment in UTC unless its year cannot be meant."""
    try:
        utc = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (OverflowError, ValueError):
        return None
    return utc if _OLDEST <= utc.year <= datetime.now(UTC).year + _YEARS_AHEAD else None


def _slashed(text: str) -> datetime:
    found = _DAY_FIRST.match(text)
    if not found:
        raise ValueError
    year, month, day = map(int, found.groups())
    return datetime(year, month, day, tzinfo=UTC)


def _pdf(text: str) -> datetime:
    found = _PDF.match(text)
    if not found:
        raise ValueError
    year, month, day, hour, minute, second, zone, zone_minutes = found.groups()
    return datetime.fromisoformat(
        f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:{second or '00'}"
        f"{zone or '+00'}:{zone_minutes or '00'}"
    )


def _written(text: str) -> datetime:
    for form in _WRITTEN:
        try:
            found = datetime.strptime(text, form)
        except ValueError:
            continue
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    raise ValueError
