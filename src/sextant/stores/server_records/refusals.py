"""What every kind of server records says when it refuses something."""

from __future__ import annotations

from sextant.errors import NotFound, Overloaded, RateLimited
from sextant.types.serving import Bounds

_RETRY_S = 30.0
"""About as long as a small job takes; a client that comes back earlier finds the same."""


def check_room(waiting: int, waiting_bytes: int, in_all: int, size: int, bounds: Bounds) -> None:
    """Refuse a job of this size beside those that its tenant, and all tenants, have open."""
    if waiting >= bounds.waiting:
        raise too_many_jobs(waiting)
    if waiting_bytes + size > bounds.spool_bytes:
        raise too_many_bytes()
    if in_all >= bounds.waiting_in_all:
        raise too_many_jobs_in_all()


def too_many_jobs(waiting: int) -> RateLimited:
    """A tenant has as many open jobs as it may."""
    return RateLimited(
        f"{waiting} jobs of this tenant wait already.", "Let some of them end.", _RETRY_S
    )


def too_many_bytes() -> RateLimited:
    """A tenant's open jobs have files of as many bytes as they may."""
    return RateLimited(
        "Too much that this tenant sent waits already.", "Let some jobs end.", _RETRY_S
    )


def too_many_jobs_in_all() -> Overloaded:
    """All tenants together have as many open jobs as they may."""
    return Overloaded("Too many jobs wait already.", "Try again later.", _RETRY_S)


def no_such_job() -> NotFound:
    """There is no such job, as far as whoever asks may know."""
    return NotFound("There is no such job.", "List jobs to see which there are.")


def no_job_to_go_on_from() -> NotFound:
    """The job after which a list was to go on is gone, or was never there."""
    return NotFound("There is no such job any more.", "Begin without after.")
