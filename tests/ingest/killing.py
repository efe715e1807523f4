"""A process that ingests and is killed, at a moment that it counts down to or that others choose.

A moment is the time before or after a commit, or when the line tells how far it is.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.ingest.flow import Options
from sextant.ingest.report import Report
from sextant.ports import Store
from sextant.types import Change, Receipt, Scope
from tests.ingest.folders import SCOPE, dump, settings_at
from tests.torture.children import NURSERY, nameless

NURSERY.set_forkserver_preload(["tests.torture.worker", "tests.ingest.killing"])
Moment = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Act:
    """What a process does: ingest some folders, and then delete some documents."""

    sources: tuple[str, ...] = ()
    sync: bool = False
    removed: tuple[str, ...] = ()


class Watched:
    """A part of a store that tells when it is about to write, and when it has."""

    def __init__(self, part: Any, moment: Moment) -> None:
        self._part, self._moment = part, moment

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        self._moment()
        receipt: Receipt = await self._part.write(scope, changes)
        self._moment()
        return receipt

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        self._moment()
        counted: Mapping[str, int] = await self._part.count(scope, increments)
        self._moment()
        return counted

    async def set_counter(self, scope: Scope, name: str, value: int, over: int) -> bool:
        self._moment()
        is_set: bool = await self._part.set_counter(scope, name, value, over)
        self._moment()
        return is_set


def watched_store(store: Store, moment: Moment) -> Store:
    """Return a store that tells when it is about to write, and when it has."""
    truth: Any = Watched(store.truth, moment)
    records: Any = Watched(store.records, moment)
    return replace(store, truth=truth, records=records)


async def perform(home: Path, act: Act, moment: Moment = lambda: None) -> list[str]:
    """Do it, and return what the store holds afterwards."""
    async with await open_sextant(settings_at(home / "store", chunk_characters=200)) as opened:
        watched: Sextant = replace(opened, store=watched_store(opened.store, moment))

        def told(_: Report) -> None:
            moment()

        for source in act.sources:
            named = Options(sync=act.sync, name=Path(source).name)
            await watched.ingest(SCOPE, [str(home / source)], named, told)
        if act.removed:
            await watched.remove(SCOPE, act.removed)
        assert not await opened.store.admin.check(SCOPE)
        return await dump(opened)


def moments(home: Path, act: Act) -> int:
    """Do it, and return how many moments it has."""
    heard: list[None] = []
    asyncio.run(perform(home, act, lambda: heard.append(None)))
    return len(heard)


def killed_at(home: Path, act: Act, countdown: int) -> bool:
    """Let a process kill itself at a moment; False if it was done before."""
    return _live(home, act, countdown, 0) == -signal.SIGKILL


def killed_after(home: Path, act: Act, heard: int) -> bool:
    """Kill a process from outside, once it told of so many moments; False if it was done."""
    return _live(home, act, 0, heard) == -signal.SIGKILL


def _live(home: Path, act: Act, countdown: int, heard: int) -> int | None:
    ours, theirs = NURSERY.Pipe(duplex=False)
    process = NURSERY.Process(target=_enter, args=(theirs, home, act, countdown), daemon=True)
    with nameless():
        process.start()
    theirs.close()
    with ours:
        while block := os.read(ours.fileno(), max(1, heard)):
            heard -= len(block)
            if not countdown and heard <= 0:
                process.kill()
    process.join()
    code = process.exitcode
    process.close()
    return code


def _enter(pipe: Connection, home: Path, act: Act, countdown: int) -> None:
    left = countdown

    def moment() -> None:
        nonlocal left
        os.write(pipe.fileno(), b".")
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(perform(home, act, moment))
