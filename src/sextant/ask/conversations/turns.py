"""Conversations that last: what a user asked under a name, and what was answered.

A conversation belongs to one user of one tenant, as its personas: whoever asks as others starts
another one under the same name. All who have no name of their own are one user. Of each
user the last ones are remembered.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import replace

from sextant.ask.conversations.former import delete_former_turns, read_former_turns
from sextant.ask.question import Question
from sextant.errors import Conflict, StoreError, TooLarge
from sextant.limits import check_conversation
from sextant.ports import Records, Store
from sextant.retrieval.events import Emit, Event
from sextant.retrieval.recorder import UNBOUNDED, Recorder
from sextant.types import (
    Answer,
    Append,
    EntryRange,
    Role,
    Scope,
    ThreadEntry,
    ThreadSummary,
    Turn,
    personas_as_json,
)

MOST_TURNS = 20
MOST_CHARACTERS = 40_000
LONGEST_TURN = 8_000
"""What is remembered of a conversation, at most: its last turns, each from its beginning."""

MOST_CONVERSATIONS = 100
"""How many conversations of one user are remembered, whatever the persona."""

_PREFIX = "conversations/"
_TRIES = 20


async def recalled(records: Records, scope: Scope, question: Question) -> Question:
    """Return a question with what was said before it; turns that come with it go first."""
    check_conversation(question.conversation)
    if not question.conversation or question.history:
        return question
    return replace(question, history=await read_turns(records, scope, question.conversation))


async def remembered(
    store: Store, scope: Scope, question: Question, answer: Answer, emit: Emit
) -> Answer:
    """Remember a question and its answer, and return the answer with a step that says so.

    Where that fails the step says why, and the answer stands. A tenant that has no knowledge is
    not made to have a conversation.
    """
    recorder = Recorder(emit, time.perf_counter, UNBOUNDED, begun=len(answer.trace.steps))
    with recorder.step("remember") as notes:
        said = (Turn(Role.USER, question.text), Turn(Role.ASSISTANT, answer.text))
        try:
            if await store.truth.commit(scope):
                name = question.conversation
                notes.facts["turns"] = await append_turns(store.records, scope, name, said)
            else:
                notes.fallback = "Not remembered: there is no knowledge to speak of."
        except Conflict:
            notes.fallback = "Not remembered: others keep speaking in this conversation."
        except StoreError:
            notes.fallback = "Not remembered: the store could not save it."
        except TooLarge:
            notes.fallback = "Not remembered: the user has too many threads."
    steps = (*answer.trace.steps, *recorder.steps)
    return replace(answer, trace=replace(answer.trace, steps=steps))


def silent_on_answers(emit: Emit) -> Emit:
    """Return a listener that passes on all but answers: one is told once it is remembered."""

    def hear(event: Event) -> None:
        if not isinstance(event, Answer):
            emit(event)

    return hear


async def read_turns(records: Records, scope: Scope, name: str) -> tuple[Turn, ...]:
    """Return what is remembered of a conversation, in order."""
    last = EntryRange(limit=MOST_TURNS, newest_first=True)
    found = await records.read_entries(scope, _thread_id(scope, name), last)
    if not found:
        return await read_former_turns(records, scope, _former_key(scope, name))
    turns = (_turn(entry) for entry in reversed(found))
    return shortened([turn for turn in turns if turn])


async def append_turns(records: Records, scope: Scope, name: str, turns: Sequence[Turn]) -> int:
    """Remember what was said, and return how many turns are remembered now."""
    if not turns:
        return len(await read_turns(records, scope, name))
    for _ in range(_TRIES):
        try:
            return await _append(records, scope, name, turns)
        except Conflict:
            continue  # somebody else began it meanwhile
    raise Conflict("Others keep speaking in this conversation.", "Try again.")


async def forget_turns(records: Records, scope: Scope, name: str) -> None:
    """Forget a conversation; one that never was is not made."""
    await records.delete_threads(scope, [_thread_id(scope, name)])
    await delete_former_turns(records, scope, _former_key(scope, name))


async def list_conversations(
    records: Records, scope: Scope, after: str = "", limit: int = 100
) -> Sequence[ThreadSummary]:
    """List the user's conversations as this persona, the last one spoken in first.

    The title of each is its name. One that was kept before conversations could be listed is left
    out until it is spoken in again.
    """
    return await records.list_threads(scope, owned_prefix(_PREFIX, scope), after, limit)


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


async def _append(records: Records, scope: Scope, name: str, turns: Sequence[Turn]) -> int:
    """Append to a conversation; one that was kept in the former way is taken over first."""
    thread_id, key = _thread_id(scope, name), _former_key(scope, name)
    is_new = not await records.threads(scope, [thread_id])
    former = await read_former_turns(records, scope, key) if is_new else ()
    entries = tuple(_entry(turn) for turn in shortened([*former, *turns]))
    version = 0 if is_new else None
    own = Append(thread_id, entries, version, title=name, keep=MOST_TURNS)
    [summary] = await records.append_entries(scope, [own])
    if former:
        await delete_former_turns(records, scope, key)
    if is_new:
        await _forget_oldest(records, scope)
    return summary.count


async def _forget_oldest(records: Records, scope: Scope) -> None:
    """Delete the conversations of the user that were silent longest, beyond those remembered."""
    known = await records.list_threads(scope, _PREFIX, limit=2 * MOST_CONVERSATIONS)
    if stale := [one.id for one in known[MOST_CONVERSATIONS:]]:
        await records.delete_threads(scope, stale)


def owned_prefix(prefix: str, scope: Scope) -> str:
    """Return how the ids of a persona's threads start: what it was told no other hears."""
    whose = json.dumps([personas_as_json(scope.personas), scope.sees_all])
    return f"{prefix}{hashlib.sha256(whose.encode()).hexdigest()}/"


def owned_thread_id(prefix: str, scope: Scope, name: str) -> str:
    """Return under which id the store keeps a thread that its user, as these personas, names so."""
    return owned_prefix(prefix, scope) + hashlib.sha256(name.encode()).hexdigest()


def _thread_id(scope: Scope, name: str) -> str:
    return owned_thread_id(_PREFIX, scope, name)


def _former_key(scope: Scope, name: str) -> str:
    """Return what a conversation was known by before it was a thread of its own.

    A caller with several personas asked as none of them then.
    """
    persona = next(iter(scope.personas)) if len(scope.personas) == 1 else None
    whose = json.dumps([persona, scope.sees_all, name])
    return hashlib.sha256(whose.encode()).hexdigest()


def _entry(turn: Turn) -> ThreadEntry:
    return ThreadEntry(turn.role, json.dumps(turn.text, ensure_ascii=False))


def _turn(entry: ThreadEntry) -> Turn | None:
    """Read an entry; one that cannot be read is as if it had not been said."""
    try:
        role, text = Role(entry.kind), json.loads(entry.body)
    except (ValueError, RecursionError):
        return None
    return Turn(role, text) if isinstance(text, str) else None
