"""Writers take turns within a tenant, and wait for nobody else."""

import asyncio
import functools
import threading
import time

import pytest

from sextant.errors import StoreBusy, StoreClosed
from sextant.stores.sqlite.writers import Turns


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


@pytest.mark.parametrize("gives_up", [False, True])
def test_who_waits_behind_others_has_waited_since_one_of_them_came_through(gives_up: bool) -> None:
    go_on, ended = threading.Event(), list[float]()

    def first(since: float) -> None:  # noqa: ARG001
        go_on.wait()
        ended.append(time.monotonic())
        if gives_up:
            raise StoreBusy("busy", "Try again.")

    async def run() -> float:
        turns = Turns()
        holding = asyncio.create_task(turns.run("acme", first))
        waiting = asyncio.create_task(turns.run("acme", lambda since: since))
        await asyncio.wait([holding, waiting], timeout=0)
        go_on.set()
        await asyncio.wait([holding])
        assert isinstance(holding.exception(), StoreBusy) == gives_up
        since = await waiting
        turns.close()
        return since

    since = asyncio.run(run())
    assert (since < ended[0]) == gives_up


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
