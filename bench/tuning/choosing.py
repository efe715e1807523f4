"""Choosing a setting on some questions and scoring it on others. Knows numbers only.

Every set has a table of scores, a row for each setting and a column for each question. A setting is
chosen by its mean over the sets, each counting the same; of equal ones the first is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Tables = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A set's figure with settings chosen without its questions, and which these were."""

    figure: float
    settings: tuple[int, ...]


def left_out(tables: Tables) -> dict[str, Chosen]:
    """Score each set with the setting that is best for the other sets."""
    return {name: _left_out(tables, name) for name in tables}


def _left_out(tables: Tables, name: str) -> Chosen:
    best = _best([own for other, own in tables.items() if other != name])
    return Chosen(float(tables[name][best].mean()), (best,))


def two_fold(tables: Tables) -> dict[str, Chosen]:
    """Score each half of the questions with the setting that is best for the other halves."""
    sides = (0, 1)
    best = [_best([own[:, 1 - side :: 2] for own in tables.values()]) for side in sides]
    return {
        name: Chosen(
            float(np.concatenate([own[best[side], side::2] for side in sides]).mean()), tuple(best)
        )
        for name, own in tables.items()
    }


def _best(tables: Sequence[NDArray[np.float64]]) -> int:
    means = np.mean([own.mean(axis=1) for own in tables], axis=0)
    return int(np.argmax(np.round(means, 9)))
