"""What a question asks for, as bge-small says it. Knows its instruction, no threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sextant.llms.bge_small import nets
from sextant.llms.bge_small.unit import unit
from sextant.llms.bge_small.weights import load_turns
from sextant.llms.local_nets import wordpiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_INSTRUCTION = "Represent this sentence for searching relevant passages: "
"""What the model was taught to read before a question."""

_TOKENS = 512


class Questions:
    """The net that reads questions, open."""

    def __init__(self) -> None:
        self._net, self._middle = nets.open_asker(), load_turns().questions
        self._tokenizer = wordpiece.load()

    def vector(self, text: str) -> NDArray[np.float32]:
        """Return what is asked for, turned to the middle of all questions."""
        (row,) = self._net.rows(self._tokenizer.ids(_INSTRUCTION + text, _TOKENS))
        return unit(unit(row) - self._middle)
