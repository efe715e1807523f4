"""What was remembered before threads had entries is still known, and moves on when it is used."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from sextant.ask.conversations.turns import (
    append_turns,
    forget_turns,
    list_conversations,
    read_turns,
)
from sextant.build import open_sextant
from sextant.ports import Store
from sextant.settings import Settings
from sextant.types import Role, Scope, Thread, Turn

ANN = Scope(user="ann")
SRE = replace(ANN, personas=frozenset({"sre"}))
SAID = (Turn(Role.USER, "What is Harbor Queue?"), Turn(Role.ASSISTANT, "A queue."))
MORE = (Turn(Role.USER, "Who owns it?"), Turn(Role.ASSISTANT, "Team Keel."))


def with_store(task: Callable[[Store], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with await open_sextant(Settings(store="memory:", embedder="tiny:8")) as core:
            await task(core.store)

    asyncio.run(run())


def key_of(scope: Scope, name: str) -> str:
    whose = json.dumps([next(iter(scope.personas), None), scope.sees_all, name])
    return hashlib.sha256(whose.encode()).hexdigest()


def state_of(key: str) -> str:
    return json.dumps({"of": key, "turns": [[turn.role, turn.text] for turn in SAID]})


async def keep_as_before(store: Store, scope: Scope, name: str, state: str = "") -> None:
    """Write a conversation as versions before entries did."""
    key = key_of(scope, name)
    await store.records.save_thread(
        scope, Thread("conversations", json.dumps({"other": 0, key: 1}))
    )
    await store.records.save_thread(scope, Thread("conversation:1", state or state_of(key)))


def test_a_conversation_of_before_is_known_to_whoever_had_it() -> None:
    async def task(store: Store) -> None:
        await keep_as_before(store, SRE, "c1")
        assert await read_turns(store.records, SRE, "c1") == SAID
        for other, name in (
            (ANN, "c1"),
            (SRE, "c2"),
            (Scope(user="bob", personas=frozenset({"sre"})), "c1"),
        ):
            assert await read_turns(store.records, other, name) == ()

    with_store(task)


def test_one_that_is_spoken_in_again_goes_on_where_it_was_and_is_listed() -> None:
    async def task(store: Store) -> None:
        await keep_as_before(store, ANN, "c1")
        assert await append_turns(store.records, ANN, "c1", MORE) == 4
        assert await read_turns(store.records, ANN, "c1") == (*SAID, *MORE)
        assert not await store.records.threads(ANN, ["conversation:1"])
        assert [one.title for one in await list_conversations(store.records, ANN)] == ["c1"]
        await forget_turns(store.records, ANN, "c1")
        assert await read_turns(store.records, ANN, "c1") == ()

    with_store(task)


def test_many_who_speak_in_it_at_once_take_it_over_once() -> None:
    async def task(store: Store) -> None:
        await keep_as_before(store, ANN, "c1")
        each = [Turn(Role.USER, f"And {at}?") for at in range(8)]
        await asyncio.gather(*(append_turns(store.records, ANN, "c1", [turn]) for turn in each))
        turns = await read_turns(store.records, ANN, "c1")
        assert turns[:2] == SAID
        assert sorted(turn.text for turn in turns[2:]) == [turn.text for turn in each]

    with_store(task)


def test_what_is_forgotten_is_gone_in_the_former_place_too() -> None:
    async def task(store: Store) -> None:
        await keep_as_before(store, ANN, "c1")
        await forget_turns(store.records, ANN, "c2")
        assert await read_turns(store.records, ANN, "c1") == SAID
        await forget_turns(store.records, ANN, "c1")
        assert await read_turns(store.records, ANN, "c1") == ()
        assert not await store.records.threads(ANN, ["conversation:1"])

    with_store(task)


@pytest.mark.parametrize(
    "state", ["x", "[]", '{"turns": 3}', '{"of": "another", "turns": [["user", "x"]]}']
)
def test_a_state_that_cannot_be_read_is_as_if_nothing_had_been_said(state: str) -> None:
    async def task(store: Store) -> None:
        await keep_as_before(store, ANN, "c1", state)
        assert await read_turns(store.records, ANN, "c1") == ()

    with_store(task)


@pytest.mark.parametrize("state", ["x", "[]", '{"a": []}', '{"a": "b"}', "null"])
def test_a_list_of_places_that_cannot_be_read_is_as_if_nobody_had_spoken(state: str) -> None:
    async def task(store: Store) -> None:
        await store.records.save_thread(ANN, Thread("conversations", state))
        assert not await read_turns(store.records, ANN, "a")
        await append_turns(store.records, ANN, "a", MORE)
        assert await read_turns(store.records, ANN, "a") == MORE

    with_store(task)
