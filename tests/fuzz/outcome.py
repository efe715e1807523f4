"""What came of many requests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Outcome:
    """How many requests were answered, how, and what was wrong with the answers."""

    cases: int = 0
    statuses: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def note(self, label: str, status: object) -> None:
        """Count an answer."""
        self.cases += 1
        self.statuses.setdefault(label, Counter())[str(status)] += 1

    def never(self, *statuses: str) -> list[str]:
        """Return what was never answered in one of these ways."""
        return [label for label, seen in self.statuses.items() if not set(statuses) & set(seen)]
