"""What the shipped model was taught since: to put a question beside the sentence that answers it.

The matrices stay what they are, but for a change of low rank to each; bench/teach.py makes it.
"""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from sextant.text.rounding import rounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Weights = dict[str, NDArray[Any]]

FILE = files(__package__) / "tuning.npz"


def tuned(weights: Weights, matrices: Iterable[tuple[str, str]]) -> Weights:
    """Return the weights as they are after teaching; matrices pairs what each is with its name."""
    taught = _taught()
    changed = {name: array.astype(np.float32) for name, array in taught.items() if name in weights}
    for role, name in matrices:
        whole = weights[f"{name}_q"] * weights[f"{name}_scale"].reshape(-1).astype(np.float32)
        whole += _product(taught[f"{role}.down"], taught[f"{role}.up"])
        steps, changed[f"{name}_scale"] = rounded(whole.T)
        changed[f"{name}_q"] = np.ascontiguousarray(steps.T)
    return weights | changed


def _product(down: NDArray[np.float16], up: NDArray[np.float16]) -> NDArray[np.float32]:
    # Processors add in other orders: in more digits than are kept, that makes no difference.
    return (down.astype(np.float64) @ up.astype(np.float64)).astype(np.float32)


def _taught() -> Weights:
    stored = np.load(BytesIO(FILE.read_bytes()))
    return {name: stored[name] for name in stored.files}
