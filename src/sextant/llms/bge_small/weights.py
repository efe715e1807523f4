"""The weights that the package carries: bge-small's, and those of the reader that learnt from it.

Matrices are bytes with a scale for each column. The table of words is in bge-small's file alone,
which never changes; the reader's is made anew whenever it is taught (bench/pack_reader.py).
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

    from sextant.llms.bge_small.layer_parts import Arrays

_FOLDER = files(__package__)
BGE, READER = _FOLDER / "bge.npz", _FOLDER / "reader.npz"


@dataclass(frozen=True, slots=True)
class Turns:
    """What is done with vectors: middles are taken away, and sums of rows turned for pieces."""

    pieces: NDArray[np.float32]
    passages: NDArray[np.float32]
    questions: NDArray[np.float32]


def load(file: Traversable) -> Arrays:
    """Return the arrays by name; each is unpacked when it is asked for."""
    arrays: Arrays = np.load(BytesIO(file.read_bytes()))
    return arrays


def load_turns() -> Turns:
    """Return what is done with the vectors of passages, of questions, and with rows of pieces."""
    arrays = load(READER)
    names = ("pieces", "passages", "questions")
    return Turns(*(arrays[name].astype(np.float32) for name in names))


def checksums(file: Traversable) -> bytes:
    """Return what tells these weights from any others, without a look at all of them."""
    with file.open("rb") as opened, zipfile.ZipFile(opened) as arrays:
        return repr([(one.filename, one.CRC, one.file_size) for one in arrays.infolist()]).encode()
