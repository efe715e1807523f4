"""Processes that bring folders into one tenant at the same time."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from sextant.build import open_sextant
from sextant.ingest.flow import Options
from sextant.settings import Settings
from tests.ingest.counting import counting_store
from tests.ingest.folders import SCOPE, settings_at
from tests.ingest.killing import watched_store
from tests.torture.children import NURSERY, nameless


def sharing(home: Path) -> Settings:
    """Return settings under which every commit ends the turn, if somebody waits."""
    chosen = settings_at(home / "store")
    return replace(chosen, ingest=replace(chosen.ingest, turn_seconds=0.0))


@dataclass(frozen=True, slots=True)
class Done:
    """What a process did, and how many units it loaded for that."""

    added: int
    loaded: int


class Bringer:
    """A process that ingests a folder once it is told to."""

    def __init__(self, home: Path, source: str, writes: int = 0) -> None:
        self._pipe, theirs = NURSERY.Pipe()
        arguments = (theirs, home, source, writes)
        self._process: ForkServerProcess = NURSERY.Process(
            target=_enter, args=arguments, daemon=True
        )
        with nameless():
            self._process.start()
        theirs.close()
        assert self.hear() == "ready"

    def begin(self) -> None:
        """Let it go on."""
        self._pipe.send("go")

    def hear(self) -> Any:
        """Wait for what it says next."""
        return self._pipe.recv()

    def kill(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self.join()

    def join(self) -> None:
        """Wait for its end."""
        self._process.join()
        self._process.close()
        self._pipe.close()


def bring_at_once(home: Path, sources: Sequence[str]) -> list[Done]:
    """Ingest each folder by a process of its own, all at the same time."""
    bringers = [Bringer(home, source) for source in sources]
    for one in bringers:
        one.begin()
    done: list[Done] = [one.hear() for one in bringers]
    for one in bringers:
        one.join()
    return done


def _enter(pipe: Connection, home: Path, source: str, writes: int) -> None:
    """Ingest a folder without vectors; where writes are counted, stop before the one after them."""
    left = 2 * writes + 1

    def moment() -> None:
        nonlocal left
        left -= 1
        if writes and not left:
            pipe.send("stopped")
            signal.pause()

    async def run() -> None:
        async with await open_sextant(sharing(home)) as opened:
            store, counting = counting_store(watched_store(opened.store, moment))
            core = replace(opened, store=store)
            pipe.send("ready")
            pipe.recv()
            report = await core.ingest(SCOPE, [str(home / source)], Options(words_only=True))
            pipe.send(Done(report.added, counting.loaded))

    asyncio.run(run())
