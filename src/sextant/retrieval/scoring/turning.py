"""What would have changed a hit's rank, in words. Knows the hits and their ledgers alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sextant.types import Hit, Ledger

_STEP = 1_000
_TITLE = 60


def with_turning(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return ranked hits with what would move each: past the one above, the first one down."""
    if len(hits) < 2:
        return tuple(hits)
    told = [_with(hits[0], _falling(hits[0], hits[1]))]
    told += [_with(hit, _passing(hit, hits[at], at + 1)) for at, hit in enumerate(hits[1:])]
    return tuple(told)


def _passing(hit: Hit, above: Hit, place: int) -> str:
    """Say how much more of which R would lift a hit past the one above it."""
    ways = _ways(hit, above.scores.total - hit.scores.total, "more")
    whom = f"#{place} ({_name(above)})"
    return f"{_either(ways)} would pass {whom}" if ways else f"no single score would pass {whom}"


def _falling(hit: Hit, below: Hit) -> str:
    """Say how much less of which R would let the first hit fall behind the second."""
    ways = _ways(hit, hit.scores.total - below.scores.total, "less")
    whom = f"#2 ({_name(below)})"
    return (
        f"{_either(ways)} would put {whom} first"
        if ways
        else f"no single score would put {whom} first"
    )


def _ways(hit: Hit, gap: float, change: str) -> list[str]:
    """Return the changes of one score, in thousandths, each of which alone closes a gap."""
    shares = hit.ledger.shares
    points = sum(share.points for share in shares)
    factor = hit.scores.total / points if points else 1.0
    ways = []
    for share in shares:
        room = 1.0 - share.score if change == "more" else share.score
        worth = share.weight * factor
        if worth * room > gap:
            steps = math.floor(gap / worth * _STEP) + 1
            if steps <= room * _STEP:
                ways.append(f"{steps / _STEP:g} {change} {share.name}")
    return ways


def _with(hit: Hit, turning: str) -> Hit:
    ledger = Ledger(hit.ledger.shares, hit.ledger.notes, turning)
    return Hit(hit.passage, hit.scores, hit.legs, ledger, hit.why)


def _name(hit: Hit) -> str:
    document = hit.passage.document
    name = " ".join((document.title or document.id).split())
    return name if len(name) <= _TITLE else f"{name[: _TITLE - 1]}…"


def _either(ways: Sequence[str]) -> str:
    *rest, last = ways
    return f"{', '.join(rest)} or {last}" if rest else last
