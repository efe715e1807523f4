"""The sources that a model may cite, each under a label of its own. Knows no prose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.cite import label_of
from sextant.types import Hit, Passage


@dataclass(frozen=True, slots=True)
class Source:
    """A chosen chunk, and what it is cited by."""

    label: str
    hit: Hit

    @property
    def passage(self) -> Passage:
        """The chunk in its document."""
        return self.hit.passage


def sources_of(hits: Sequence[Hit]) -> tuple[Source, ...]:
    """Return hits under labels that tell them apart, in the same order."""
    taken: dict[str, str] = {}
    found = []
    for hit in hits:
        label = label_of(hit.passage, taken)
        taken[label] = hit.passage.document.id
        found.append(Source(label, hit))
    return tuple(found)
