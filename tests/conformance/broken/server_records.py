"""Server records that each break one promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sextant.stores.server_records.memory import MemoryKeys, MemoryReplies, MemoryServerRecords
from sextant.stores.server_records.memory_jobs import MemoryJobs
from sextant.types.serving import (
    Job,
    KeptReply,
    Key,
    KeyedRequest,
    Order,
    ReplyBounds,
    State,
    Whose,
)
from tests.conformance.broken.cases import Cases

SERVER_RECORDS = Cases()
"""Each is a part of them."""


def records_with(part: type[object]) -> MemoryServerRecords:
    """Return new records in memory with this part in the place of the one that it derives from."""
    records = MemoryServerRecords()
    if issubclass(part, MemoryKeys):
        records._keys = part()
    if issubclass(part, MemoryReplies):
        records._replies = part()
    if issubclass(part, MemoryJobs):
        records._jobs = part()
    return records


@SERVER_RECORDS.refused_by("test_a_key_is_revoked_once_and_stays")
class RevokedAgain(MemoryKeys):
    """Breaks: the time at which a key was revoked stays."""

    async def revoke_key(self, key_id: str, at: float) -> Key | None:
        revoked = await super().revoke_key(key_id, at)
        if revoked is None:
            return None
        self._keys[key_id] = replace(revoked, revoked=at)
        return self._keys[key_id]


@SERVER_RECORDS.refused_by("test_a_request_is_begun_once_and_its_reply_comes_back")
class BegunByEverybody(MemoryReplies):
    """Breaks: of those who begin a request, one does."""

    async def begin_reply(
        self, request: KeyedRequest, owner: str, bounds: ReplyBounds
    ) -> KeptReply | None:
        known = await super().begin_reply(request, owner, bounds)
        return known if known and not known.owner else None


@SERVER_RECORDS.refused_by(
    "test_a_request_is_begun_once_and_its_reply_comes_back",
    "test_what_is_forgotten_or_was_a_dead_servers_is_begun_anew",
)
class RepliesForgotten(MemoryReplies):
    """Breaks: a reply is there for whoever sends the request again."""

    async def keep_reply(self, request: KeyedRequest, reply: KeptReply) -> None:
        await super().keep_reply(request, reply)
        await self.forget_reply(request)


@SERVER_RECORDS.refused_by("test_a_job_is_there_only_for_whose_it_is")
class JobsOfTheTenant(MemoryJobs):
    """Breaks: a list shows the jobs of whoever asks."""

    async def list_jobs(self, by: Whose, after: str, limit: int) -> Sequence[Job]:
        await super().list_jobs(by, after, limit)
        return await super().list_jobs(replace(by, sees_all=True), after, limit)


@SERVER_RECORDS.refused_by("test_jobs_of_one_lane_are_done_one_after_the_other")
class LanesIgnored(MemoryJobs):
    """Breaks: jobs of one lane are done one after the other."""

    async def enqueue_job(self, job_id: str, order: Order, size: int, mark: str) -> Job:
        return await super().enqueue_job(job_id, replace(order, lane=job_id), size, mark)


@SERVER_RECORDS.refused_by("test_a_job_that_runs_is_to_end_once_it_is_cancelled")
class CancelledAtOnce(MemoryJobs):
    """Breaks: a job that runs is over when whoever does it says so."""

    async def cancel_job(self, by: Whose, job_id: str) -> Job:
        await super().cancel_job(by, job_id)
        return self._rows[job_id].change(state=State.CANCELLED)
