"""Is the evidence enough? A confidence by fitted coefficients, key points, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp

from sextant.ask.judging.signs import NAMES, Case, Signs
from sextant.types import FollowUp, KeyPoint, Verdict

_MOST = 3
_EXTREME = 30.0


@dataclass(frozen=True, slots=True)
class Coefficients:
    """What each sign counts for, and from which confidence on the evidence is enough."""

    bias: float
    weights: tuple[float, ...]
    threshold: float


def judge(case: Case, signs: Signs, missing: Sequence[str] = ()) -> Verdict:
    """Judge the evidence for a question."""
    confidence = round(confidence_of(signs), 4) if case.claims else 0.0
    return Verdict(
        bool(case.claims) and confidence >= fitted().threshold,
        confidence,
        tuple(KeyPoint(one.text, one.quotes[0].passage.chunk.id) for one in case.claims),
        tuple(missing[:_MOST]),
        follow_ups(case),
    )


def confidence_of(signs: Signs) -> float:
    """Return how likely it is that evidence with these signs answers the question."""
    known = fitted()
    sum_ = known.bias + sum(a * b for a, b in zip(known.weights, signs.row(), strict=True))
    return 1.0 / (1.0 + exp(-max(-_EXTREME, min(_EXTREME, sum_))))


def follow_ups(case: Case) -> tuple[FollowUp, ...]:
    """Return queries for the parts that nothing was found for."""
    answered = {claim.part for claim in case.claims}
    asked = case.parts[1:] or case.parts
    return tuple(
        FollowUp(part.goal.text, part.goal.goal)
        for at, part in enumerate(asked)
        if at not in answered
    )[:_MOST]


@cache
def fitted() -> Coefficients:
    """Return the coefficients that come with the package; bench/fit_judge.py makes them."""
    stored = json.loads(files(__package__).joinpath("judging", "coefficients.json").read_text())
    weights = tuple(float(stored["weights"][name]) for name in NAMES)
    return Coefficients(float(stored["bias"]), weights, float(stored["threshold"]))
