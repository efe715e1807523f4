"""A text as ids for one pass or several, and where its pieces stand among them. Knows no model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sextant.llms.local_nets.windows import Window, windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sextant.llms.local_nets.wordpiece import WordPiece

    Floats = NDArray[np.float32]

_PASSES = 4
"""So many times what fits into a pass is read of a text; its vector is of the first one alone."""


@dataclass(frozen=True, slots=True)
class PiecedText:
    """The windows to read, of which the first begins the text, and the place of each piece."""

    windows: Sequence[Window]
    places: Sequence[tuple[int, int]]

    def sums(self, rows: Iterable[Floats], width: int) -> Floats:
        """Add up the rows of each piece, given those of each window; that of no rows is zeros."""
        sums = np.zeros((len(self.places), width), np.float32)
        for window, own in zip(self.windows, rows, strict=True):
            window.add_up(own, self.places, sums)
        return sums


def pieced(
    tokenizer: WordPiece, text: str, spans: Sequence[tuple[int, int]], size: int
) -> PiecedText:
    """Cut a text for passes over so many ids."""
    ids, places = tokenizer.ids_and_places(text, spans, _PASSES * size)
    return PiecedText(windows(ids, places, size), places)
