"""How far the memory of past requests is to be trusted: as far as it would have helped them.

Each of some past requests is matched as if it had not been seen, with the memory of all others
counting more or less. What finds most of the tools that were called is what the memory is worth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sextant.toolbox.index import ToolIndex
from sextant.toolbox.match.literals import spell_out
from sextant.toolbox.match.score import Scores, Wanted, match_tools

_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0)
"""A good match is worth about 1.2: at 2 similar requests decide, at 0.25 they are a hint."""
_FEWEST = 20
"""Requests from which this can be measured; before, similar ones count as much as a good match."""
_UNMEASURED = 0.5
_LEAST_GAIN = 0.05
"""Share of the called tools that a memory has to find beyond the match: more than by chance, where
sessions are made of tools at random."""
_SAMPLE = 100  # requests that are tried: 0.3 s at 5,000 tools


def measure_trust(index: ToolIndex, requests: Sequence[str]) -> float:
    """Return what the memory of an index is worth beside the match, given the texts it holds."""
    memory = index.memory
    if memory is None or len(requests) < _FEWEST:
        return _UNMEASURED
    found, tried = np.zeros(len(_WEIGHTS)), 0
    everything = np.ones(len(index.tools), np.bool_)
    for row in np.linspace(0, len(requests) - 1, min(_SAMPLE, len(requests))).astype(int).tolist():
        called = frozenset(memory.called(row))
        if called:
            vector = memory.vectors[row]
            wanted = Wanted(spell_out(requests[row]), (), vector[None, :])
            matched = match_tools(index.matchable, wanted, everything, index.words).scores
            recalled = memory.recall(vector, len(index.tools), without=row)
            found += [_hits(matched + own * recalled, called) for own in _WEIGHTS]
            tried += 1
    best = int(found.argmax())
    return _WEIGHTS[best] if found[best] - found[0] >= _LEAST_GAIN * tried else 0.0


def _hits(scores: Scores, called: frozenset[int]) -> float:
    """Return which share of some tools is ranked before all others."""
    best = np.argsort(-scores, kind="stable")[: len(called)]
    return len(called.intersection(best.tolist())) / len(called)
