"""A process to be killed: ``python -m tests.torture.worker FOLDER SEED NAME``; "reader" only reads.

Says in lines of JSON what it is about to do and what was acknowledged. Never ends by itself.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from sextant.ports import Store
from sextant.query import Query
from tests.torture.model import ALL, WORDS, open_here, operation, perform, torn, version_of

READER = "reader"


def say(**what: object) -> None:
    """Write a line to the pipe at once."""
    os.write(sys.stdout.fileno(), json.dumps(what).encode() + b"\n")


async def write(store: Store, seed: int, name: str, first: int) -> None:
    """Do one operation after the other, saying so before and after."""
    for number in itertools.count(first):
        act = operation(seed, name, number)
        version = await version_of(store, act)
        say(intent=number, version=version)
        say(done=number, given=await perform(store, act, version))


async def read(store: Store, seed: int) -> None:
    """Search again and again; say when a passage is torn or the store goes back in time."""
    rng = random.Random(seed)
    last = 0
    for number in itertools.count():
        found = await store.index.search(ALL, Query(rng.choice(WORDS), k=20))
        for match in found.matches:
            for problem in torn(match.passage.document, match.passage.chunk):
                say(wrong=problem)
        if found.commit < last:
            say(wrong=f"Commit {found.commit} was read after {last}.")
        last = found.commit
        say(read=number)


async def live(folder: Path, seed: int, name: str, first: int) -> None:
    """Open the store, say how much CPU it took until a search was answered, and go on for ever."""
    before = time.process_time()
    store = await open_here(folder)
    await store.index.search(ALL, Query(WORDS[0]))
    say(ready=time.process_time() - before)
    if name == READER:
        await read(store, seed)
    else:
        await write(store, seed, name, first)


def enter(pipe: Connection, folder: Path, seed: int, name: str, first: int) -> None:
    """Live as a child whose every word, complaints too, goes into a pipe."""
    os.dup2(pipe.fileno(), sys.stdout.fileno())
    os.dup2(pipe.fileno(), sys.stderr.fileno())
    asyncio.run(live(folder, seed, name, first))


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], 0))
