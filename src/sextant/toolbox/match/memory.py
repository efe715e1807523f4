"""What was used for requests like this one: past requests vote for their tools by likeness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sextant.toolbox.match.score import Scores

# Fitted by cross-validation within the train split of ultratool (bench/tools.py).
_NEIGHBOURS = 40
_SHARPNESS = 20.0  # a request at cosine .9 votes with e^-2 of one that is the same
_STRANGE = 0.5  # cosine from which likeness begins; as much as one such vote says "none of them"


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """Past requests by their vectors, and the tools of each by their places in the index."""

    vectors: NDArray[np.float32]
    starts: NDArray[np.int64]
    tools: NDArray[np.int64]

    def called(self, row: int) -> list[int]:
        """Return the places of the tools that a past request was done with."""
        return [int(own) for own in self.tools[self.starts[row] : self.starts[row + 1]]]

    def recall(self, vector: NDArray[np.float32], tools: int, without: int | None = None) -> Scores:
        """Return for each tool which share of similar past requests used it, 0 to 1.

        One of them may be left out, to see what the others say of it.
        """
        share = np.zeros(tools, np.float32)
        if not len(self.vectors):
            return share
        likeness = self.vectors @ vector
        if without is not None:
            likeness[without] = -1.0
        near = _largest(likeness, _NEIGHBOURS)
        votes = np.exp(_SHARPNESS * (likeness[near] - 1.0))
        for row, vote in zip(near.tolist(), votes.tolist(), strict=True):
            share[self.called(row)] += vote
        return share / (float(votes.sum()) + float(np.exp(_SHARPNESS * (_STRANGE - 1.0))))


def no_memory(width: int) -> Memory:
    """Return the memory of nothing, for vectors of a width."""
    return Memory(np.zeros((0, width), np.float32), np.zeros(1, np.int64), np.zeros(0, np.int64))


def extend_memory(
    memory: Memory, requests: Sequence[tuple[NDArray[np.float32], Sequence[int]]], most: int
) -> Memory:
    """Return a memory with more requests, each with its vector and the places of its tools.

    When there are too many the oldest are forgotten.
    """
    if not requests:
        return memory
    own = np.array([vector for vector, _ in requests], np.float32)
    sizes = np.cumsum([len(tools) for _, tools in requests])
    flat = np.array([place for _, tools in requests for place in tools], np.int64)
    starts = np.concatenate([memory.starts, memory.starts[-1] + sizes])
    vectors, tools = np.concatenate([memory.vectors, own]), np.concatenate([memory.tools, flat])
    gone = max(0, len(vectors) - most)
    cut = starts[gone]
    return Memory(vectors[gone:], starts[gone:] - cut, tools[cut:])


def _largest(values: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    if len(values) <= count:
        return np.arange(len(values))
    return np.argpartition(values, -count)[-count:]
