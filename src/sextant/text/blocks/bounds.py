"""Where a run begins and ends that stands by itself around a place in a passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.text.blocks.elements import Element, elements_of
from sextant.text.blocks.rendering import DATA

LONGEST = 1_600
"""A run grows up to so many characters unless there is less room: twice the usual size of a
passage, so that one which has long code or steps is told whole."""

Span = tuple[int, int]


def run_around(
    text: str, kind: str, place: Span, barred: Sequence[Span] = (), room: int = LONGEST
) -> Span:
    """Return the run around a place: all of the passage if it may be told and there is room.

    Where it is not all, it begins and ends with a paragraph, a list, a table or code.
    """
    if not barred and len(text) <= room:
        return 0, len(text)
    elements = [] if kind in DATA else elements_of(text, kind)
    touched = [at for at, one in enumerate(elements) if one.start < place[1] and place[0] < one.end]
    if not touched or _reach(elements, touched[0], touched[-1]) > max(room, LONGEST):
        return place
    low, high = _grown(elements, touched[0], touched[-1], _Limits(room, barred))
    run = elements[low].start, elements[high].end
    return place if _is_barred(run, barred) else run


@dataclass(frozen=True, slots=True)
class _Limits:
    """How long a run may be, and what must not be in it."""

    room: int
    barred: Sequence[Span]

    def allow(self, elements: Sequence[Element], low: int, high: int) -> bool:
        """Whether a run may go from one element to another."""
        run = elements[low].start, elements[high].end
        return _reach(elements, low, high) <= self.room and not _is_barred(run, self.barred)


def _grown(elements: Sequence[Element], low: int, high: int, limits: _Limits) -> tuple[int, int]:
    """Return the first and the last element of the run, which grows downwards first."""
    for _ in elements:
        if high + 1 < len(elements) and limits.allow(elements, low, high + 1):
            high += 1
        elif low and limits.allow(elements, low - 1, high):
            low -= 1
    return low, high


def _reach(elements: Sequence[Element], low: int, high: int) -> int:
    return elements[high].end - elements[low].start


def _is_barred(run: Span, barred: Sequence[Span]) -> bool:
    return any(start < run[1] and run[0] < end for start, end in barred)
