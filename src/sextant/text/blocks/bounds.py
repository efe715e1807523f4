"""Where a run begins and ends that stands by itself around a place in a passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.text.blocks.elements import Element, Sort, elements_of
from sextant.text.blocks.rendering import DATA

LONGEST = 1_600
"""A run grows up to so many characters unless there is less room: twice the usual size of a
passage, so that one which has long code or steps is told whole."""

_LED = frozenset({Sort.LIST, Sort.TABLE, Sort.CODE})
"""What a paragraph that ends with a colon leads into."""

Span = tuple[int, int]


def run_around(
    text: str, kind: str, place: Span, barred: Sequence[Span] = (), room: int = LONGEST
) -> Span:
    """Return the run around a place: all of the passage if it may be told and there is room.

    Where it is not all, it begins and ends with a paragraph, a list, a table or code; the words
    that lead into a list, a table or code stay with it.
    """
    if not barred and len(text) <= room:
        return 0, len(text)
    elements = [] if kind in DATA else elements_of(text, kind)
    touched = [at for at, one in enumerate(elements) if one.start < place[1] and place[0] < one.end]
    most = max(room, LONGEST)
    if not touched or _reach(elements, touched[0], touched[-1]) > most:
        return place
    page = _Page(text, elements, barred)
    low, high = page.with_leads(touched[0], touched[-1], most)
    low, high = page.grown(low, high, room)
    run = elements[low].start, elements[high].end
    return place if _is_barred(run, barred) else run


@dataclass(frozen=True, slots=True)
class _Page:
    """A passage in its elements, and what must not be in a run."""

    text: str
    elements: Sequence[Element]
    barred: Sequence[Span]

    def with_leads(self, low: int, high: int, most: int) -> tuple[int, int]:
        """Return elements with what leads into the first, and what the last leads into."""
        first, last = self._start(low), self._end(high)
        for run in ((first, last), (first, high), (low, last)):
            if self._allows(*run, most):
                return run
        return low, high

    def grown(self, low: int, high: int, room: int) -> tuple[int, int]:
        """Return the first and the last element of the run, which grows downwards first."""
        for _ in self.elements:
            below, above = self._end(high + 1), self._start(low - 1)
            if below < len(self.elements) and self._allows(low, below, room):
                high = below
            elif above >= 0 and self._allows(above, high, room):
                low = above
        return low, high

    def _end(self, at: int) -> int:
        """Return the last element that one leads to."""
        while at + 1 < len(self.elements) and (
            self.elements[at].sort is Sort.HEADING or self._leads(at)
        ):
            at += 1
        return at

    def _start(self, at: int) -> int:
        """Return the first element that leads to one."""
        return at - 1 if at > 0 and self._leads(at - 1) else at

    def _leads(self, at: int) -> bool:
        """Whether a paragraph leads into what is below it."""
        own, below = self.elements[at], self.elements[at + 1]
        is_lead = own.sort is Sort.PROSE and below.sort in _LED
        return is_lead and self.text[own.start : own.end].rstrip("*_ ").endswith(":")

    def _allows(self, low: int, high: int, most: int) -> bool:
        """Whether a run may go from one element to another."""
        run = self.elements[low].start, self.elements[high].end
        return _reach(self.elements, low, high) <= most and not _is_barred(run, self.barred)


def _reach(elements: Sequence[Element], low: int, high: int) -> int:
    return elements[high].end - elements[low].start


def _is_barred(run: Span, barred: Sequence[Span]) -> bool:
    return any(start < run[1] and run[0] < end for start, end in barred)
