"""Fitting a confidence: a sum of weighed measures that may bend, by gradient descent.

A bend is a tanh of such a sum. Words in common speak for an answer where nothing else is known,
and say little where pages are all about the same matter: no straight sum serves both. Knows no
question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sextant.ask.judge import Bend

Array = NDArray[np.float64]
_BENDS, _RIDGE = 4, 0.01
_STEPS, _RATE, _SEED = 1_500, 0.02, 1
_DECAY, _SLOW_DECAY, _TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True, slots=True)
class Fit:
    """A bias, a weight for each measure, and bends, in the measures' own units."""

    bias: float
    weights: tuple[float, ...]
    bends: tuple[Bend, ...]

    def confidence(self, rows: Sequence[Sequence[float]]) -> Array:
        """Return the confidence of each row."""
        x = np.asarray(rows, float)
        sums = x @ np.asarray(self.weights) + self.bias
        for one in self.bends:
            sums = sums + one.height * np.tanh(x @ np.asarray(one.weights) + one.bias)
        return _sigmoid(sums)


@dataclass(slots=True)
class _Net:
    """The weights while they are learnt, for measures in their usual spread."""

    inner: Array
    inner_bias: Array
    heights: Array
    straight: Array
    bias: Array

    def parts(self) -> list[Array]:
        return [self.inner, self.inner_bias, self.heights, self.straight, self.bias]

    def slopes(self, x: Array, y: Array, shares: Array) -> list[Array]:
        bent = np.tanh(x @ self.inner + self.inner_bias)
        off = shares * (_sigmoid(bent @ self.heights + x @ self.straight + self.bias[0]) - y)
        back = np.outer(off, self.heights) * (1 - bent**2)
        return [
            x.T @ back + _RIDGE * self.inner,
            back.sum(0),
            bent.T @ off + _RIDGE * self.heights,
            x.T @ off + _RIDGE * self.straight,
            off.sum(keepdims=True),
        ]


def fit(rows: Sequence[Sequence[float]], labels: Sequence[bool], counts: Sequence[float]) -> Fit:
    """Fit to labelled rows, each of which counts for so much."""
    x, y, n = np.asarray(rows, float), np.asarray(labels, float), np.asarray(counts, float)
    middle, spread = x.mean(0), x.std(0)
    spread[spread == 0] = 1.0
    net = _learnt((x - middle) / spread, y, n / n.sum())
    straight, inner = net.straight / spread, net.inner.T / spread
    return Fit(
        float(net.bias[0] - straight @ middle),
        tuple(straight.tolist()),
        tuple(
            Bend(float(own_bias - own @ middle), tuple(own.tolist()), float(height))
            for own, own_bias, height in zip(inner, net.inner_bias, net.heights, strict=True)
        ),
    )


def _learnt(x: Array, y: Array, shares: Array) -> _Net:
    """Learn by Adam, with all rows in each step."""
    chance, size = np.random.default_rng(_SEED), x.shape[1]
    net = _Net(
        chance.normal(0, 1 / np.sqrt(size), (size, _BENDS)),
        np.zeros(_BENDS),
        chance.normal(0, 0.01, _BENDS),
        np.zeros(size),
        np.zeros(1),
    )
    means = [np.zeros_like(one) for one in net.parts()]
    squares = [np.zeros_like(one) for one in net.parts()]
    for step in range(1, _STEPS + 1):
        slopes = net.slopes(x, y, shares)
        for part, slope, mean, square in zip(net.parts(), slopes, means, squares, strict=True):
            mean += (1 - _DECAY) * (slope - mean)
            square += (1 - _SLOW_DECAY) * (slope**2 - square)
            root = np.sqrt(square / (1 - _SLOW_DECAY**step)) + _TINY
            part -= _RATE * mean / (1 - _DECAY**step) / root
    return net


def _sigmoid(sums: Array) -> Array:
    confidence: Array = 1.0 / (1.0 + np.exp(-np.clip(sums, -30, 30)))
    return confidence
