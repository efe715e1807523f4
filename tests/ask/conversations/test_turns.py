"""What was said before is known again, to whoever said it and to nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.conversations.turns import (
    LONGEST_TURN,
    MOST_CHARACTERS,
    MOST_CONVERSATIONS,
    MOST_TURNS,
    append_turns,
    forget_turns,
    list_conversations,
    read_turns,
    shortened,
)
from sextant.ask.question import Question
from sextant.ask.record.fields import digest_of
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import Conflict, InvalidInput, StoreFull, TooLarge
from sextant.ports import Records, Store
from sextant.retrieval.events import Event, StepEnded
from sextant.settings import Rule, Settings
from sextant.types import (
    OPERATOR,
    Answer,
    Append,
    Role,
    Scope,
    ThreadEntry,
    Turn,
)
from tests.ingest.folders import Tree, Workplace, workplace

ANN, BOB = Scope(user="ann"), Scope(user="bob")
TREE: Tree = {
    "queue.md": "# Harbor Queue\n\nHarbor Queue is owned by Team Keel. It keeps messages.\n",
    "vault.md": "# Vault Zeta\n\nVault Zeta is owned by Team Mallow. It keeps letters.\n",
    "secret/pier.md": "# Pier Omega\n\nPier Omega is owned by Team Reef. It keeps boats.\n",
}
Task = Callable[[Workplace], Coroutine[Any, Any, None]]


def in_place(task: Task) -> None:
    async def run() -> None:
        async with workplace(Rule("docs/secret/**", personas=("sre",))) as place:
            await place.take_in(TREE)
            await task(place)

    asyncio.run(run())


def resolved(answer: Answer) -> object:
    step = answer.trace.step("resolve")
    return step.facts["question"] if step else None


async def say(place: Workplace, scope: Scope, text: str, name: str = "c1", **more: Any) -> Answer:
    return await place.sextant.ask(scope, Question(text, conversation=name, **more))


def test_a_question_is_read_by_what_was_said_before_it() -> None:
    async def task(place: Workplace) -> None:
        await say(place, ANN, "What does Harbor Queue keep?")
        answer = await say(place, ANN, "And who owns it?")
        assert "Harbor Queue" in str(resolved(answer))
        assert "Team Keel" in answer.text
        turns = await place.sextant.conversation(ANN, "c1")
        assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT] * 2
        assert (turns[2].text, turns[3].text) == ("And who owns it?", answer.text)

    in_place(task)


def test_a_conversation_outlives_the_process_that_had_it() -> None:
    async def task(place: Workplace) -> None:
        await say(place, ANN, "What does Harbor Queue keep?")
        async with await open_sextant(place.sextant.settings) as other:
            answer = await other.ask(ANN, Question("And who owns it?", conversation="c1"))
        assert "Team Keel" in answer.text

    in_place(task)


@pytest.mark.parametrize(
    "other",
    [
        BOB,
        Scope(),
        replace(ANN, personas=frozenset({"sre"})),
        replace(ANN, personas=frozenset({"sre", "hr"})),
        replace(ANN, roles=frozenset({OPERATOR})),
        replace(ANN, tenant="globex"),
    ],
)
def test_nobody_else_hears_of_it_under_the_same_name(other: Scope) -> None:
    async def task(place: Workplace) -> None:
        await say(place, ANN, "What does Harbor Queue keep?")
        alone = await say(place, other, "And who owns it?", "c2")
        answer = await say(place, other, "And who owns it?")
        assert resolved(answer) == "And who owns it?"
        assert answer.text == alone.text
        own, apart = [await place.sextant.conversation(other, name) for name in ("c1", "c2")]
        assert [turn.text for turn in own] == [turn.text for turn in apart]
        assert not any("keep?" in turn.text for turn in own)

    in_place(task)


def test_what_a_persona_was_told_is_not_known_to_another_of_the_same_user() -> None:
    async def task(place: Workplace) -> None:
        sre = replace(ANN, personas=frozenset({"sre", "hr"}))
        assert "boats" in (await say(place, sre, "What does Pier Omega keep?")).text
        for other in (ANN, replace(ANN, personas=frozenset({"hr"}))):
            alone = await say(place, other, "And who owns it?", "c2")
            answer = await say(place, other, "And who owns it?")
            assert (answer.text, resolved(answer)) == (alone.text, resolved(alone))
            assert "Reef" not in answer.text
        again = replace(ANN, personas=frozenset({"hr", "sre"}))
        assert "Reef" in (await say(place, again, "And who owns it?")).text

    in_place(task)


def test_all_who_have_no_name_are_one_user() -> None:
    async def task(place: Workplace) -> None:
        await say(place, Scope(), "What does Harbor Queue keep?")
        assert "Team Keel" in (await say(place, Scope(), "And who owns it?")).text

    in_place(task)


def test_turns_that_come_with_a_question_go_first() -> None:
    async def task(place: Workplace) -> None:
        await say(place, ANN, "What does Harbor Queue keep?")
        given = (Turn(Role.USER, "What does Vault Zeta keep?"), Turn(Role.ASSISTANT, "Letters."))
        answer = await say(place, ANN, "And who owns it?", history=given)
        assert "Team Mallow" in answer.text
        assert len(await place.sextant.conversation(ANN, "c1")) == 4

    in_place(task)


def test_a_search_is_read_by_the_conversation_and_adds_nothing_to_it() -> None:
    async def task(place: Workplace) -> None:
        await say(place, ANN, "What does Harbor Queue keep?")
        before = await place.dump()
        found = await place.sextant.search(ANN, Question("Who owns it?", conversation="c1"))
        assert found.hits[0].passage.document.title == "Harbor Queue"
        assert await place.dump() == before

    in_place(task)


def test_whoever_hears_the_answer_may_go_on_at_once() -> None:
    async def task(place: Workplace) -> None:
        heard: list[Event] = []
        told: list[int] = []

        def hear(event: Event) -> None:
            heard.append(event)
            if isinstance(event, Answer):
                turns = event.trace.step("remember")
                told.append(int(str(turns.facts["turns"])) if turns else 0)

        question = Question("What does Harbor Queue keep?", conversation="c1")
        answer = await place.sextant.ask(ANN, question, hear)
        assert [one for one in heard if isinstance(one, Answer)] == [answer] == [heard[-1]]
        assert told == [2]
        assert [one.step.name for one in heard if isinstance(one, StepEnded)][-1] == "remember"
        ids = [one.id for one in heard if isinstance(one, StepEnded)]
        assert len(set(ids)) == len(ids)
        assert (await place.sextant.verify(ANN, answer, digest_of(answer))).ok

    in_place(task)


def test_many_who_speak_at_once_are_all_remembered() -> None:
    async def task(place: Workplace) -> None:
        asked = [f"What does Harbor Queue keep, for the {at}th time?" for at in range(6)]
        answers = await asyncio.gather(*(say(place, ANN, text) for text in asked))
        turns = await place.sextant.conversation(ANN, "c1")
        assert sorted(one.text for one in turns if one.role == Role.USER) == asked
        pairs = list(zip(turns[::2], turns[1::2], strict=True))
        known = {answer.question: answer.text for answer in answers}
        assert all(known[one.text] == other.text for one, other in pairs)

    in_place(task)


class Failing:
    """Records that do everything but append to threads."""

    def __init__(self, records: Records, error: Exception) -> None:
        self._records, self._error = records, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)

    async def append_entries(self, *_: object) -> None:
        raise self._error


@pytest.mark.parametrize(
    "error",
    [
        Conflict("Moved on.", "Read it again."),
        StoreFull("The disk is full.", "Free some."),
        TooLarge("Too many threads.", "Delete some."),
    ],
)
def test_an_answer_is_given_also_where_it_cannot_be_remembered(error: Exception) -> None:
    async def task(place: Workplace) -> None:
        core = place.sextant
        failing: Any = Failing(core.store.records, error)
        other = Sextant(replace(core.store, records=failing), core.embedder, core.settings)
        answer = await other.ask(ANN, Question("Who owns Harbor Queue?", conversation="c1"))
        assert "Team Keel" in answer.text
        step = answer.trace.step("remember")
        assert step is not None
        assert step.fallback.startswith("Not remembered")
        assert not await core.conversation(ANN, "c1")

    in_place(task)


def test_a_tenant_without_knowledge_is_not_made_to_have_a_conversation() -> None:
    async def task(place: Workplace) -> None:
        stranger = Scope("stranger", user="ann")
        answer = await say(place, stranger, "Who owns Harbor Queue?")
        step = answer.trace.step("remember")
        assert step is not None
        assert step.fallback
        await place.sextant.forget_conversation(stranger, "c1")
        assert "stranger" not in await place.sextant.store.admin.tenants()

    in_place(task)


def test_what_is_forgotten_is_gone() -> None:
    async def task(place: Workplace) -> None:
        await say(place, ANN, "What does Harbor Queue keep?")
        await place.sextant.forget_conversation(ANN, "c1")
        assert await place.sextant.conversation(ANN, "c1") == ()
        assert resolved(await say(place, ANN, "And who owns it?")) == "And who owns it?"

    in_place(task)


@pytest.mark.parametrize("user", ["sextant:profiles", "sextant:"])
def test_users_that_are_kept_for_the_house_are_refused(user: str) -> None:
    async def task(place: Workplace) -> None:
        scope, core = Scope(user=user), place.sextant
        for verb in (
            core.ask(scope, "Hi"),
            core.search(scope, "Hi"),
            core.conversation(scope, "c"),
        ):
            with pytest.raises(InvalidInput):
                await verb

    in_place(task)


def test_a_name_that_is_none_is_refused() -> None:
    async def task(place: Workplace) -> None:
        with pytest.raises(TooLarge):
            await say(place, ANN, "Who owns Harbor Queue?", "c" * 2_000)
        with pytest.raises(InvalidInput):
            await say(place, ANN, "Who owns Harbor Queue?", "\ud800")
        with pytest.raises(InvalidInput):
            await place.sextant.conversation(ANN, "")

    in_place(task)


turns = st.lists(
    st.builds(Turn, st.sampled_from(Role), st.text(st.characters(codec="utf-8"), max_size=20)),
    max_size=60,
)


@given(turns, st.integers(1, 30_000))
def test_however_much_is_said_the_last_of_it_is_remembered(said: list[Turn], longer: int) -> None:
    kept = shortened([replace(one, text=one.text * longer) for one in said])
    assert len(kept) <= MOST_TURNS
    assert sum(len(one.text) for one in kept) <= MOST_CHARACTERS
    assert [one.role for one in kept] == [one.role for one in said[len(said) - len(kept) :]]
    assert all(len(one.text) <= LONGEST_TURN for one in kept)
    assert bool(kept) == bool(said)


@given(turns)
def test_what_is_remembered_reads_as_it_was_said(said: list[Turn]) -> None:
    async def run() -> tuple[Turn, ...]:
        async with await open_sextant(Settings(store="memory:", embedder="tiny:8")) as core:
            for turn in said:
                await append_turns(core.store.records, ANN, "c1", [turn])
            return await read_turns(core.store.records, ANN, "c1")

    assert asyncio.run(run()) == shortened(said)


@pytest.mark.parametrize("body", ["3", "null", '["x"]', '{"text": "x"}'])
def test_an_entry_that_cannot_be_read_is_as_if_it_had_not_been_said(body: str) -> None:
    async def task(store: Store) -> None:
        await speak(store, ANN, "c1")
        [own] = await list_conversations(store.records, ANN)
        wrong = (ThreadEntry("user", body), ThreadEntry("king", '"x"'))
        await store.records.append_entries(ANN, [Append(own.id, wrong)])
        assert await read_turns(store.records, ANN, "c1") == (Turn(Role.USER, "Said in c1."),)

    with_store(task)


def with_store(task: Callable[[Store], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with await open_sextant(Settings(store="memory:", embedder="tiny:8")) as core:
            await task(core.store)

    asyncio.run(run())


async def speak(store: Store, scope: Scope, name: str) -> None:
    await append_turns(store.records, scope, name, [Turn(Role.USER, f"Said in {name}.")])


def test_the_last_conversations_of_a_user_are_remembered_and_the_rest_takes_no_room() -> None:
    async def task(store: Store) -> None:
        await speak(store, BOB, "his")
        for at in range(MOST_CONVERSATIONS + 30):
            await speak(store, ANN, f"c{at}")
            await speak(store, ANN, "dear")
        assert len(await store.records.list_threads(ANN, limit=1_000)) == MOST_CONVERSATIONS
        assert len(await read_turns(store.records, ANN, "dear")) == MOST_TURNS
        assert await read_turns(store.records, BOB, "his")
        assert not await read_turns(store.records, ANN, "c30")
        for at in range(31, MOST_CONVERSATIONS + 30):
            turns = await read_turns(store.records, ANN, f"c{at}")
            assert [one.text for one in turns] == [f"Said in c{at}."]
        lines = [line async for line in store.admin.dump(Scope(roles=frozenset({OPERATOR})))]
        # A row for each thread; entries are as many as are remembered.
        assert len(lines) == 2 * (MOST_CONVERSATIONS + 1) + MOST_TURNS - 1

    with_store(task)


def test_conversations_are_listed_to_whoever_had_them_the_last_first() -> None:
    async def task(store: Store) -> None:
        sre = replace(ANN, personas=frozenset({"sre"}))
        for scope, name in ((ANN, "a"), (sre, "secret"), (BOB, "his"), (ANN, "b"), (ANN, "a")):
            await speak(store, scope, name)
        found = await list_conversations(store.records, ANN)
        assert [(one.title, one.count) for one in found] == [("a", 2), ("b", 1)]
        after = await list_conversations(store.records, ANN, found[0].cursor, 1)
        assert [one.title for one in after] == ["b"]
        assert [one.title for one in await list_conversations(store.records, sre)] == ["secret"]
        await forget_turns(store.records, ANN, "a")
        assert [one.title for one in await list_conversations(store.records, ANN)] == ["b"]

    with_store(task)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), max_size=20))
def test_of_each_conversation_is_known_what_was_said_since_it_was_forgotten(
    said: list[tuple[str, bool]],
) -> None:
    async def task(store: Store) -> None:
        living: dict[str, int] = {}
        for name, is_forgotten in said:
            if is_forgotten:
                living.pop(name, None)
                await forget_turns(store.records, ANN, name)
            else:
                living[name] = living.get(name, 0) + 1
                await speak(store, ANN, name)
        for name in "abcd":
            turns = await read_turns(store.records, ANN, name)
            assert [one.text for one in turns] == [f"Said in {name}."] * living.get(name, 0)

    with_store(task)
