"""Where the conversations of a user are kept: in so many places and no more.

One thread says which conversation is in which place, the one that spoke last at the end. A new one
takes the place of the one that was silent longest, so that what a user leaves behind is bounded.
Knows nothing of what is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from sextant.errors import Conflict
from sextant.ports import Recall, Records
from sextant.types import Scope, Thread

MOST = 100
"""How many conversations of one user are remembered."""

TRIES = 20
_INDEX = "conversations"
_Places = dict[str, int]


async def place_of(records: Recall, scope: Scope, key: str) -> str:
    """Return the thread in which a conversation is, or nothing where there is none."""
    places = _places(await _index(records, scope))
    return _thread_id(places[key]) if key in places else ""


async def take_place(records: Records, scope: Scope, key: str) -> str:
    """Return the thread in which a conversation is from now on, as the last one that spoke."""

    def take(places: _Places) -> _Places:
        at = places.pop(key, None)
        while at is None and len(places) >= MOST:
            places.pop(next(iter(places)))
        return {**places, key: _unused(places) if at is None else at}

    return _thread_id((await _change(records, scope, take))[key])


async def leave_place(records: Records, scope: Scope, key: str) -> None:
    """Let the place of a conversation be free for another one."""
    await _change(records, scope, lambda places: {k: at for k, at in places.items() if k != key})


async def _change(records: Records, scope: Scope, task: Callable[[_Places], _Places]) -> _Places:
    """Change who is where; whoever was faster is read again."""
    for _ in range(TRIES):
        index = await _index(records, scope)
        before = _places(index)
        after = task(dict(before))
        if list(after.items()) == list(before.items()):
            return after
        try:
            await records.save_thread(scope, replace(index, state=json.dumps(after)))
        except Conflict:
            continue
        return after
    raise Conflict("Others keep speaking in conversations of this user.", "Try again.")


async def _index(records: Recall, scope: Scope) -> Thread:
    return (await records.threads(scope, [_INDEX])).get(_INDEX, Thread(_INDEX))


def _places(index: Thread) -> _Places:
    """Read a state; one that cannot be read is as if nobody had spoken."""
    try:
        return {str(key): int(at) for key, at in json.loads(index.state or "{}").items()}
    except (AttributeError, TypeError, ValueError, RecursionError):
        return {}


def _unused(places: _Places) -> int:
    taken = set(places.values())
    return next(at for at in range(len(places) + 1) if at not in taken)


def _thread_id(at: int) -> str:
    return f"conversation:{at}"
