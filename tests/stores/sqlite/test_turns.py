"""Writers take turns within a tenant, and wait for nobody else."""

import asyncio
import functools
import threading

import pytest

from sextant.errors import StoreBusy, StoreClosed
from sextant.stores.sqlite.turns import Turns


def test_those_of_a_tenant_come_one_after_the_other_in_their_order() -> None:
    seen: list[int] = []

    def see(at: int, since: float) -> None:  # noqa: ARG001
        seen.append(at)

    async def run() -> None:
        turns = Turns()
        tasks = (turns.run("acme", functools.partial(see, at)) for at in range(50))
        await asyncio.gather(*tasks)
        turns.close()

    asyncio.run(run())
    assert seen == list(range(50))


def test_who_waits_behind_others_that_came_through_has_waited_since_then() -> None:
    async def run() -> None:
        turns = Turns()
        first = asyncio.create_task(turns.run("acme", lambda since: since))
        told = await asyncio.gather(*(turns.run("acme", lambda since: since) for _ in range(5)))
        assert [await first, *told] == sorted({await first, *told})
        turns.close()

    asyncio.run(run())


def test_who_waits_behind_others_that_gave_up_has_waited_as_long() -> None:
    def busy(since: float) -> None:
        told.append(since)
        raise StoreBusy("busy", "Try again.")

    told: list[float] = []

    async def run() -> None:
        turns = Turns()
        both = (turns.run("acme", busy) for _ in range(2))
        refused = await asyncio.gather(*both, return_exceptions=True)
        assert all(isinstance(one, StoreBusy) for one in refused)
        assert (await turns.run("acme", lambda since: since)) > told[1]
        turns.close()

    asyncio.run(run())


def test_one_tenant_is_not_held_up_by_another_and_leaves_no_thread_of_its_own() -> None:
    go_on = threading.Event()

    async def run() -> None:
        turns = Turns()
        held = asyncio.create_task(turns.run("acme", lambda _: go_on.wait()))
        for at in range(100):
            await turns.run(f"tenant {at}", lambda _: None)
        assert not held.done()
        assert len([one for one in threading.enumerate() if "sextant-write" in one.name]) <= 32
        go_on.set()
        assert await held
        turns.close()
        with pytest.raises(StoreClosed):
            await turns.run("acme", lambda _: None)

    asyncio.run(run())
