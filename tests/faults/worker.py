"""A process on a disk that fails: ``python -m tests.faults.worker WHAT FOLDER …``.

Says in lines of JSON what it tried, what was acknowledged, and which typed error came instead.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import logging
import os
import random
import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

from sextant.errors import StoreError
from sextant.ports import Store
from sextant.query import Query
from sextant.types import Put
from tests.faults.shim import fail_every, injected
from tests.torture.model import (
    ALL,
    WORDS,
    make_put,
    observe,
    open_here,
    operation,
    perform,
    version_of,
)
from tests.torture.worker import say

_NOBODY = 65_534
_TRIES = 5
SEED, WRITER = 1, "a"


async def attempt(what: str, task: Callable[[], Awaitable[object]]) -> bool:
    """Try something, and say which typed error came of it; any other error ends the process."""
    try:
        await task()
    except StoreError as error:
        say(failed=what, error=type(error).__name__, text=str(error))
        return False
    return True


async def strive(folder: Path, every: int, first: int, count: int) -> None:
    """Do operations while the disk fails; look at the outcome once it is well again."""
    store = await open_here(folder)
    fail_every(every)
    for number in range(first, first + count):
        await attempt("operation", functools.partial(_operate, store, number))
    fail_every(0)
    say(seen=await observe(store), injected=injected())
    fail_every(every)
    await store.admin.close()


async def _operate(store: Store, number: int) -> None:
    act = operation(SEED, WRITER, number)
    version = await version_of(store, act)
    say(intent=number, version=version)
    say(done=number, given=await perform(store, act, version))


async def start(folder: Path, every: int) -> None:
    """Make a store and write to it while the disk fails, again and again until it is well."""
    for period in [every] * _TRIES + [0]:
        fail_every(period)
        if await attempt("start", functools.partial(_begin, folder)):
            break
    say(injected=injected())


async def _begin(folder: Path) -> None:
    store = await open_here(folder)
    try:
        await _operate(store, 0)
    finally:
        await store.admin.close()


async def back_up(folder: Path, every: int, target: Path) -> None:
    """Back up while the disk fails, then once it is well."""
    store = await open_here(folder)
    for period in (every, 0):
        fail_every(period)
        await attempt("backup", lambda: store.admin.backup(target))
        say(left=sorted(path.name for path in target.parent.iterdir()))
    await store.admin.close()


async def fill(folder: Path, first: int) -> None:
    """Put documents until there is no room; then look at what is there, without any room."""
    store = await open_here(folder)
    numbers = itertools.count(first)
    while await attempt("put", functools.partial(_put, store, next(numbers))):
        pass
    await attempt("observe", functools.partial(_show, store))
    await store.admin.close()


async def _put(store: Store, number: int) -> None:
    await store.truth.write(ALL, [large_put(number)])
    say(kept=number)


async def _show(store: Store) -> None:
    say(seen=await observe(store))


def large_put(number: int) -> Put:
    """Return a document that fills a small disk soon."""
    return make_put(random.Random(number), f"a-{number}", number, 100)


async def trespass(folder: Path) -> None:
    """Use a folder as somebody who may not write there."""
    await asyncio.to_thread(random.random)  # threads start before the rights go
    rights = os.geteuid()
    if rights == 0:
        os.seteuid(_NOBODY)
    try:
        await attempt("open", lambda: _use(folder))
    finally:
        os.seteuid(rights)


async def _use(folder: Path) -> None:
    store = await open_here(folder)
    try:
        await attempt("search", lambda: store.index.search(ALL, Query(WORDS[0])))
        await attempt("write", lambda: perform(store, operation(SEED, WRITER, 0), 0))
    finally:
        await store.admin.close()


_TASKS: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
    task.__name__: task for task in (strive, start, back_up, fill, trespass)
}


def main() -> None:
    """Do what the first argument says. Warnings of the store are no complaints."""
    logging.getLogger("sextant").addHandler(logging.NullHandler())
    what, folder, *rest = sys.argv[1:]
    values = [int(value) if value.isdigit() else Path(value) for value in rest]
    asyncio.run(_TASKS[what](Path(folder), *values))


if __name__ == "__main__":
    main()
