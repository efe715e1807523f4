"""Conversations as they were kept before threads had entries: read, and never written again.

Each was one state in one of so many places; a thread of its own said which conversation was in
which place. One that is spoken in again moves to entries.
"""

from __future__ import annotations

import json
from typing import Any

from sextant.errors import InvalidInput
from sextant.limits import check_turns
from sextant.ports import Records
from sextant.types import Role, Scope, Thread, Turn

_INDEX = "conversations"


async def read_former_turns(records: Records, scope: Scope, key: str) -> tuple[Turn, ...]:
    """Return what was kept of a conversation by its key, in order."""
    place = await _place_of(records, scope, key)
    return _turns((await records.threads(scope, [place])).get(place), key) if place else ()


async def delete_former_turns(records: Records, scope: Scope, key: str) -> None:
    """Delete what was kept of a conversation."""
    place = await _place_of(records, scope, key)
    if place and _turns((await records.threads(scope, [place])).get(place), key):
        await records.delete_threads(scope, [place])


async def _place_of(records: Records, scope: Scope, key: str) -> str:
    """Return the thread that the conversation was kept in, or nothing."""
    index = (await records.threads(scope, [_INDEX])).get(_INDEX, Thread(_INDEX))
    try:
        places = {str(one): int(at) for one, at in json.loads(index.state or "{}").items()}
    except (AttributeError, TypeError, ValueError, RecursionError):
        return ""
    return f"conversation:{places[key]}" if key in places else ""


def _turns(thread: Thread | None, key: str) -> tuple[Turn, ...]:
    """Read a state; one that cannot be read, or is another's, is as if nothing had been said."""
    try:
        kept = json.loads(thread.state) if thread else {"of": ""}
        rows = kept["turns"] if kept["of"] == key else []
        turns = tuple(_turn(*row) for row in rows)
        check_turns(turns)
    except (KeyError, TypeError, ValueError, RecursionError, InvalidInput):
        return ()
    return turns


def _turn(role: Any, text: Any) -> Turn:
    return Turn(Role(role), text)
