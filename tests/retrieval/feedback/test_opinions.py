"""Feedback: bounded, reversible, replayable, and no window into what one may not see."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import InvalidInput, NotFound
from sextant.ports import Store
from sextant.retrieval.feedback.earned import BY_FEEDBACK, BY_USE, Standing
from sextant.retrieval.feedback.folding import Folded
from sextant.retrieval.feedback.opinions import Opinion, OpinionOn, record
from sextant.retrieval.feedback.shown import read, shown_in
from sextant.types import (
    Chunk,
    Document,
    Feedback,
    Json,
    Put,
    Remove,
    Scope,
    Scores,
    Step,
    Trace,
)
from tests.retrieval import opened

T = TypeVar("T")
ANN, BOB, NOBODY = Scope("acme", user="ann"), Scope("acme", user="bob"), Scope("acme")
LONG = "x" * 999
DOCUMENTS = [Document(name) for name in ("a", "b", "c/d.md", LONG)]
SECRET = Document("secret", personas=frozenset({"audit"}))


def with_store(task: Callable[[Store], Awaitable[T]]) -> T:
    async def run(store: Store) -> T:
        for tenant in ("acme", "other"):
            puts = [Put(one, (Chunk(f"{one.id[:9]}#c", "text"),)) for one in [*DOCUMENTS, SECRET]]
            await store.truth.write(Scope(tenant), puts)
        return await task(store)

    return opened.with_store(run)


def folded(items: list[Feedback]) -> Standing:
    return Folded().fold(numbered(items))


def numbered(items: list[Feedback]) -> list[Feedback]:
    return [
        Feedback(one.subject, one.verdict, one.user, number=at) for at, one in enumerate(items, 1)
    ]


SUBJECTS = ["document:a", "document:b", "answer:1/document:a", "answer:2/document:a", "answer:1"]
words = st.builds(
    Feedback,
    st.sampled_from([*SUBJECTS, "shown:document:a", "shown:answer:1/document:a", "?"]),
    st.sampled_from([*Opinion, "[10, -20, 0, 500]", "[-900, 3, 0, 1]", "nonsense"]),
    st.sampled_from(["", "ann", "bob", "cid"]),
)
histories = st.lists(words, max_size=40)


@given(histories)
def test_feedback_moves_a_reputation_within_bounds(items: list[Feedback]) -> None:
    standing = folded(items)
    for reputation in (0.0, 0.5, 1.0):
        moved = standing.reputation(Document("a", reputation=reputation))
        assert 0.0 <= moved <= 1.0
        assert abs(moved - reputation) <= BY_FEEDBACK + BY_USE <= 0.2 + 1e-9


@given(histories)
def test_taking_back_all_words_leaves_nothing(items: list[Feedback]) -> None:
    back = [Feedback(one.subject, "withdrawn", one.user) for one in items]
    spoken = [one for one in back if not one.subject.startswith("shown:")]
    standing = folded([*items, *spoken])
    assert not standing.tallies
    assert not standing.leanings


@given(histories, words.filter(lambda one: not one.subject.startswith("shown:")))
def test_a_word_of_somebody_new_is_undone_by_taking_it_back(
    items: list[Feedback], word: Feedback
) -> None:
    new = Feedback(word.subject, word.verdict, "newcomer")
    undone = Feedback(word.subject, "withdrawn", "newcomer")
    before, after = folded(items), folded([*items, new, undone])
    assert (after.tallies, after.leanings) == (before.tallies, before.leanings)


@given(histories, st.randoms(use_true_random=False))
def test_the_order_in_which_different_users_speak_changes_nothing(
    items: list[Feedback], random: object
) -> None:
    users = sorted({one.user for one in items})
    random.shuffle(users)  # type: ignore[attr-defined]
    regrouped = [one for user in users for one in items if one.user == user]
    one, other = folded(items), folded(regrouped)
    assert (one.tallies, one.leanings) == (other.tallies, other.leanings)


@given(histories, st.lists(st.integers(0, 40)))
def test_folding_in_pieces_gives_what_folding_at_once_gives(
    items: list[Feedback], cuts: list[int]
) -> None:
    all_items, pieces = numbered(items), Folded()
    for cut in sorted(cuts):
        pieces.fold(all_items[:cut])
    assert pieces.fold(all_items) == folded(items)


@given(histories)
def test_each_user_has_one_voice_on_a_document_and_the_nameless_share_one(
    items: list[Feedback],
) -> None:
    for tally in folded(items).tallies.values():
        assert 0 < tally.helpful + tally.unhelpful <= 4


def test_of_too_many_words_the_oldest_no_longer_count() -> None:
    items = [Feedback(f"document:{at}", "helpful", "ann") for at in range(10)]
    standing = Folded(most=3).fold(numbered(items))
    assert sorted(standing.tallies) == ["7", "8", "9"]


def test_a_word_on_a_document_counts_and_the_latest_of_a_user_stands() -> None:
    async def task(store: Store) -> list[float]:
        steps, memory = [], Folded()
        for scope, verdict in (
            (ANN, "helpful"),
            (BOB, "helpful"),
            (ANN, "unhelpful"),
            (NOBODY, "helpful"),
            (NOBODY, "helpful"),
            (ANN, "withdrawn"),
        ):
            await record(store, scope, OpinionOn("document:a", verdict))
            steps.append((await memory.standing(store.records, scope)).reputation(Document("a")))
        return steps

    assert with_store(task) == pytest.approx([0.53, 0.55, 0.5, 0.521429, 0.521429, 0.55])


def test_a_word_on_an_answer_counts_for_each_document_that_it_cites() -> None:
    async def task(store: Store) -> Standing:
        cites = ("a", "c/d.md", LONG, "gone", "secret", "a")
        await record(store, ANN, OpinionOn("answer:42", "helpful", "thanks", cites=cites))
        log = await store.records.feedback(ANN)
        assert [one.comment for one in log] == ["", "", "", "thanks"]
        return await Folded().standing(store.records, ANN)

    standing = with_store(task)
    assert [standing.tally(name).helpful for name in ("a", "c/d.md", LONG)] == [1, 1, 1]
    assert [standing.tally(name).helpful for name in ("b", "secret", "gone")] == [0, 0, 0]


def test_reading_on_gives_the_standing_that_reading_all_anew_gives() -> None:
    async def task(store: Store) -> None:
        memory = Folded()
        for at in range(12):
            verdict = list(Opinion)[at % 3]
            scope = (ANN, BOB, NOBODY)[at % 2]
            await record(store, scope, OpinionOn(f"document:{'ab'[at % 2]}", verdict))
            standing = await memory.standing(store.records, ANN)
            assert standing == await Folded().standing(store.records, ANN)
            assert standing.number == at + 1

    with_store(task)


def test_several_tasks_may_fold_at_once() -> None:
    async def task(store: Store) -> None:
        items = [Feedback(f"document:{at % 7}", "helpful", f"u{at}") for at in range(2_500)]
        await store.records.append_feedback(ANN, items)
        memory = Folded()
        all_of_them = await asyncio.gather(*(memory.standing(store.records, ANN) for _ in range(5)))
        assert {one.number for one in all_of_them} == {2_500}
        assert all_of_them[0] == await Folded().standing(store.records, ANN)

    with_store(task)


def test_a_tenants_words_stay_with_the_tenant() -> None:
    async def task(store: Store) -> None:
        await record(store, ANN, OpinionOn("document:a", "helpful"))
        assert await Folded().standing(store.records, Scope("other")) == Standing()

    with_store(task)


def test_a_document_that_one_may_not_see_is_refused_like_one_that_is_not_there() -> None:
    async def task(store: Store) -> list[str]:
        said = []
        for name in ("secret", "missing"):
            with pytest.raises(NotFound) as refusal:
                await record(store, ANN, OpinionOn(f"document:{name}", "helpful"))
            said.append(str(refusal.value))
        auditor = Scope("acme", personas=frozenset({"audit"}), user="ann")
        assert await record(store, auditor, OpinionOn("document:secret", "helpful")) == 1
        return said

    first, second = with_store(task)
    assert first == second


def test_a_word_on_a_document_that_is_gone_can_be_taken_back() -> None:
    async def task(store: Store) -> None:
        await record(store, ANN, OpinionOn("answer:1", "unhelpful", cites=("a", "b")))
        await store.truth.write(ANN, [Remove("a")])
        await record(store, ANN, OpinionOn("answer:1", "withdrawn", cites=("a", "b")))
        assert not (await Folded().standing(store.records, ANN)).tallies

    with_store(task)


@pytest.mark.parametrize(
    "said",
    [
        OpinionOn("document:a", "great"),
        OpinionOn("document:", "helpful"),
        OpinionOn("answer:", "helpful"),
        OpinionOn("answer:1/document:a", "helpful"),
        OpinionOn("shown:document:a", "helpful"),
        OpinionOn("a", "helpful"),
        OpinionOn("", "helpful"),
        OpinionOn("document:a", "helpful", at=datetime(2026, 1, 1)),
    ],
)
def test_what_is_no_feedback_is_refused_and_nothing_is_kept(said: OpinionOn) -> None:
    async def task(store: Store) -> None:
        with pytest.raises(InvalidInput):
            await record(store, ANN, said)
        assert not await store.records.feedback(ANN)

    with_store(task)


SHOWN = {"a": Scores(0.5, 1.0, 0.5, 0.5, 0.625), "b": Scores(0.5, 0.0, 0.5, 0.7, 0.425)}


def test_how_a_source_scored_is_kept_with_the_word_in_thousandths_above_the_mean() -> None:
    async def task(store: Store) -> Standing:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        await record(store, ANN, OpinionOn("document:a", "helpful", at=at, shown=SHOWN))
        return await Folded().standing(store.records, ANN)

    leaning = with_store(task).leanings["ann"]
    assert (leaning.leads, leaning.words) == ((0, 500, 0, -100), 1)


def test_what_nobody_in_particular_was_shown_is_not_kept() -> None:
    async def task(store: Store) -> None:
        assert await record(store, NOBODY, OpinionOn("document:a", "helpful", shown=SHOWN)) == 1

    with_store(task)


def test_what_was_shown_is_read_from_a_trace_and_what_is_none_is_passed_over() -> None:
    rows: list[Json] = [
        {"document": "a", "scores": [0.5, 1, 0.25, 2], "total": 0.5},
        {"document": "a", "scores": [0.9, 1, 0.25, 2], "total": 0.4},
        {"document": "b", "scores": [0.5, 1, "x", 0], "total": 0.5},
        {"document": 7, "scores": [0, 0, 0, 0], "total": 0},
        {"document": "c", "scores": [0, 0, 0], "total": 0},
        {"document": "d", "scores": [0, 0, 0, float("nan")], "total": 0},
        "e",
    ]
    steps = (Step("rank", {"hits": rows}), Step("rank", {"hits": "all"}), Step("rank"))
    assert shown_in(Trace("", 0, steps)) == {"a": Scores(0.5, 1, 0.25, 1, 0.5)}


@pytest.mark.parametrize(
    "text", ["", "[]", "[1,2,3]", "{}", "null", "[1,2,3,1e999]", "[1,2,3,4000]", "[" * 9_999]
)
def test_scores_that_cannot_be_read_are_none(text: str) -> None:
    assert read(text) is None
