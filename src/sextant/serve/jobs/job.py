"""Whose a job is, and how many are done at once. What a job is stands in ``types.serving``."""

from __future__ import annotations

from dataclasses import dataclass

from sextant.ingest.keeping.mandate import mandate_of
from sextant.serve.caller import Caller, Role
from sextant.settings import ServeSettings
from sextant.types import Scope
from sextant.types.serving import Whose


def whose(scope: Scope, caller: Caller) -> Whose:
    """Return whose a job is that is asked for in a scope; an administrator sees all of a tenant."""
    return Whose(
        scope.tenant,
        scope.personas,
        scope.user,
        caller.name,
        sees_all=Role.ADMIN in caller.roles,
        acts_for=mandate_of(scope).personas,
    )


@dataclass(frozen=True, slots=True)
class Pace:
    """How many jobs are done at once: of all, of one tenant; and how long one may take."""

    at_once: int = 2
    of_one: int = 2
    minutes: float = 120.0


def pace_of(settings: ServeSettings) -> Pace:
    """Return how jobs are done: where others may come in, one worker is left free for them."""
    at_once = max(1, settings.jobs)
    of_one = max(1, at_once - 1) if settings.is_shared else at_once
    return Pace(at_once, of_one, settings.job_minutes)
