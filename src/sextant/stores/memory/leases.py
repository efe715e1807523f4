"""Leases of one process: who asked for each, in the order in which they came."""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from dataclasses import dataclass

from sextant.types import Lease


@dataclass(slots=True)
class _Claim:
    token: int
    until: float


class MemoryLeases:
    """The first in line whose time is not over holds the lease; those behind it wait."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], dict[str, _Claim]] = defaultdict(dict)
        self._tokens = itertools.count(1)

    def take(self, tenant: str, name: str, holder: str, seconds: float) -> Lease | None:
        """Get in line, or stay there, and return the lease if it is the holder's turn."""
        now, line = time.monotonic(), self._lines[tenant, name]
        for other in [one for one, claim in line.items() if claim.until <= now]:
            del line[other]
        if holder not in line:
            line[holder] = _Claim(next(self._tokens), now)
        line[holder].until = now + seconds
        if next(iter(line)) != holder:
            return None
        return Lease(name, holder, line[holder].token, len(line) > 1)

    def release(self, tenant: str, name: str, holder: str) -> None:
        """Leave the line."""
        self._lines[tenant, name].pop(holder, None)
