"""Least squares with a ridge over bags of numbers, by conjugate gradients. Knows no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
_RIDGE = 1.0
_ROUNDS = 25
_BATCH = 4_000


@dataclass(frozen=True, slots=True)
class _Sparse:
    """A matrix by its rows: where each begins, and the columns and values that it has."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Array

    def times(self, other: Array) -> Array:
        """Return the product with a matrix that is not sparse; no row here is empty."""
        found = np.empty((len(self.starts) - 1, other.shape[1]), np.float32)
        for at in range(0, len(found), _BATCH):
            starts = self.starts[at : at + _BATCH + 1]
            own = slice(starts[0], starts[-1])
            terms = other[self.columns[own]] * self.values[own, None]
            found[at : at + _BATCH] = np.add.reduceat(terms, starts[:-1] - starts[0], axis=0)
        return found


@dataclass(frozen=True, slots=True)
class Bags:
    """Bags of numbers as rows that count for so much, by row and by column."""

    by_row: _Sparse
    by_column: _Sparse
    used: NDArray[np.int64]
    counts: Array
    width: int

    @classmethod
    def of(cls, bags: Sequence[Sequence[int]], counts: NDArray[Any], width: int) -> Self:
        """Return bags, in each of which the larger it is the less each number counts."""
        sizes = np.array([len(own) for own in bags])
        columns = np.concatenate([np.asarray(own) for own in bags])
        root = np.sqrt(counts).astype(np.float32)
        values = np.repeat(root * sizes.astype(np.float32) ** -0.5, sizes)
        rows = np.repeat(np.arange(len(bags)), sizes)
        order = np.argsort(columns, kind="stable")
        used, starts = np.unique(columns[order], return_index=True)
        ends = np.append(starts, len(columns))
        by_row = _Sparse(np.concatenate([[0], np.cumsum(sizes)]), columns, values)
        return cls(by_row, _Sparse(ends, rows[order], values[order]), used, root, width)

    def back(self, other: Array) -> Array:
        """Return the product of this, turned over, with a matrix."""
        found = np.zeros((self.width, other.shape[1]), np.float32)
        found[self.used] = self.by_column.times(other)
        return found


def least_squares(bags: Bags, targets: Array) -> Array:
    """Return a vector for each number, so that those of a bag add up to its target."""
    found = np.zeros((bags.width, targets.shape[1]), np.float32)
    left = bags.back(targets * bags.counts[:, None])
    way, size = left.copy(), (left * left).sum(0)
    for _ in range(_ROUNDS):
        image = bags.back(bags.by_row.times(way)) + _RIDGE * way
        step = size / np.maximum((way * image).sum(0), 1e-12)
        found += step * way
        left -= step * image
        before, size = size, (left * left).sum(0)
        way = left + size / np.maximum(before, 1e-12) * way
    return found
