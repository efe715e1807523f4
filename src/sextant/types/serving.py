"""What a server keeps of its own: jobs, keys, and replies that may be asked for again.

These are values only. Who may see or do what with them is known to the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

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
class Key:
    """What is kept of a program's key; times are in seconds since 1970, 0 is never."""

    id: str
    name: str
    tenant: str
    personas: tuple[str, ...]
    roles: tuple[str, ...]
    created: float
    expires: float = 0.0
    revoked: float = 0.0
    used: float = 0.0
    digest: bytes = field(default=b"", repr=False)

    def state(self, now: float) -> str:
        """Say whether the key works."""
        if self.revoked:
            return "revoked"
        return "expired" if self.expires and self.expires <= now else "active"


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """A request under an idempotency key: whose it is, and a digest of all that it says."""

    tenant: str
    sender: str
    key: str
    digest: str


@dataclass(frozen=True, slots=True)
class KeptReply:
    """An answer as it was sent; while its status is 0, the owner is still at work on it."""

    digest: str
    owner: str = ""
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class ReplyBounds:
    """For how long replies are kept, and how many of each tenant."""

    kept_seconds: float = MARKED_S
    kept: int = 10_000
