"""What a reader sees: segments, which documents in them are alive, and which are visible."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sextant.stores.arrays.lists import Array, Ints, Mask, places_of
from sextant.stores.arrays.segments.segment import Segment
from sextant.stores.arrays.snapshots.faded import Faded, fade
from sextant.stores.arrays.snapshots.memo import Memo


class Whole:
    """No set of personas, but who runs the store."""


EVERYTHING = Whole()
Viewer = frozenset[str] | Whole
"""The personas that look, none being nobody in particular, or EVERYTHING for who runs the store."""


@dataclass(slots=True)
class Sight:
    """One view through a viewer's eyes; ``whole`` means that nothing in it is hidden."""

    segment: Segment
    base: int
    documents: Mask
    chunks: Mask
    whole: bool
    count: int
    length: int
    _frequencies: dict[int, int] = field(default_factory=dict)
    _faded: Faded | None = None

    @property
    def faded(self) -> Faded:
        """The edges of which not every contribution is seen."""
        if self._faded is None:
            self._faded = fade(self.segment, self.documents)
        return self._faded

    def frequency(self, term: int) -> int:
        """Return how many visible chunks hold the term at this position of the vocabulary."""
        known = self._frequencies.get(term)
        if known is None:
            items = self.segment.terms.lists[term]
            known = len(items) if self.whole else int(np.count_nonzero(self.chunks.take(items)))
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

    Remembers what the last viewers saw of it.
    """

    def __init__(
        self, segment: Segment, span: tuple[int, int], file: str = "", living: Mask | None = None
    ) -> None:
        self.segment, self.span, self.file = segment, span, file
        self.living = np.ones(segment.documents, bool) if living is None else living
        self._sight_bytes = _SET_BYTES + segment.documents + len(segment)
        self._seen = _sight_memo(self._sight_bytes)

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

    def sight(self, viewer: Viewer, base: int) -> Sight:
        """Look through a viewer's eyes; base is where the chunks start in the snapshot."""
        own = known_here(viewer, [self])
        seen: Sight | None = self._seen.get(own)
        if seen is None or seen.base != base:
            seen = self._look(own, base)
            self._seen.keep(own, seen, self._sight_bytes)
        return seen

    def _look(self, viewer: Viewer, base: int) -> Sight:
        segment, documents = self.segment, self.living
        if not isinstance(viewer, Whole):
            allowed = segment.document_open.copy()
            for persona in viewer:
                granted = segment.personas.find(persona.encode())
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


FEW = 32
"""Up to so many places, going through them costs less than setting arrays up."""

_ROWS_BYTES = 16 << 20
_LEAST_MEMO_BYTES, _CHUNK_MEMO_BYTES, _MOST_MEMO_BYTES = 1 << 20, 700, 64 << 20
"""What is worked out may take so much and so much more for every chunk, but never more than this:
a process may have many tenants open, most of them small."""

_SIGHTS_BYTES, _FEWEST_SIGHTS = 32 << 20, 32
"""Sights may take so much together, and where they are large, as much as so many of them."""
_SET_BYTES = 10_000
"""What a viewer takes by itself: up to 200 personas, mostly of 36 characters each."""
_PLACE_BYTES = 9
"""What the place of a chunk takes: a byte of the mask, and its norm in eight."""


def _sight_memo(each_bytes: int) -> Memo:
    return Memo(max(_SIGHTS_BYTES, _FEWEST_SIGHTS * each_bytes))


def known_here(viewer: Viewer, views: Iterable[View]) -> Viewer:
    """Return a viewer without the personas that nothing in these views is for.

    So all who see the same share what is worked out, in however many groups each of them is.
    """
    if isinstance(viewer, Whole) or not viewer:
        return viewer
    indexes = [view.segment.personas.keys for view in views]
    names = ((persona, persona.encode()) for persona in viewer)
    return frozenset(
        persona for persona, key in names if any(index.find(key) >= 0 for index in indexes)
    )


class Sights(tuple[Sight, ...]):
    """Everything in a snapshot through one viewer's eyes, segment after segment."""

    _norms: tuple[float, float, Array] | None = None
    _viewer: Viewer = frozenset()
    _memo: Memo | None = None

    @classmethod
    def of(cls, each: Iterable[Sight], viewer: Viewer, memo: Memo) -> Sights:
        """Join what a viewer sees; what is worked out over it is kept with the snapshot's."""
        sights = cls(each)
        sights._viewer, sights._memo = viewer, memo
        return sights

    def recall(self, key: Hashable) -> Any | None:
        """Return what was worked out for this viewer under a key, if it is still known."""
        return self._memo.get((self._viewer, key)) if self._memo else None

    def keep(self, key: Hashable, value: Any, size: int) -> None:
        """Remember what was worked out, as long as the snapshot lives and there is room."""
        if self._memo:
            self._memo.keep((self._viewer, key), value, size)

    def norms(self, flat: float, slope: float) -> Array:
        """Return flat + slope · length of the chunk at every place; endless for hidden ones."""
        known = self._norms
        if known is None or known[:2] != (flat, slope):
            whole = np.concatenate([sight.norms(flat, slope) for sight in self])
            self._norms = known = (flat, slope, whole)
        return known[2]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A commit and the views that hold exactly what was true then, in the order of their rows.

    ``rows`` keeps values read from the truth by row number; these never change, so it is handed on
    from snapshot to snapshot.
    """

    commit: int = -1
    generation: int = -1
    views: tuple[View, ...] = ()
    high: int = 0
    rows: Memo = field(default_factory=lambda: Memo(_ROWS_BYTES))
    _memo: Memo = field(init=False)
    _sights: Memo = field(init=False)

    def __post_init__(self) -> None:
        chunks = sum(len(view.segment) for view in self.views)
        room = min(_MOST_MEMO_BYTES, _LEAST_MEMO_BYTES + _CHUNK_MEMO_BYTES * chunks)
        object.__setattr__(self, "_memo", Memo(room))
        object.__setattr__(self, "_sights", _sight_memo(self._sight_bytes))

    @property
    def _sight_bytes(self) -> int:
        masks = (view.segment.documents + _PLACE_BYTES * len(view.segment) for view in self.views)
        return _SET_BYTES + sum(masks)

    def sights(self, viewer: Viewer) -> Sights:
        """Look at every view through a viewer's eyes."""
        own: Viewer | None = self._memo.get(("known", viewer))
        if own is None:
            own = known_here(viewer, self.views)
            self._memo.keep(("known", viewer), own, _SET_BYTES)
        known: Sights | None = self._sights.get(own)
        if known is None:
            known = self._look(own)
            self._sights.keep(own, known, self._sight_bytes)
        return known

    def _look(self, viewer: Viewer) -> Sights:
        bases = np.cumsum([0, *(len(view.segment) for view in self.views)])
        each = (
            view.sight(viewer, int(base)) for view, base in zip(self.views, bases, strict=False)
        )
        return Sights.of(each, viewer, self._memo)


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


def locate(sights: Sequence[Sight], place: int) -> tuple[Segment, int]:
    """Return the segment that holds a place of the snapshot, and the position in it."""
    number = len(sights) - 1
    while sights[number].base > place:
        number -= 1
    return sights[number].segment, place - sights[number].base


def chunk_rows(sights: Sequence[Sight], places: Sequence[int]) -> list[int]:
    """Return the truth's row of the chunk at each place, in any order of places."""
    if len(places) <= FEW:
        found = (locate(sights, place) for place in places)
        return [segment.chunk_row.item(own) for segment, own in found]
    rows = np.empty(len(places), np.int64)
    placed = np.array(places, np.int64)
    order = np.argsort(placed, kind="stable")
    for number, part, own in split(sights, placed[order]):
        rows[order[part]] = sights[number].segment.chunk_row[own]
    listed: list[int] = rows.tolist()
    return listed
