"""What a reader sees: segments, which documents in them are alive, and which are visible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sextant.stores.arrays.lists import Array, Ints, Mask, places_of
from sextant.stores.arrays.segment import Segment

EVERYTHING = object()
Persona = str | None | object
"""A persona's name, None for nobody in particular, or EVERYTHING for who runs the store."""


@dataclass(slots=True)
class Sight:
    """One view through a persona's eyes; ``whole`` means that nothing in it is hidden."""

    segment: Segment
    base: int
    documents: Mask
    chunks: Mask
    whole: bool
    count: int
    length: int
    _frequencies: dict[int, int] = field(default_factory=dict)

    def frequency(self, term: int) -> int:
        """Return how many visible chunks hold the term at this position of the vocabulary."""
        known = self._frequencies.get(term)
        if known is None:
            items = self.segment.terms.lists[term]
            known = len(items) if self.whole else int(np.count_nonzero(self.chunks[items]))
            self._frequencies[term] = known
        return known

    def norms(self, flat: float, slope: float) -> Array:
        """Return flat + slope · length of every chunk; endless for those that are hidden."""
        norms: Array = flat + slope * self.segment.chunk_length
        if not self.whole:
            norms[~self.chunks] = np.inf
        return norms


class View:
    """A segment and its living documents, for a span of document rows; filed once written.

    Remembers what each persona sees of it.
    """

    def __init__(
        self, segment: Segment, span: tuple[int, int], file: str = "", living: Mask | None = None
    ) -> None:
        self.segment, self.span, self.file = segment, span, file
        self.living = np.ones(segment.documents, bool) if living is None else living
        self._seen: dict[Persona, Sight] = {}

    def without(self, rows: Ints) -> View:
        """Return the view after these document rows died; itself if it holds none of them."""
        places, found = places_of(self.segment.document_row, rows)
        hit = places[found]
        hit = hit[self.living[hit]]
        if not len(hit):
            return self
        living = self.living.copy()
        living[hit] = False
        return View(self.segment, self.span, self.file, living)

    @property
    def dead_share(self) -> float:
        """How much of the segment is dead."""
        return 1.0 - float(self.living.mean()) if len(self.living) else 0.0

    def sight(self, persona: Persona, base: int) -> Sight:
        """Look through a persona's eyes; base is where the chunks start in the snapshot."""
        seen = self._seen.get(persona)
        if seen is None or seen.base != base:
            if len(self._seen) >= _MOST_PERSONAS:
                self._seen.clear()
            seen = self._seen[persona] = self._look(persona, base)
        return seen

    def _look(self, persona: Persona, base: int) -> Sight:
        segment, documents = self.segment, self.living
        if persona is not EVERYTHING:
            allowed = segment.document_open.copy()
            granted = segment.personas.find(persona.encode()) if isinstance(persona, str) else None
            if granted is not None:
                allowed[granted] = True
            documents = documents & allowed
        whole = bool(documents.all())
        chunks = np.ones(len(segment), bool) if whole else documents[segment.chunk_document]
        lengths = segment.chunk_length if whole else segment.chunk_length[chunks]
        return Sight(
            segment,
            base,
            documents,
            chunks,
            whole,
            int(np.count_nonzero(chunks)),
            int(lengths.sum(dtype=np.int64)),
        )


_MOST_PERSONAS = 32


class Sights(tuple[Sight, ...]):
    """Everything in a snapshot through one persona's eyes, segment after segment."""

    _norms: tuple[float, float, Array] | None = None

    def norms(self, flat: float, slope: float) -> Array:
        """Return flat + slope · length of the chunk at every place; endless for hidden ones."""
        known = self._norms
        if known is None or known[:2] != (flat, slope):
            whole = np.concatenate([sight.norms(flat, slope) for sight in self])
            self._norms = known = (flat, slope, whole)
        return known[2]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A commit and the views that hold exactly what was true then, in the order of their rows."""

    commit: int = -1
    generation: int = -1
    views: tuple[View, ...] = ()
    high: int = 0
    _sights: dict[Persona, Sights] = field(default_factory=dict)

    def sights(self, persona: Persona) -> Sights:
        """Look at every view through a persona's eyes."""
        known = self._sights.get(persona)
        if known is None:
            bases = np.cumsum([0, *(len(view.segment) for view in self.views)])
            known = Sights(
                view.sight(persona, int(base))
                for view, base in zip(self.views, bases, strict=False)
            )
            if len(self._sights) < _MOST_PERSONAS:
                self._sights[persona] = known
        return known


def split(sights: Sequence[Sight], places: Ints) -> Iterable[tuple[int, slice, Array]]:
    """Cut ordered places of the snapshot into each sight's own positions; sights by number."""
    if not len(places):
        return
    cuts = np.searchsorted(places, [sight.base for sight in sights[1:]])
    ends = [*cuts.tolist(), len(places)]
    start = 0
    for number, end in enumerate(ends):
        if end > start:
            yield number, slice(start, end), places[start:end] - sights[number].base
        start = end


def chunk_rows(sights: Sequence[Sight], places: Ints) -> Ints:
    """Return the truth's row of the chunk at each place, in any order of places."""
    rows = np.empty(len(places), np.int64)
    order = np.argsort(places, kind="stable")
    for number, part, own in split(sights, places[order]):
        rows[order[part]] = sights[number].segment.chunk_row[own]
    return rows
