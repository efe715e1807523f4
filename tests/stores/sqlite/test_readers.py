"""Threads that read: everybody gets what they asked for, also beside others that gave up."""

import asyncio
import threading

import pytest

from sextant.errors import StoreClosed
from sextant.stores.sqlite.readers import Threads


def test_more_tasks_than_threads_are_all_done_by_so_many_threads() -> None:
    async def run() -> None:
        threads = Threads(3, "some")
        names = await asyncio.gather(*(threads.run(_own_name) for _ in range(50)))
        assert set(names) <= {"some-0", "some-1", "some-2"}
        threads.close()

    asyncio.run(run())


def _own_name() -> str:
    return threading.current_thread().name


def test_one_after_the_other_needs_one_thread() -> None:
    async def run() -> None:
        threads = Threads(3, "some")
        assert {await threads.run(_own_name) for _ in range(20)} == {"some-0"}
        threads.close()

    asyncio.run(run())


def test_what_a_task_raises_is_raised_where_it_was_asked_for() -> None:
    async def run() -> None:
        threads = Threads(1, "some")
        with pytest.raises(ZeroDivisionError):
            await threads.run(lambda: 1 // 0)
        assert await threads.run(lambda: 7) == 7
        threads.close()

    asyncio.run(run())


def test_who_gives_up_leaves_the_thread_to_others() -> None:
    async def run() -> None:
        threads = Threads(1, "some")
        begun, go_on = threading.Event(), threading.Event()
        ran = []

        def first() -> None:
            begun.set()
            go_on.wait()

        running = asyncio.ensure_future(threads.run(first))
        waiting = asyncio.ensure_future(threads.run(lambda: ran.append("waiting")))
        await asyncio.to_thread(begun.wait)
        running.cancel()
        waiting.cancel()
        await asyncio.wait([running, waiting])
        go_on.set()
        assert await threads.run(lambda: 7) == 7
        assert not ran
        threads.close()

    asyncio.run(run())


def test_closing_finishes_what_was_given_and_takes_no_more() -> None:
    async def run() -> None:
        threads = Threads(1, "some")
        begun = threading.Event()
        given = [asyncio.ensure_future(threads.run(task)) for task in (begun.set, _own_name)]
        await asyncio.to_thread(begun.wait)
        await asyncio.to_thread(threads.close)
        assert await asyncio.gather(*given) == [None, "some-0"]
        with pytest.raises(StoreClosed):
            await threads.run(_own_name)

    asyncio.run(run())
