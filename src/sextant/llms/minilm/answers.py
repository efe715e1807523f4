"""Whether a piece of text is what a question asks for, from what MiniLM says of both.

Fitted together with the model's own change (bench/teach.py): that two texts are about the same is
not enough, since a question that nothing answers is about the same as much that does not answer it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from sextant.llms.local_nets.derived_model import kept_or_derived
from sextant.llms.local_nets.onnx_running import started, typed_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

    Floats = NDArray[np.float32]

_FOLDER = files(__package__)
FILE = _FOLDER / "answers.npz"
_RECIPE = "answers_graph.py"
"""The file by which what was fitted becomes a graph."""

UNKNOWN = -12.0
"""What a piece gets of which nothing is known: as little as any."""


def log_odds(question: Floats, codes: NDArray[np.int8]) -> Floats:
    """Return for each piece how likely it is what a question with this vector asks for."""
    if not len(codes):
        return np.empty(0, np.float32)
    with typed_errors():
        (odds,) = _session().run(None, {"question": question[None], "codes": codes})
    least = np.float32(UNKNOWN)
    return np.where(codes.any(axis=1), np.maximum(odds[:, 0], least), least)


@cache
def _session() -> InferenceSession:
    recipe = (FILE, _FOLDER / _RECIPE)
    return started(kept_or_derived("minilm-answers", [one.read_bytes() for one in recipe], _graph))


def _graph() -> bytes:
    from sextant.llms.minilm.answers_graph import written

    stored = np.load(BytesIO(FILE.read_bytes()))
    return written({name: stored[name].astype(np.float32) for name in stored.files})
