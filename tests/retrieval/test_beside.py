"""Calls that are under way while others are awaited."""

import asyncio

import pytest

from sextant.retrieval.beside import beside


async def _wait_for(event: asyncio.Event, log: list[str]) -> int:
    try:
        await event.wait()
    except asyncio.CancelledError:
        log.append("ended")
        raise
    return 1


async def _fail() -> None:
    raise ValueError("no")


def test_a_call_goes_on_while_another_one_is_awaited() -> None:
    async def run() -> int:
        event = asyncio.Event()
        async with beside(_wait_for(event, [])) as task:
            await asyncio.sleep(0)
            event.set()
            return await task

    assert asyncio.run(run()) == 1


def test_leaving_the_block_ends_the_call() -> None:
    log: list[str] = []

    async def run() -> None:
        async with beside(_wait_for(asyncio.Event(), log)):
            await asyncio.sleep(0)
            raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(run())
    assert log == ["ended"]


def test_a_failure_is_told_to_whoever_awaits_the_call_and_to_nobody_else() -> None:
    async def run(*, is_awaited: bool) -> None:
        async with beside(_fail()) as task:
            await asyncio.sleep(0)
            if is_awaited:
                await task

    with pytest.raises(ValueError, match="no"):
        asyncio.run(run(is_awaited=True))
    asyncio.run(run(is_awaited=False))
