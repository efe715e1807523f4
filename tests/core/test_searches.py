"""A search that is remembered is the search itself, whatever happened in between."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.ask.question import Question
from sextant.ask.record.fields import record_fields
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import EmbedderError
from sextant.ports import Embedder, Purpose, Store
from sextant.query import TagsAny
from sextant.retrieval.events import Event
from sextant.retrieval.feedback.opinions import OpinionOn
from sextant.retrieval.profiles.saved import Profile
from sextant.retrieval.recorder import Budget
from sextant.settings import AskSettings, Settings
from sextant.types import (
    OPERATOR,
    Change,
    Chunk,
    Document,
    EmbedderIdentity,
    Put,
    Ranked,
    Remove,
    Scope,
    Weights,
)
from tests.ask.model_steps.playing import playing, with_model

NOW = datetime(2026, 10, 31, tzinfo=UTC)
NOBODY, ANN = Scope(), Scope(user="ann")
SCOPES = (
    NOBODY,
    ANN,
    Scope(personas=frozenset({"sre"})),
    Scope(personas=frozenset({"sre", "hr"})),
    Scope(roles=frozenset({OPERATOR})),
    Scope("globex"),
)
OWNERS = tuple(scope for scope in SCOPES if len(scope.personas) <= 1)
"""Those for whom a profile can be saved."""
WORDS = ("harbor queue", "letters", "team keel")


class Counting:
    """An embedder that counts how often it is asked, and fails when told to."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.asked, self.fails = 0, False

    @property
    def identity(self) -> EmbedderIdentity:
        return self._embedder.identity

    async def embed(self, texts: Any, purpose: Purpose) -> Any:
        self.asked += purpose == "query"
        if self.fails:
            raise EmbedderError("It is gone.", "Open it again.")
        return await self._embedder.embed(texts, purpose)

    async def close(self) -> None:
        await self._embedder.close()


@dataclass
class Pair:
    """The same store behind a Sextant that remembers searches, and behind one that does not."""

    core: Sextant
    bare: Sextant
    embedder: Counting

    async def same(self, scope: Scope, question: Question) -> Ranked:
        """Search both ways, and see that nobody could tell which was which."""
        heard: tuple[list[Event], list[Event]] = ([], [])
        found = await self.core.search(scope, question, heard[0].append)
        again = await self.bare.search(scope, question, heard[1].append)
        assert _told(found) == _told(again)
        assert heard[0] == heard[1]
        return found

    async def is_known(self, scope: Scope, question: Question) -> bool:
        """Whether a search is answered without looking for it."""
        before = self.embedder.asked
        await self.core.search(scope, question)
        return self.embedder.asked == before


def _told(ranked: Ranked) -> dict[str, Any]:
    return {name: value for name, value in record_fields(ranked).items() if name != "timing"}


def put(name: str, text: str, *personas: str) -> Put:
    document = Document(name, name.title(), personas=frozenset(personas), modified=NOW)
    return Put(document, (Chunk(f"{name}#1", text),))


def with_pair(
    task: Callable[[Pair], Coroutine[Any, Any, None]], most: int = 8, chosen: Settings | None = None
) -> None:
    async def run() -> None:
        chosen_settings = chosen or Settings(store="memory:", embedder="tiny:16")
        async with await open_sextant(chosen_settings) as built:
            counting = Counting(built.embedder)
            core = replace_core(built, counting, most)
            await task(Pair(core, replace_core(built, counting, 0), counting))

    asyncio.run(run())


def replace_core(built: Sextant, embedder: Embedder, most: int) -> Sextant:
    return Sextant(built.store, embedder, built.settings, cached_searches=most)


async def filled(pair: Pair) -> None:
    await pair.core.write(
        NOBODY,
        [
            put("queue", "Harbor Queue is owned by Team Keel."),
            put("vault", "Vault Zeta keeps letters.", "sre"),
        ],
    )


def test_the_same_search_is_not_done_twice() -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        question = Question("Who owns Harbor Queue?", now=NOW)
        found = await pair.same(NOBODY, question)
        assert await pair.is_known(NOBODY, question)
        assert await pair.same(NOBODY, question) == found

    with_pair(task)


@pytest.mark.parametrize(
    "other",
    [
        Question("Who owns Harbor Queue!", now=NOW),
        Question("Who owns Harbor Queue?", now=NOW, k=3),
        Question("Who owns Harbor Queue?", now=NOW, candidates=3),
        Question("Who owns Harbor Queue?", now=NOW, locale="de"),
        Question("Who owns Harbor Queue?", now=NOW, weights=Weights(1, 0, 0, 0)),
        Question("Who owns Harbor Queue?", now=datetime(2026, 11, 1, tzinfo=UTC)),
        Question("Who owns Harbor Queue?"),
    ],
)
def test_another_question_is_another_search(other: Question) -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        await pair.same(NOBODY, Question("Who owns Harbor Queue?", now=NOW))
        assert not await pair.is_known(NOBODY, other)

    with_pair(task)


def test_another_vector_is_another_search() -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        one, other = np.eye(16, dtype=np.float32)[:2]
        found = [
            await pair.same(NOBODY, Question("zzz", now=NOW, vector=vector))
            for vector in (one, other, one)
        ]
        scores = [[hit.legs.vector for hit in ranked.hits] for ranked in found]
        assert scores[0] == scores[2] != scores[1]

    with_pair(task)


@pytest.mark.parametrize("scope", SCOPES[1:])
def test_nobody_is_given_what_somebody_else_looked_for(scope: Scope) -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        question = Question("What keeps letters?", now=NOW)
        await pair.same(NOBODY, question)
        assert not await pair.is_known(scope, question)

    with_pair(task)


@pytest.mark.parametrize(
    "asked",
    [
        (Question("Who owns Harbor Queue?", now=NOW, budget=Budget(10_000)), AskSettings()),
        (Question("Who owns Harbor Queue?", now=NOW), AskSettings(count_use=True)),
    ],
)
def test_what_a_clock_or_use_takes_part_in_is_never_kept(
    asked: tuple[Question, AskSettings],
) -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        await pair.core.search(NOBODY, asked[0])
        assert not await pair.is_known(NOBODY, asked[0])

    with_pair(task, chosen=Settings(store="memory:", embedder="tiny:16", ask=asked[1]))


@pytest.mark.parametrize("more", [{"rephrase": True}, {"rerank": True}, {}])
def test_what_a_model_takes_part_in_is_never_kept(more: dict[str, Any]) -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        core = with_model(pair.core, playing())
        question = Question("Who owns Harbor Queue?", now=NOW, **more)
        found = await core.search(NOBODY, question)
        before = pair.embedder.asked
        assert await core.search(NOBODY, question) == found
        assert (pair.embedder.asked > before) == bool(more)

    with_pair(task)


def test_what_was_found_without_the_embedder_is_not_kept() -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        question = Question("Who owns Harbor Queue?", now=NOW)
        pair.embedder.fails = True
        await pair.core.search(NOBODY, question)
        pair.embedder.fails = False
        assert not (await pair.same(NOBODY, question)).trace.steps[2].fallback

    with_pair(task)


def test_of_too_many_searches_the_oldest_are_done_again() -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        asked = [Question(f"Harbor Queue {at}?", now=NOW) for at in range(3)]
        for question in (asked[0], asked[1], asked[0], asked[2]):
            await pair.same(NOBODY, question)
        known = [await pair.is_known(NOBODY, asked[at]) for at in (0, 2, 1)]
        assert known == [True, True, False]

    with_pair(task, most=2)


def test_a_search_that_found_much_is_not_kept() -> None:
    async def task(pair: Pair) -> None:
        text = "Harbor Queue is owned by Team Keel. " * 100
        await pair.core.write(NOBODY, [put(f"d{at}", f"{text} {at}") for at in range(30)])
        long, short = Question("Harbor Queue", now=NOW, k=25), Question("Team Keel", now=NOW, k=5)
        assert len((await pair.same(NOBODY, long)).hits) > 20
        assert not await pair.is_known(NOBODY, long)
        await pair.same(NOBODY, short)
        assert await pair.is_known(NOBODY, short)

    with_pair(task, most=8)


def test_searches_that_found_a_lot_push_each_other_out() -> None:
    async def task(pair: Pair) -> None:
        text = "Harbor Queue is owned by Team Keel. " * 100
        await pair.core.write(NOBODY, [put(f"d{at}", f"{text} {at}") for at in range(30)])
        asked = [Question(f"Harbor Queue {at}", now=NOW, k=10) for at in range(8)]
        for question in asked:
            await pair.same(NOBODY, question)
        assert await pair.is_known(NOBODY, asked[7])
        assert not await pair.is_known(NOBODY, asked[0])

    with_pair(task, most=8)


@pytest.mark.parametrize("store", ["memory:", "sqlite:"])
def test_a_long_filter_takes_no_memory(store: str, tmp_path: Path) -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        await pair.core.search(NOBODY, Question("Harbor Queue", now=NOW))
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for at in range(8):
            await pair.core.search(NOBODY, _filtered(at))
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert after - before < 800_000

    where = f"{store}{tmp_path}" if store == "sqlite:" else store
    with_pair(task, chosen=Settings(store=where, embedder="tiny:16"))


def _filtered(at: int) -> Question:
    tags = TagsAny(tuple(f"{at}-{number}-{'x' * 200}" for number in range(1_000)))
    return Question(f"Harbor {at}", now=NOW, filter=tags)


class Meddling:
    """The index of a store in which somebody else writes while a search is under way."""

    def __init__(self, store: Store, change: Change) -> None:
        self._store, self._change = store, change
        self.meddles = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store.index, name)

    async def search(self, scope: Scope, query: Any) -> Any:
        found = await self._store.index.search(scope, query)
        if self.meddles:
            self.meddles = False
            await self._store.truth.write(scope, [self._change])
        return found


def test_a_search_during_which_somebody_wrote_is_not_kept() -> None:
    async def task(pair: Pair) -> None:
        await filled(pair)
        index: Any = Meddling(pair.core.store, put("pier", "Harbor Queue is a pier."))
        store = replace(pair.core.store, index=index)
        core = Sextant(store, pair.embedder, pair.core.settings, cached_searches=8)
        index.meddles = True
        question = Question("What is Harbor Queue?", now=NOW)
        await core.search(NOBODY, question)
        before = pair.embedder.asked
        await core.search(NOBODY, question)
        assert pair.embedder.asked > before

    with_pair(task)


def test_what_another_process_wrote_is_found_at_the_next_search(tmp_path: Any) -> None:
    async def run() -> None:
        chosen = Settings(store=f"sqlite:{tmp_path}/s", embedder="tiny:16")
        question = Question("What keeps letters?", now=NOW)
        async with (
            await open_sextant(chosen, cached_searches=8) as core,
            await open_sextant(chosen) as other,
        ):
            await core.write(NOBODY, [put("queue", "Harbor Queue keeps messages.")])
            await core.search(NOBODY, question)
            await other.write(NOBODY, [put("vault", "Vault Zeta keeps letters.")])
            found = await core.search(NOBODY, question)
            assert {hit.passage.document.id for hit in found.hits} == {"queue", "vault"}
            before = [hit.scores.reputation for hit in found.hits]
            await other.feedback(ANN, OpinionOn("document:vault", "helpful", at=NOW))
            after = await core.search(NOBODY, question)
            assert [hit.scores.reputation for hit in after.hits] != before
            await other.save_profile(NOBODY, Profile("fresh", Weights(0, 1, 0, 0), default=True))
            ranked = (await core.search(NOBODY, question)).trace.step("rank")
            assert ranked is not None
            assert ranked.facts["origin"] == "profile fresh"

    asyncio.run(run())


names = st.sampled_from(("a", "b", "c"))
changes = st.builds(
    lambda name, word, own: put(name, f"The {word} is here.", *own),
    names,
    st.sampled_from(WORDS),
    st.sampled_from(((), ("sre",))),
) | st.builds(Remove, names)
deeds = st.one_of(
    st.tuples(st.just("write"), st.sampled_from((NOBODY, SCOPES[4])), changes),
    st.tuples(st.just("feedback"), st.sampled_from((ANN, NOBODY)), names),
    st.tuples(st.just("profile"), st.sampled_from(OWNERS), st.integers(0, 2)),
    st.tuples(st.just("search"), st.sampled_from(SCOPES), st.sampled_from(WORDS)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(deeds, min_size=4, max_size=24), st.integers(1, 4))
def test_whatever_happens_nobody_can_tell_that_searches_are_remembered(
    happening: list[tuple[str, Scope, Any]], most: int
) -> None:
    async def task(pair: Pair) -> None:
        for deed, scope, what in happening:
            match deed:
                case "write":
                    await pair.core.write(scope, [what])
                case "feedback" if await pair.core.store.truth.chunk_ids(scope, [what]):
                    await pair.core.feedback(
                        scope, OpinionOn(f"document:{what}", "helpful", at=NOW)
                    )
                case "profile":
                    weights = Weights(1, what, 1, 1)
                    await pair.core.save_profile(scope, Profile("own", weights, default=True))
                case _:
                    asked = what if isinstance(what, str) else WORDS[0]
                    await pair.same(scope, Question(asked, now=NOW))
        for word in WORDS:
            await pair.same(NOBODY, Question(word, now=NOW))

    with_pair(task, most)
