"""Knowledge of which some has no vectors yet is found and told of all the same, and openly."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.ask import flow
from sextant.ask.question import Means, Question
from sextant.ask.record.fields import record_fields
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import EmbedderError
from sextant.llms.tiny import Tiny
from sextant.retrieval.feedback.folding import Folded
from sextant.retrieval.recorder import Budget
from sextant.settings import AskSettings, Settings
from sextant.text.embedding import embed_chunks
from sextant.text.passages import embeddable
from sextant.text.words import Words
from sextant.types import Answer, Chunk, Document, Hit, Put, Ranked, Scope, Step, Trace

SCOPE = Scope()
THINGS = ("anchor", "beacon", "capstan", "davit", "easel", "fender", "gangway", "halyard")
NAMES = frozenset(THINGS)


def page(name: str) -> Put:
    text = f"The {name} of the harbour is painted every spring. Team {name} keeps the {name} dry."
    return Put(Document(name, f"On the {name}"), (Chunk(f"{name}#c0", text, 0, len(text)),))


PAGES = {name: page(name) for name in THINGS}


async def write(sextant: Sextant, embedded: Collection[str]) -> None:
    """Write all pages, with vectors for some of them."""
    for name, put in PAGES.items():
        if name in embedded:
            await sextant.write(SCOPE, [put])
        else:
            await sextant.store.truth.write(SCOPE, [put])


async def opened(late: int = 12, store: str = "memory:") -> Sextant:
    chosen = Settings(store=store, embedder="tiny:", ask=AskSettings(late_vectors=late))
    return await open_sextant(chosen)


def searched(embedded: Collection[str], text: str, late: int = 12, **asked: Any) -> Ranked:
    async def run() -> Ranked:
        async with await opened(late) as sextant:
            await write(sextant, embedded)
            return await sextant.search(SCOPE, Question(text, **asked))

    return asyncio.run(run())


def answered(embedded: Collection[str], text: str, late: int = 12) -> Answer:
    async def run() -> Answer:
        async with await opened(late) as sextant:
            await write(sextant, embedded)
            return await sextant.ask(SCOPE, Question(text))

    return asyncio.run(run())


def step(trace: Trace, name: str = "retrieve") -> Step:
    found = trace.step(name)
    assert found is not None
    return found


def cosine(hit: Hit, text: str) -> float:
    async def run() -> float:
        passage = hit.passage
        own = await embed_chunks(Tiny(), [embeddable(passage.document, passage.chunk)])
        return float(own[0][0] @ (await Tiny().embed([text], "query"))[0])

    return asyncio.run(run())


SUBSETS = st.frozensets(st.sampled_from(THINGS))


@given(SUBSETS, st.sampled_from(THINGS), st.integers(0, 10))
@settings(max_examples=40, deadline=None)
def test_a_cosine_is_of_the_passage_itself_or_there_is_none(
    embedded: frozenset[str], asked: str, late: int
) -> None:
    text = f"Who keeps the {asked} dry?"
    for hit in searched(embedded, text, late).hits:
        if hit.passage.document.id in embedded:
            assert hit.legs.vector is not None
        if hit.legs.vector is not None:
            assert hit.legs.vector == pytest.approx(cosine(hit, text), abs=1e-5)


@given(SUBSETS, st.sampled_from(THINGS), st.integers(0, 10))
@settings(max_examples=40, deadline=None)
def test_a_page_comes_first_whose_words_are_asked_whichever_pages_have_vectors(
    embedded: frozenset[str], asked: str, late: int
) -> None:
    found = searched(embedded, f"Who keeps the {asked} dry?", late)
    assert found.hits[0].passage.document.id == asked


@given(SUBSETS, st.sampled_from(THINGS))
@settings(max_examples=30, deadline=None)
def test_where_all_that_is_found_is_read_nothing_is_ranked_otherwise(
    embedded: frozenset[str], asked: str
) -> None:
    text = f"Who keeps the {asked} dry?"
    mixed, whole = searched(embedded, text, 100), searched(NAMES, text)
    assert [one.passage.chunk.id for one in mixed.hits] == [
        one.passage.chunk.id for one in whole.hits
    ]
    for one, other in zip(mixed.hits, whole.hits, strict=True):
        assert one.scores.total == pytest.approx(other.scores.total, abs=1e-6)


@given(SUBSETS, st.sampled_from(THINGS), st.integers(0, 10))
@settings(max_examples=20, deadline=None)
def test_the_same_knowledge_gives_the_same_answer(
    embedded: frozenset[str], asked: str, late: int
) -> None:
    one, other = (
        record_fields(answered(embedded, f"Who keeps the {asked} dry?", late)) for _ in range(2)
    )
    assert {**one, "timing": None} == {**other, "timing": None}


@given(SUBSETS)
@settings(max_examples=10, deadline=None)
def test_once_all_has_vectors_answers_are_those_of_a_store_embedded_at_once(
    embedded: frozenset[str],
) -> None:
    async def run(*, at_once: bool) -> Answer:
        async with await opened() as sextant:
            if at_once:
                await sextant.write(SCOPE, list(PAGES.values()))
            else:
                await write(sextant, embedded)
                await sextant.write(SCOPE, [replace(put, key="later") for put in PAGES.values()])
            return await sextant.ask(SCOPE, Question("Who keeps the davit dry?"))

    late, whole = asyncio.run(run(at_once=False)), asyncio.run(run(at_once=True))
    assert late.text == whole.text
    assert not any(one.fallback for one in late.trace.steps)


def test_the_trace_tells_how_many_had_no_vectors_and_how_many_were_read() -> None:
    told = step(searched({"anchor"}, "Who keeps the davit dry?", 3).trace)
    assert told.facts["unembedded"] == len(THINGS) - 1
    read = told.facts["read_meanwhile"]
    assert read in {1, 2, 3}
    assert f"7 of 8 passages have no vectors yet: the question read {read} of" in told.fallback
    told = step(searched((), "Who keeps the davit dry?", 100).trace)
    assert "8 of 8 passages have no vectors yet, so the question read them" in told.fallback


def test_of_a_store_that_has_all_vectors_the_trace_tells_nothing_new() -> None:
    trace = answered(NAMES, "Who keeps the davit dry?").trace
    assert not any(one.fallback or "unembedded" in one.facts for one in trace.steps)


def test_a_question_reads_no_more_than_is_set() -> None:
    for late in (0, 1, 5):
        told = searched((), "Who keeps the davit dry, and who the fender?", late)
        assert sum(one.legs.vector is not None for one in told.hits) <= late


def test_a_budget_of_time_leaves_the_reading_out_and_says_so() -> None:
    found = searched((), "Who keeps the davit dry?", budget=Budget(milliseconds=300))
    assert found.hits[0].passage.document.id == "davit"
    assert all(one.legs.vector is None for one in found.hits)
    left_out = step(found.trace, "budget").facts["left_out"]
    assert isinstance(left_out, list)
    assert "reading" in left_out


class Failing(Tiny):
    """One that embeds questions, and fails on all documents."""

    async def embed_pieces(self, *_: Any) -> Any:
        raise EmbedderError("The device is out of memory.", "Wait.")


class Strange(Tiny):
    """One whose vectors of documents are none."""

    async def embed_pieces(self, texts: Sequence[str], spans: Sequence[Any]) -> Any:
        vectors, codes = await super().embed_pieces(texts, spans)
        return vectors * np.nan, codes


@pytest.mark.parametrize("embedder", [Failing(), Strange()])
def test_an_embedder_that_fails_on_passages_leaves_an_answer_by_words(embedder: Tiny) -> None:
    async def run() -> Answer:
        async with await opened() as sextant:
            await write(sextant, {"anchor"})
            means = Means(sextant.store, embedder, sextant.settings, Words())
            return await flow.ask(means, SCOPE, Question("Who keeps the davit dry?"), Folded())

    answer = asyncio.run(run())
    assert "davit" in answer.text
    assert "the embedder failed" in step(answer.trace).fallback


def test_who_was_asked_about_is_to_be_embedded_first() -> None:
    async def run() -> list[str]:
        async with await opened() as sextant:
            await write(sextant, {"anchor"})
            await sextant.search(SCOPE, "Who keeps the davit dry?")
            return sextant.wanted.take(SCOPE, 100)

    wanted = asyncio.run(run())
    assert wanted[0] == "davit"
    assert "anchor" not in wanted


@given(SUBSETS, st.sampled_from(THINGS))
@settings(max_examples=10, deadline=None)
def test_a_store_on_disk_finds_the_same_as_one_in_memory(
    tmp_path_factory: pytest.TempPathFactory, embedded: frozenset[str], asked: str
) -> None:
    async def run(store: str) -> list[tuple[str, float | None]]:
        async with await opened(3, store) as sextant:
            await write(sextant, embedded)
            found = await sextant.search(SCOPE, f"Who keeps the {asked} dry?")
            return [(one.passage.chunk.id, one.legs.vector) for one in found.hits]

    folder: Path = tmp_path_factory.mktemp("mixed")
    one, other = asyncio.run(run("memory:")), asyncio.run(run(f"sqlite:{folder}"))
    assert [name for name, _ in one] == [name for name, _ in other]
    for (_, near), (_, far) in zip(one, other, strict=True):
        assert (near is None) == (far is None)
        assert near == pytest.approx(far, abs=1e-5)


def test_pages_with_vectors_do_not_push_out_a_page_without_one() -> None:
    """Each page speaks of the quay, one of them more than all others; that one is not embedded."""

    async def run(*, is_embedded: bool) -> list[str]:
        async with await opened(0) as sextant:
            others = [
                Put(Document(f"o{at}"), (Chunk(f"o{at}", f"The quay has {at} bollards."),))
                for at in range(120)
            ]
            best = Put(Document("best"), (Chunk("best", "Bollards: the quay list. Quay."),))
            await sextant.write(SCOPE, others)
            if is_embedded:
                await sextant.write(SCOPE, [best])
            else:
                await sextant.store.truth.write(SCOPE, [best])
            found = await sextant.search(SCOPE, Question("Which quay, which bollards?", k=10))
            return [one.passage.chunk.id for one in found.hits]

    assert "best" in asyncio.run(run(is_embedded=True))
    assert "best" in asyncio.run(run(is_embedded=False))


def test_what_is_read_meanwhile_is_not_stored() -> None:
    async def run() -> None:
        async with await opened() as sextant:
            await write(sextant, ())
            before = await sextant.store.truth.commit(SCOPE)
            await sextant.ask(SCOPE, "Who keeps the davit dry?")
            units = await sextant.store.truth.units(SCOPE, THINGS)
            assert all(one.vectors is None for one in units.values())
            assert await sextant.store.truth.commit(SCOPE) == before

    asyncio.run(run())
