"""The events of a run: whoever reads them, and from where, sees the same in the same order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from hypothesis import given
from hypothesis import strategies as st

from sextant.chat.events import EventLog
from sextant.types import RunEvent, RunFinished, TextAdded


def piece(number: int) -> RunEvent:
    return TextAdded("m", str(number))


async def read_all(log: EventLog, after: int = 0) -> list[RunEvent]:
    return [event async for batch in log.read(after) for event in batch]


async def test_what_is_there_at_once_is_one_batch() -> None:
    log = EventLog()
    for number in range(200):
        log.append(piece(number))
    log.finish(RunFinished())
    batches = [batch async for batch in log.read()]
    assert [len(batch) for batch in batches] == [201]


async def test_nothing_is_written_after_the_end() -> None:
    log = EventLog()
    log.finish(RunFinished())
    log.append(piece(1))
    log.finish(RunFinished())
    assert await read_all(log) == [RunFinished()]


async def test_a_writer_waits_for_its_fastest_reader_and_for_no_other() -> None:
    log = EventLog(ahead=3)
    async with aclosing(log.read()) as slow, aclosing(log.read()) as fast:
        log.append(piece(0))
        assert await anext(slow) == await anext(fast) == [piece(0)]
        for number in (1, 2, 3):
            log.append(piece(number))
        assert log.is_ahead
        waiting = asyncio.create_task(log.wait_for_room())
        await asyncio.sleep(0)
        assert not waiting.done()
        assert await anext(fast) == [piece(1), piece(2), piece(3)]
        await waiting
        assert await anext(slow) == [piece(1), piece(2), piece(3)]


Reading = AsyncGenerator[Sequence[RunEvent], None]
Moves = Sequence[tuple[str, int]]
MOVES = st.lists(
    st.tuples(st.sampled_from(["write", "join", "read", "leave"]), st.integers(0, 7)), max_size=60
)


@given(MOVES)
def test_any_interleaving_of_readers_sees_one_sequence(moves: Moves) -> None:
    asyncio.run(_interleaved(moves))


async def _interleaved(moves: Moves) -> None:
    log = EventLog()
    readers: list[tuple[int, list[RunEvent], Reading]] = []
    for count, (move, number) in enumerate(moves):
        if move == "write":
            log.append(piece(count))
        elif move == "join":
            start = min(number, len(log.events))
            readers.append((start, [], log.read(start)))
        elif readers:
            start, seen, reading = readers[number % len(readers)]
            if move == "leave":
                await reading.aclose()
                readers.remove((start, seen, reading))
            elif start + len(seen) < len(log.events):
                seen.extend(await anext(reading))
    log.finish(RunFinished())
    for start, seen, reading in readers:
        seen.extend([event async for batch in reading for event in batch])
        assert seen == log.events[start:]
    assert not log.readers
