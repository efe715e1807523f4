"""Which passages an answer is made of: the likeliest, and so many that the answer is among them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from math import exp
from operator import mul

from sextant.ask.blocks.signs import NAMES, PassageSigns
from sextant.types import Hit

MOST = 3
_SURE = 0.9
"""With so much likelihood told, nothing is added. On four sets of documentation (168 questions of
bench/documentation) three blocks hold the answer to 116 in 1,770 characters, and these to 115 in
1,310."""

_SHORT = 1_200
"""While an answer has no more characters, there is room for what is only needed beside others."""


@dataclass(frozen=True, slots=True)
class Likely:
    """A passage, how likely it is that the answer is in it, and how much it has of the question.

    The likelihood is among the passages that were found; all of them together have one.
    """

    hit: Hit
    likelihood: float
    covered: float


def likely(
    hits: Sequence[Hit], signs: Sequence[PassageSigns], worths: Sequence[float]
) -> list[Likely]:
    """Return hits with how likely the answer is in each, the likeliest first.

    A source counts by the square of its worth. So false pages of a source that is hardly believed
    are told in 2 of 40 cases; counting by its worth alone, in 7 (bench/poison.py).
    """
    scores = [sum(map(mul, fitted(), one.row())) for one in signs]
    best = max(scores, default=0.0)
    shares = [exp(score - best) * worth**2 for score, worth in zip(scores, worths, strict=True)]
    total = sum(shares) or 1.0
    order = sorted(range(len(hits)), key=lambda at: (-round(shares[at], 9), at))
    return [Likely(hits[at], shares[at] / total, signs[at].covered) for at in order]


def enough(
    whole: Sequence[Likely],
    parts: Sequence[Sequence[Likely]] = (),
    claimed: Sequence[Hit] = (),
) -> list[Hit]:
    """Return the passages to tell: the best for each part, those that make it sure, and further
    ones that a sentence was chosen from.
    """
    first = {hit.passage.chunk.id: hit for hit in _in_turn(whole, parts)}
    every = first | {
        hit.passage.chunk.id: hit for hit in claimed if hit.passage.chunk.id not in first
    }
    told: list[Hit] = []
    for name, hit in every.items():
        size = sum(len(one.passage.chunk.text) for one in (*told, hit))
        if len(told) < MOST and (name in first or size <= _SHORT):
            told.append(hit)
    return told


def _in_turn(whole: Sequence[Likely], parts: Sequence[Sequence[Likely]]) -> Iterator[Hit]:
    rows = [list(_surest(one)) for one in parts] or [list(_surest(whole))]
    for row in zip_longest(*rows):
        yield from filter(None, row)


def _surest(part: Sequence[Likely]) -> Iterator[Hit]:
    """Yield the likeliest passages, until it is sure that the answer is among them."""
    told = 0.0
    for one in part[:MOST]:
        if told < _SURE:
            yield one.hit
        told += one.likelihood


@cache
def fitted() -> tuple[float, ...]:
    """Return what each sign counts for: fitted by bench/fit_blocks.py."""
    stored = json.loads(files(__package__).joinpath("fitted.json").read_text())
    return tuple(float(stored["weights"][name]) for name in NAMES)
