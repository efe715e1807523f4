"""What a job is, whose it is, and how many there may be. Knows no file and no protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sextant.ingest.mandate import mandate_of
from sextant.serve.caller import Caller, Role
from sextant.settings import ServeSettings
from sextant.types import Scope

MARKED_S = 86_400.0
"""A job is known by its mark for so long."""


class State(StrEnum):
    """How far a job is. While its files still arrive it is nobody's business."""

    RECEIVING = "receiving"
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self in (State.DONE, State.FAILED, State.CANCELLED)


class Kind(StrEnum):
    """What a job does."""

    INGEST = "ingest"
    BACKUP = "backup"


@dataclass(frozen=True, slots=True)
class Whose:
    """For whom jobs are done and looked at: a user, or where there is none, a caller.

    Of the jobs of some personas, only who acts for all of these sees any; None acts for everybody.
    """

    tenant: str
    personas: frozenset[str]
    user: str | None
    caller: str
    sees_all: bool = False
    acts_for: frozenset[str] | None = None

    @property
    def name(self) -> str:
        """Tell one from another of the same tenant."""
        return f"user:{self.user}" if self.user is not None else f"caller:{self.caller}"


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
class Order:
    """What is to be done: work of one lane is done one after the other, in the order it came."""

    kind: Kind
    what: str
    lane: str
    spec: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of how much is done, and what is being done."""

    done: int = 0
    total: int = 0
    what: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it stands. The version counts its changes; times are in seconds since 1970."""

    id: str
    whose: Whose
    order: Order
    state: State
    version: int
    created: float
    started: float | None = None
    ended: float | None = None
    progress: Progress = field(default_factory=Progress)
    report: Mapping[str, Any] | None = None
    problem: Mapping[str, Any] | None = None
    retries: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is kept: of each tenant, and of all. Attempts count when a process died of one."""

    waiting: int = 1_000
    waiting_in_all: int = 10_000
    spool_bytes: int = 2 << 30
    kept: int = 1_000
    kept_seconds: float = 7 * 86_400.0
    attempts: int = 10
    retries: int = 4
    retry_seconds: float = 2.0


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
