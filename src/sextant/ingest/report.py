"""What a run of ingest did, and what it tells while it works."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from sextant.ingest.values import Refusal


@dataclass(slots=True)
class Report:
    """What came in, what did not and why. Refusals beyond a number are counted, not kept."""

    found: int = 0
    done: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    entities: int = 0
    relations: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    failed: list[Refusal] = field(default_factory=list)
    skipped: list[Refusal] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def written(self) -> int:
        """How many documents were written."""
        return self.added + self.updated

    def refuse(self, refusal: Refusal) -> None:
        """Note what was not taken in."""
        kept = self.skipped if refusal.skipped else self.failed
        self.refused["skipped" if refusal.skipped else "failed"] += 1
        if len(kept) < _MOST_KEPT:
            kept.append(refusal)


_MOST_KEPT = 1_000
Emit = Callable[[Report], None]
"""Called from time to time with the report as it grows."""


def ignore(_: Report) -> None:
    """Listen to nothing."""
