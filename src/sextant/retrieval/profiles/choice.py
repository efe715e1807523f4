"""Whose weights rank: the request's, a saved profile's, or the usual ones as a user bent them."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass

from sextant.limits import check_weights
from sextant.ports import Recall
from sextant.retrieval.feedback.earned import Leaning, Standing
from sextant.retrieval.profiles.saved import USUAL, Profile, read_profiles
from sextant.retrieval.scoring.recency import HALF_LIFE_DAYS
from sextant.types import Preferences, Scope, Weights

_DOUBT = 4
_THOUSAND = 1_000


@dataclass(frozen=True, slots=True)
class Wish:
    """What a request says of weights: all, some or none of its own, and the name of a profile."""

    weights: Weights | Preferences | None = None
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The weights and the half-life that rank, and where they come from."""

    weights: Weights = USUAL
    half_life_days: float = HALF_LIFE_DAYS
    origin: str = "default"


DEFAULT = Choice()


async def choose(
    records: Recall,
    scope: Scope,
    wish: Wish,
    usual: Choice = DEFAULT,
    learnt_from: Awaitable[Standing] | None = None,
) -> Choice:
    """Return the request's weights, else the profile it names or the persona has, else the usual.

    Weights that the request leaves open are those which would have ranked without it. Only where
    nothing was asked for do the weights lean to where the user's sources excelled, which may be
    under way.
    """
    if isinstance(wish.weights, Weights):
        check_weights(wish.weights)
        return Choice(wish.weights, usual.half_life_days, "request")
    saved = await read_profiles(records, scope)
    base = _of(saved.default) if saved.default else usual
    if wish.profile:
        base = _of(saved.find(wish.profile))
    if wish.weights is not None:
        weights = wish.weights.over(base.weights)
        check_weights(weights)
        return Choice(weights, base.half_life_days, f"request over {base.origin}")
    if wish.profile or learnt_from is None:
        return base
    leaning = (await learnt_from).leanings.get(scope.user or "")
    if leaning is None:
        return base
    return Choice(
        leant(base.weights, leaning), base.half_life_days, f"{base.origin}, as the user leans"
    )


def leant(weights: Weights, leaning: Leaning) -> Weights:
    """Move weights to where helpful sources excelled: each by less than half or double."""
    steps = (2.0 ** (lead / _THOUSAND / (leaning.words + _DOUBT)) for lead in leaning.leads)
    values = (weights.relevancy, weights.recency, weights.richness, weights.reputation)
    return Weights(*(round(a * b, 6) for a, b in zip(values, steps, strict=True)))


def _of(profile: Profile) -> Choice:
    return Choice(profile.weights, profile.half_life_days, f"profile {profile.name}")
