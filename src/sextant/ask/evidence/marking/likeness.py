"""How alike a question and pieces of text are in meaning, word by word. Knows English stems.

Every stem has a small vector, fitted so that their sum points where the sentence encoder puts a
sentence with these words (bench/fit_likeness.py). A stem without one says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_DIGITS = 6
"""Processors differ in the last digits of a sum, which must not decide between two pieces."""


def likeness(asked: Sequence[str], pieces: Sequence[Sequence[str]]) -> list[float]:
    """Return in -1 to 1 how alike each piece is to what is asked, all of them as stems."""
    vectors = _vectors([asked, *pieces])
    found: list[float] = (vectors[1:] @ vectors[0]).astype(float).round(_DIGITS).tolist()
    return found


def _vectors(texts: Sequence[Sequence[str]]) -> Vectors:
    """Return a vector of length 1 for each text; one of which nothing is known is nowhere."""
    known, rows = _table()
    nowhere = len(rows) - 1
    places = [[known[stem] for stem in own if stem in known] or [nowhere] for own in texts]
    starts = np.cumsum([0, *map(len, places[:-1])])
    gathered = rows[np.concatenate(places)].astype(np.float32)
    sums: Vectors = np.add.reduceat(gathered, starts, axis=0)
    lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
    units: Vectors = sums / np.maximum(lengths, np.float32(1))
    return units


@cache
def _table() -> tuple[dict[str, int], NDArray[np.int8]]:
    """Return where each stem's row is, and the rows; the last one is of no stem."""
    stored = np.load(BytesIO(files(__package__).joinpath("likeness.npz").read_bytes()))
    stems = stored["stems"].tobytes().decode().split("\n")
    rows = stored["rows"]  # read and unpacked at every look
    nowhere = np.zeros((1, rows.shape[1]), np.int8)
    return {stem: row for row, stem in enumerate(stems)}, np.vstack([rows, nowhere])
