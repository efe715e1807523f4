"""Of all the conversations of a user the last ones are remembered, and the rest takes no room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.conversation import append_turns, forget_turns, read_turns
from sextant.ask.recalling import places
from sextant.build import open_sextant
from sextant.ports import Store
from sextant.settings import Settings
from sextant.types import OPERATOR, Role, Scope, Turn

ANN, BOB = Scope(user="ann"), Scope(user="bob")
ALL = Scope(roles=frozenset({OPERATOR}))


def with_store(task: Callable[[Store], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with await open_sextant(Settings(store="memory:", embedder="tiny:8")) as core:
            await task(core.store)

    asyncio.run(run())


async def say(store: Store, scope: Scope, name: str) -> None:
    await append_turns(store.records, scope, name, [Turn(Role.USER, f"Said in {name}.")])


async def rows(store: Store) -> list[str]:
    return [line async for line in store.admin.dump(ALL)]


def test_the_last_conversations_are_remembered_in_so_many_rows() -> None:
    async def task(store: Store) -> None:
        await say(store, BOB, "his")
        for at in range(places.MOST + 30):
            await say(store, ANN, f"c{at}")
            await say(store, ANN, "dear")
        assert len(await rows(store)) == 2 + 1 + places.MOST
        assert len(await read_turns(store.records, ANN, "dear")) == 20
        assert await read_turns(store.records, BOB, "his")
        assert not await read_turns(store.records, ANN, "c30")
        for at in range(31, places.MOST + 30):
            assert [one.text for one in await read_turns(store.records, ANN, f"c{at}")] == [
                f"Said in c{at}."
            ]

    with_store(task)


def test_what_is_forgotten_leaves_its_place_to_the_next() -> None:
    async def task(store: Store) -> None:
        for name in ("a", "b", "c"):
            await say(store, ANN, name)
        before = await rows(store)
        await forget_turns(store.records, ANN, "b")
        await forget_turns(store.records, ANN, "never was")
        assert "Said in b" not in str(await rows(store))
        assert not await read_turns(store.records, ANN, "b")
        await say(store, ANN, "d")
        assert len(await rows(store)) == len(before)
        for name in ("a", "c", "d"):
            assert [one.text for one in await read_turns(store.records, ANN, name)] == [
                f"Said in {name}."
            ]

    with_store(task)


@given(st.lists(st.tuples(st.sampled_from("abcdefg"), st.booleans()), max_size=30))
def test_nobody_reads_in_a_place_what_another_conversation_left_there(
    said: list[tuple[str, bool]],
) -> None:
    async def task(store: Store) -> None:
        living: dict[str, int] = {}
        for name, is_forgotten in said:
            if is_forgotten:
                living.pop(name, None)
                await forget_turns(store.records, ANN, name)
            else:
                living[name] = living.pop(name, 0) + 1
                await say(store, ANN, name)
            living = dict(list(living.items())[-3:])
        for name in "abcdefg":
            turns = await read_turns(store.records, ANN, name)
            assert [one.text for one in turns] == [f"Said in {name}."] * living.get(name, 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "MOST", 3)
        with_store(task)


def test_many_conversations_begun_at_once_do_not_share_a_place() -> None:
    async def task(store: Store) -> None:
        names = [f"c{at}" for at in range(12)]
        await asyncio.gather(*(say(store, ANN, name) for name in names))
        for name in names:
            assert [one.text for one in await read_turns(store.records, ANN, name)] == [
                f"Said in {name}."
            ]

    with_store(task)


@pytest.mark.parametrize("state", ["x", "[]", '{"a": []}', '{"a": "b"}', "null"])
def test_a_list_of_places_that_cannot_be_read_is_as_if_nobody_had_spoken(state: str) -> None:
    async def task(store: Store) -> None:
        await say(store, ANN, "a")
        index = (await store.records.threads(ANN, ["conversations"]))["conversations"]
        await store.records.save_thread(ANN, replace(index, state=state))
        assert not await read_turns(store.records, ANN, "a")
        await say(store, ANN, "b")
        assert len(await read_turns(store.records, ANN, "b")) == 1

    with_store(task)
