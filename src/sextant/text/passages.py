"""What an embedder reads of a chunk: its text under its title and headings, and its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.text.prose.units import units_of
from sextant.types import Chunk, Document, Passage, Put

_MOST = 20_000
"""More characters than any embedder reads, and fewer than any refuses."""


@dataclass(frozen=True, slots=True)
class Embeddable:
    """The text to embed of a chunk, where the chunk begins in it, and where its pieces stand.

    Spans count from the chunk's own start, and may go beyond what is embedded of a very long one.
    """

    text: str
    start: int
    spans: tuple[tuple[int, int], ...]

    @property
    def places(self) -> list[tuple[int, int]]:
        """Where in the text to embed each piece stands."""
        last = len(self.text)
        return [
            (min(self.start + start, last), min(self.start + end, last))
            for start, end in self.spans
        ]


def embedding_text(title: str, headings: Sequence[str], text: str) -> str:
    """Return the text to embed; whoever embeds a chunk again must get the same."""
    return f"{_lead(title, headings)}{text}"[:_MOST]


def embeddable(document: Document, chunk: Chunk) -> Embeddable:
    """Return what to embed of a chunk; of the document only title and metadata count."""
    units = units_of(Passage(chunk, document, ""))
    return Embeddable(
        embedding_text(document.title, chunk.headings, chunk.text),
        len(_lead(document.title, chunk.headings)),
        tuple((unit.start, unit.end) for unit in units),
    )


def embeddables(put: Put) -> list[Embeddable]:
    """Return what to embed of each chunk of a unit."""
    return [embeddable(put.document, chunk) for chunk in put.chunks]


def _lead(title: str, headings: Sequence[str]) -> str:
    lead = " > ".join(part for part in (title, *headings) if part)
    return f"{lead}\n" if lead else ""
