"""Is the evidence enough? A confidence by fitted coefficients, key points, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import exp, tanh

from sextant.ask.evidence.claim import Claim
from sextant.ask.judging.another import is_of_another
from sextant.ask.judging.signs import NAMES, Case, Signs
from sextant.ask.judging.withheld import is_withheld
from sextant.types import FollowUp, KeyPoint, Verdict

_MOST = 3
_EXTREME = 30.0
_DOUBTFUL = 0.2
"""How sure an answer can be at most that a source withholds, or that is told of something else."""


_IN_PART = 0.45
"""How sure an answer can be at most to which a part is missing."""

_DISPUTED = 0.5
"""What a source that is believed alone would take from the confidence; an equal one takes half."""


@dataclass(frozen=True, slots=True)
class Bend:
    """A sum of weighed signs that levels off, and how much it counts for."""

    bias: float
    weights: tuple[float, ...]
    height: float


@dataclass(frozen=True, slots=True)
class Coefficients:
    """What each sign counts for, and from which confidence on the evidence is enough.

    Where pages are all about the same matter, words in common say less than they do elsewhere:
    the bends see to that.
    """

    bias: float
    weights: tuple[float, ...]
    threshold: float
    bends: tuple[Bend, ...] = ()


def judge(
    case: Case, signs: Signs, missing: Sequence[str] = (), further: Sequence[FollowUp] = ()
) -> Verdict:
    """Judge the evidence for a question, in which this is missing and that could be asked next."""
    known = fitted(is_read=case.is_read)
    confidence = round(confidence_of(signs, known), 4) if case.claims else 0.0
    if doubt_about(case):
        confidence = min(confidence, _DOUBTFUL)
    is_enough = bool(case.claims) and confidence >= known.threshold
    return Verdict(
        is_enough,
        confidence,
        tuple(KeyPoint(one.text, one.quotes[0].passage.chunk.id) for one in case.claims),
        () if is_enough else tuple(missing[:_MOST]),
        tuple(further[:_MOST]),
    )


def with_open_parts(verdict: Verdict, open_parts: Sequence[str]) -> Verdict:
    """Return a verdict for a question of which parts stay open: it is not known."""
    if not open_parts or not verdict.sufficient:
        return verdict
    confidence = min(verdict.confidence, _IN_PART)
    return replace(
        verdict, sufficient=False, confidence=confidence, missing=tuple(open_parts[:_MOST])
    )


def in_doubt(verdict: Verdict, claims: Sequence[Claim]) -> Verdict:
    """Return a verdict that is less sure where a source says otherwise, the better it is the less.

    Whether the evidence is enough stays as it was judged: the answer tells both.
    """
    shares = [_share_of_belief(one, one.otherwise) for one in claims if one.otherwise]
    if not shares:
        return verdict
    return replace(verdict, confidence=round(verdict.confidence * (1 - _DISPUTED * max(shares)), 4))


def _share_of_belief(claim: Claim, otherwise: Claim) -> float:
    """Return in 0 to 1 how far the other source is believed, of both together."""
    ours, theirs = (one.quotes[0].passage.document.reputation for one in (claim, otherwise))
    return theirs / (ours + theirs) if ours + theirs > 0 else 0.5


def doubt_about(case: Case) -> str:
    """Return why what the evidence says cannot be the answer, or nothing."""
    if is_withheld(case):
        return "A source says that this is not told, known or decided."
    return "What is told is told of something else." if is_of_another(case) else ""


def confidence_of(signs: Signs, known: Coefficients) -> float:
    """Return how likely it is that evidence with these signs answers the question."""
    row = signs.row()
    sum_ = known.bias + _weighed(known.weights, row)
    sum_ += sum(one.height * tanh(one.bias + _weighed(one.weights, row)) for one in known.bends)
    return 1.0 / (1.0 + exp(-max(-_EXTREME, min(_EXTREME, sum_))))


def _weighed(weights: Sequence[float], row: Sequence[float]) -> float:
    return sum(weight * sign for weight, sign in zip(weights, row, strict=True))


@cache
def fitted(*, is_read: bool) -> Coefficients:
    """Return the coefficients that come with the package.

    That something lies near a question speaks for an answer where nobody read what it says, and
    against one where it was read and is not what is asked for: so there are two of them. The first
    were fitted by bench/fit_judge.py before pieces were read, the others are what it writes now.
    """
    name = "read.json" if is_read else "unread.json"
    stored = json.loads(files(__package__).joinpath("judging", name).read_text())
    bends = tuple(
        Bend(float(one["bias"]), _in_order(one["weights"]), float(one["height"]))
        for one in stored.get("bends", ())
    )
    weights = _in_order(stored["weights"])
    return Coefficients(float(stored["bias"]), weights, float(stored["threshold"]), bends)


def _in_order(weights: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(float(weights[name]) for name in NAMES)
