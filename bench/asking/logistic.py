"""Fitting a confidence: logistic regression with a ridge, by Newton's method. Knows no question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """A bias and a weight for each measure, in the measures' own units."""

    bias: float
    weights: tuple[float, ...]

    def confidence(self, rows: Sequence[Sequence[float]]) -> Array:
        """Return the confidence of each row."""
        sums = np.asarray(rows, float) @ np.asarray(self.weights) + self.bias
        confidence: Array = 1.0 / (1.0 + np.exp(-np.clip(sums, -30, 30)))
        return confidence


def fit(
    rows: Sequence[Sequence[float]],
    labels: Sequence[bool],
    counts: Sequence[float],
    ridge: float = 1.0,
) -> Fit:
    """Fit to labelled rows, each of which counts for so much."""
    x, y, n = np.asarray(rows, float), np.asarray(labels, float), np.asarray(counts, float)
    middle, spread = x.mean(0), x.std(0)
    spread[spread == 0] = 1.0
    ones = np.column_stack([np.ones(len(x)), (x - middle) / spread])
    penalty = ridge * np.diag([0.0, *([1.0] * x.shape[1])])
    found: Any = np.zeros(ones.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-ones @ found))
        gradient = ones.T @ (n * (p - y)) + penalty @ found
        curve = (ones * (n * p * (1 - p))[:, None]).T @ ones + penalty
        step = np.linalg.solve(curve, gradient)
        found = found - step
        if np.abs(step).max() < 1e-9:
            break
    weights = found[1:] / spread
    return Fit(float(found[0] - weights @ middle), tuple(float(one) for one in weights))
