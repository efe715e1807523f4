"""Conversations that last: what a user asked under a name, and what was answered.

A conversation belongs to one user of one tenant, as its personas: whoever asks as others starts
another one under the same name. All who have no name of their own are one user. Of each
user the last ones are remembered.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sextant.ask.question import Budget, Emit, Event, Question
from sextant.ask.recalling.places import TRIES, leave_place, place_of, take_place
from sextant.ask.trace import Recorder
from sextant.errors import Conflict, InvalidInput, StoreError
from sextant.limits import check_conversation, check_turns
from sextant.ports import Records, Store
from sextant.types import Answer, Role, Scope, Thread, Turn, personas_as_json

MOST_TURNS = 20
MOST_CHARACTERS = 40_000
LONGEST_TURN = 8_000
"""What is remembered of a conversation, at most: its last turns, each from its beginning."""


async def recalled(store: Records, scope: Scope, question: Question) -> Question:
    """Return a question with what was said before it; turns that come with it go first."""
    check_conversation(question.conversation)
    if not question.conversation or question.history:
        return question
    return replace(question, history=await read_turns(store, scope, question.conversation))


async def remembered(
    store: Store, scope: Scope, question: Question, answer: Answer, emit: Emit
) -> Answer:
    """Remember a question and its answer, and return the answer with a step that says so.

    Where that fails the step says why, and the answer stands. A tenant that has no knowledge is
    not made to have a conversation.
    """
    recorder = Recorder(emit, time.perf_counter, Budget())
    with recorder.step("remember") as notes:
        said = (Turn(Role.USER, question.text), Turn(Role.ASSISTANT, answer.text))
        try:
            if await store.commit(scope):
                name = question.conversation
                notes.facts["turns"] = await append_turns(store, scope, name, said)
            else:
                notes.fallback = "Not remembered: there is no knowledge to speak of."
        except Conflict:
            notes.fallback = "Not remembered: others keep speaking in this conversation."
        except StoreError:
            notes.fallback = "Not remembered: the store could not save it."
    steps = (*answer.trace.steps, *recorder.steps)
    return replace(answer, trace=replace(answer.trace, steps=steps))


def silent_on_answers(emit: Emit) -> Emit:
    """Return a listener that passes on all but answers: one is told once it is remembered."""

    def hear(event: Event) -> None:
        if not isinstance(event, Answer):
            emit(event)

    return hear


async def read_turns(store: Records, scope: Scope, name: str) -> tuple[Turn, ...]:
    """Return what is remembered of a conversation, in order."""
    key = _key(scope, name)
    place = await place_of(store, scope, key)
    return _turns((await store.threads(scope, [place])).get(place), key) if place else ()


async def append_turns(store: Records, scope: Scope, name: str, turns: Sequence[Turn]) -> int:
    """Remember what was said, and return how many turns are remembered now."""
    return await _change(store, scope, name, lambda known: shortened([*known, *turns]))


async def forget_turns(store: Records, scope: Scope, name: str) -> None:
    """Forget a conversation; one that never was is not made."""
    if await read_turns(store, scope, name):
        await _change(store, scope, name, lambda _: ())
        await leave_place(store, scope, _key(scope, name))


def shortened(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the last turns, as many as are remembered."""
    kept: list[Turn] = []
    left = MOST_CHARACTERS
    for turn in reversed(turns[-MOST_TURNS:]):
        told = replace(turn, text=turn.text[:LONGEST_TURN])
        left -= len(told.text)
        if left < 0:
            break
        kept.append(told)
    return tuple(reversed(kept))


async def _change(
    store: Records,
    scope: Scope,
    name: str,
    task: Callable[[tuple[Turn, ...]], tuple[Turn, ...]],
) -> int:
    """Change a conversation; whoever was faster is read again."""
    key = _key(scope, name)
    for _ in range(TRIES):
        place = await take_place(store, scope, key)
        thread = (await store.threads(scope, [place])).get(place, Thread(place))
        changed = task(_turns(thread, key))
        try:
            await store.save_thread(scope, replace(thread, state=_state(changed, key)))
        except Conflict:
            continue
        return len(changed)
    raise Conflict("Others keep speaking in this conversation.", "Try again.")


def _key(scope: Scope, name: str) -> str:
    """Return what a conversation is known by: what one persona was told is not told to another."""
    whose = json.dumps([personas_as_json(scope.personas), scope.sees_all, name])
    return hashlib.sha256(whose.encode()).hexdigest()


def _state(turns: Sequence[Turn], key: str) -> str:
    """Return turns as they are kept; of none nothing is."""
    said = [[turn.role, turn.text] for turn in turns]
    return json.dumps({"of": key, "turns": said}, ensure_ascii=False) if said else ""


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
