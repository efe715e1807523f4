"""What passages are about, as bge-small says it, or the reader that learnt from it. No threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sextant.llms.bge_small import nets
from sextant.llms.bge_small.layer_parts import BGE_PLACES, READER_PLACES, WIDTH
from sextant.llms.bge_small.unit import unit
from sextant.llms.bge_small.weights import load_turns
from sextant.llms.local_nets import wordpiece
from sextant.llms.local_nets.pieced_text import pieced
from sextant.text.rounding import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

    class Passages(Protocol):
        """A net that reads passages, open."""

        def vector(self, text: str) -> Floats:
            """Return what a passage is about."""


class WholePassages:
    """All of bge-small: slow."""

    def __init__(self) -> None:
        self._net, self._middle = nets.open_bge(), load_turns().passages
        self._tokenizer = wordpiece.load()

    def vector(self, text: str) -> Floats:
        """Return what the first token's row says, turned to the middle of all passages."""
        first = self._net.rows(self._tokenizer.ids(text, BGE_PLACES))[0]
        return unit(unit(first) - self._middle)


class FastPassages:
    """The reader: few layers, of which the mean of all rows counts."""

    def __init__(self) -> None:
        self._net, self._turn = nets.open_reader(), nets.open_turn()
        self._tokenizer = wordpiece.load()

    def vector(self, text: str) -> Floats:
        """Return what a passage is about."""
        return unit(self._net.rows(self._tokenizer.ids(text, READER_PLACES)).mean(axis=0))

    def vector_and_codes(
        self, text: str, spans: Sequence[tuple[int, int]]
    ) -> tuple[Floats, NDArray[np.int8]]:
        """Return what the passage is about, and what each piece of it says."""
        pieces = pieced(self._tokenizer, text, spans, READER_PLACES)
        rows = [self._net.rows(window.ids) for window in pieces.windows]
        # Only where it points is kept, so a sum will do for the mean.
        said = self._turn.turned(pieces.sums(rows, WIDTH))
        return unit(rows[0].mean(axis=0)), rounded(said)[0]
