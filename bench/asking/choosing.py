"""Fitting a choice: which of several is the right one, by weights of what is measured of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.asking.joints import Joinable

Array = NDArray[np.float64]
_RIDGE, _STEPS, _RATE = 0.01, 300, 0.5


def fitted(asked: Sequence[Joinable]) -> tuple[float, Array]:
    """Return a bias and the weights by which the right one stands highest; 0 is the usual one."""
    useful = [one for one in asked if any(one.right)]
    every = np.concatenate([np.asarray(one.signs) for one in asked if one.signs])
    middle, spread = every.mean(0), every.std(0) + 1e-9
    cases = [((np.asarray(one.signs) - middle) / spread, np.asarray(one.right)) for one in useful]
    weights = np.zeros(every.shape[1])
    for _ in range(_STEPS):
        slope = _RIDGE * weights
        for measured, right in cases:
            share = _shares(measured @ weights)
            wanted = share * right
            slope = slope + measured.T @ (share - wanted / wanted.sum()) / len(cases)
        weights = weights - _RATE * slope
    weights = weights / spread
    return float(-weights @ middle), weights


def _shares(scores: Array) -> Array:
    raised = np.exp(scores - scores.max())
    shares: Array = raised / raised.sum()
    return shares
