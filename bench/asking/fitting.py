"""Fitting the judge to what it saw, and scoring a set with a fit to the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.asking.bent import Fit, fit
from bench.asking.few import whole
from bench.asking.rows import Row
from sextant.ask.judging.signs import NAMES

_COUNTS = {"organisations": 20.0, "organisations, few": 5.0, "sample": 3.0}
"""Pages and questions as a team has them count for more than a set of encyclopaedia pages."""


def signs(rows: Sequence[Row]) -> list[list[float]]:
    """Return what the judge measured of each row, in the order of its signs."""
    return [[row.signs[name] for name in NAMES] for row in rows]


def fitted(rows: Sequence[Row]) -> Fit:
    """Fit to all rows; every public set counts the same, in small too."""
    sizes = Counter(row.set for row in rows)
    counts = [_COUNTS.get(row.set, 1.0) / sizes[row.set] for row in rows]
    return fit(signs(rows), [row.held for row in rows], counts)


def left_out(rows: Sequence[Row], name: str) -> list[float]:
    """Return the confidence in a set's rows by a fit to the other sets alone."""
    others = [row for row in rows if whole(row.set) != whole(name)]
    own = [row for row in rows if row.set == name]
    confidence: list[float] = fitted(others).confidence(signs(own)).tolist()
    return confidence
