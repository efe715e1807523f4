"""The nets, ready to run: one reads passages, one reads questions, and one is all of bge-small.

Knows no text and no vector: ids go in, and rows come out.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from sextant.llms.bge_small import weights
from sextant.llms.local_nets.derived_model import kept_or_derived
from sextant.llms.local_nets.onnx_running import started, typed_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

_FOLDER = files(__package__)
_SHARED = "layer_parts.py"


class Net:
    """A graph that runs, in the thread that asks."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session

    def rows(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return a row for each id, or that of the first alone, as the net is."""
        with typed_errors():
            rows: NDArray[np.float32]
            (rows,) = self._session.run(None, {"ids": np.array(ids, np.int64)})
        return rows


class Turn:
    """What turns sums of the reader's rows, in the thread that asks."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session

    def turned(self, sums: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what is said of pieces, given the sums of their rows."""
        with typed_errors():
            said: NDArray[np.float32]
            (said,) = self._session.run(None, {"sums": sums})
        return said


def open_reader() -> Net:
    """Open what reads passages: a row for each of at most 256 ids."""
    return _opened("bge-reader", "reader_graph.py", _reader, weights.BGE, weights.READER)


def open_turn() -> Turn:
    """Open what makes of sums of the reader's rows what MiniLM says of pieces."""
    return Turn(_session("bge-turn", "turn_graph.py", _turn, weights.READER))


def open_asker() -> Net:
    """Open what reads questions: the one row that says what is asked, of at most 512 ids."""
    return _opened("bge-asker", "bge_graph.py", lambda: _bge(first_only=True), weights.BGE)


def open_bge() -> Net:
    """Open all of bge-small: a row for each of at most 512 ids; a passage is about the first."""
    return _opened("bge", "bge_graph.py", lambda: _bge(first_only=False), weights.BGE)


def _opened(name: str, recipe: str, derive: Callable[[], bytes], *made_of: Traversable) -> Net:
    return Net(_session(name, recipe, derive, *made_of))


def _session(
    name: str, recipe: str, derive: Callable[[], bytes], *made_of: Traversable
) -> InferenceSession:
    sources = [(_FOLDER / one).read_bytes() for one in (recipe, _SHARED)]
    sources += [weights.checksums(one) for one in made_of]
    return started(kept_or_derived(name, sources, derive))


def _reader() -> bytes:
    from sextant.llms.bge_small.reader_graph import written

    return written(weights.load(weights.BGE), weights.load(weights.READER))


def _turn() -> bytes:
    from sextant.llms.bge_small.turn_graph import written

    return written(weights.load_turns().pieces)


def _bge(*, first_only: bool) -> bytes:
    from sextant.llms.bge_small.bge_graph import written

    return written(weights.load(weights.BGE), first_only=first_only)
