"""Which jobs are there for whom: of no other persona, and page by page without a repetition."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sextant.errors import NotFound
from sextant.serve.caller import EVERY_ROLE, Caller, Role
from sextant.serve.jobs import Bounds, Job, State, Whose, whose
from sextant.types import Scope
from tests.serve.jobs.working import (
    ADMIN,
    ANN,
    BOB,
    EVE,
    ended,
    in_loop,
    jobs_of,
    open_watched,
    refused,
    send,
)

TRUSTED = EVERY_ROLE - {Role.ADMIN}
HR, ENG = frozenset({"hr"}), frozenset({"eng"})


def _for_ann(persona: str = "", acts_for: frozenset[str] | None = None) -> Whose:
    """Return who asks on behalf of Ann."""
    caller = Caller("key-1", "home", personas=acts_for, roles=TRUSTED)
    return whose(Scope("acme", frozenset(persona.split()), "ann", acts_for=acts_for), caller)


@in_loop
async def test_a_job_of_a_persona_is_there_only_for_who_acts_for_it(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path) as jobs,
    ):
        job = await send(jobs, _for_ann("hr", HR | ENG))
        for other in (
            _for_ann("eng", ENG),
            _for_ann("eng", HR | ENG),
            _for_ann("eng"),
            _for_ann("", ENG),
            _for_ann("", frozenset()),
        ):
            assert not await jobs.list(other)
            gone = str(await refused(NotFound, jobs.get(other, "no-such-job")))
            for look in (
                jobs.get(other, job.id),
                jobs.cancel(other, job.id),
                jobs.watch(other, job.id, 0, 0.0),
            ):
                assert str(await refused(NotFound, look)) == gone
        for one in (_for_ann("hr", HR), _for_ann("", HR | ENG), _for_ann(), ADMIN):
            assert [each.id for each in await jobs.list(one)] == [job.id]
            assert not (await jobs.get(one, job.id)).state.is_over
        assert (await jobs.cancel(_for_ann("hr", HR), job.id)).id == job.id
        assert (await ended(jobs, ADMIN, job)).state == State.CANCELLED


@in_loop
async def test_a_job_of_several_personas_is_there_only_for_who_acts_for_all(tmp_path: Path) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        job = await ended(jobs, ADMIN, await send(jobs, _for_ann("hr eng")))
        assert job.whose.personas == HR | ENG
        for other in (_for_ann("hr"), _for_ann("eng"), _for_ann("", HR), _for_ann("hr law")):
            await refused(NotFound, jobs.get(other, job.id))
        for one in (_for_ann("eng hr"), _for_ann("hr eng law"), _for_ann("", HR | ENG), _for_ann()):
            assert [each.id for each in await jobs.list(one)] == [job.id]
        odd = replace(ANN, personas=frozenset({'["hr", "eng"]'}))
        job = await ended(jobs, ADMIN, await send(jobs, odd))
        assert job.whose.personas == odd.personas
        await refused(NotFound, jobs.get(_for_ann("hr eng"), job.id))


@in_loop
async def test_a_job_of_no_persona_is_there_for_its_user_whatever_the_persona(
    tmp_path: Path,
) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        job = await send(jobs, _for_ann())
        for one in (_for_ann("hr", HR), _for_ann("", frozenset()), _for_ann()):
            assert (await jobs.get(one, job.id)).id == job.id


@in_loop
async def test_a_list_does_not_begin_again_after_a_job_that_is_gone(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=Bounds(kept=2)) as jobs,
    ):

        async def sent() -> Job:
            return await ended(jobs, ANN, await send(jobs, ANN))

        await sent()
        first = await sent()
        assert (await jobs.list(ANN, limit=1))[0].id == first.id
        for _ in range(2):
            await sent()
        gone = await refused(NotFound, jobs.list(ANN, first.id))
        assert "without" in gone.hint
        assert str(await refused(NotFound, jobs.list(ANN, "never"))) == str(gone)


@in_loop
async def test_a_list_after_a_job_of_somebody_else_is_as_after_one_that_is_gone(
    tmp_path: Path,
) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        job = await ended(jobs, ADMIN, await send(jobs, replace(ANN, personas=frozenset({"hr"}))))
        for other in (BOB, EVE, _for_ann("eng", ENG)):
            await ended(jobs, other, await send(jobs, other))
            gone = await refused(NotFound, jobs.list(other, "no-such-job"))
            assert str(await refused(NotFound, jobs.list(other, job.id))) == str(gone)
