"""A text that is longer than a pass, cut into windows between its pieces. Knows no model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Places = Sequence[tuple[int, int]]

_LEAD = 32
"""So many tokens of what a text begins with, its title and headings, are read before a window."""


@dataclass(frozen=True, slots=True)
class Window:
    """Ids for one pass, which of the pieces are read in it, and how far they stand ahead there."""

    ids: Sequence[int]
    pieces: Sequence[int]
    ahead: int = 0

    def add_up(self, rows: NDArray[np.float32], places: Places, sums: NDArray[np.float32]) -> None:
        """Add up the rows of each piece that is read here, but for that of the last id."""
        for piece in self.pieces:
            start, end = (place - self.ahead for place in places[piece])
            np.add.reduce(rows[:-1][start:end], axis=0, out=sums[piece])


def windows(ids: Sequence[int], places: Places, size: int) -> list[Window]:
    """Return the first window, which is of all pieces that begin in it, and those behind it.

    The last id ends every window.
    """
    last = len(ids) - 1
    order = sorted(range(len(places)), key=lambda piece: places[piece])
    if last < size:
        return [Window(ids, order)]
    first = [piece for piece in order if places[piece][0] < size - 1]
    left = [piece for piece in order[len(first) :] if places[piece][0] < last]
    lead = ids[: min(1 + _LEAD, places[order[0]][0])] if left else ()
    found = [Window([*ids[: size - 1], ids[last]], first)]
    while left:
        begin = places[left[0]][0]
        end = min(begin + size - 1 - len(lead), last)
        own = [piece for piece in left if places[piece][1] <= end] or left[:1]
        found.append(Window([*lead, *ids[begin:end], ids[last]], own, begin - len(lead)))
        left = [piece for piece in left if piece not in own]
    return found
