"""The words of a source that an answer rests on. Knows no question and no answer."""

from __future__ import annotations

from dataclasses import dataclass

from sextant.types import Passage


@dataclass(frozen=True, slots=True)
class Quote:
    """A span of a passage: ``chunk.text[start:end]``."""

    passage: Passage
    start: int
    end: int

    @property
    def key(self) -> tuple[str, int, int]:
        """What tells one quote from another."""
        return self.passage.chunk.id, self.start, self.end

    @property
    def text(self) -> str:
        """The words as they stand in the document."""
        return self.passage.chunk.text[self.start : self.end]
