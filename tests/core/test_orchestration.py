"""What needs a model and no store: with one, without one, and when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from sextant.ask.model_steps.chat import Chat
from sextant.ask.workflow.load import load
from sextant.build import open_embedder
from sextant.core.orchestration import Orchestration, candidate
from sextant.errors import InvalidInput, ModelUnavailable
from sextant.settings import Settings
from sextant.testing.scripted import Scripted
from sextant.types import Chunk, Document, Hit
from tests.ask.model_steps.playing import asked, playing

SETTINGS = Settings(embedder="tiny:16")
TEXT = "Who owns Harbor Queue?"
PAGES = {"Kitchen": "The kitchen opens at noon.", "Harbor Queue": "Harbor Queue has an owner."}


def hits() -> list[Hit]:
    return [
        candidate(Chunk(f"{title}#1", text), Document(title, title), 0.5)
        for title, text in PAGES.items()
    ]


def with_models(
    task: Callable[[Orchestration], Coroutine[Any, Any, None]], model: Scripted | None = None
) -> None:
    async def run() -> None:
        chat = Chat(model, load()) if model else None
        async with Orchestration(open_embedder(SETTINGS), chat, SETTINGS) as one:
            await task(one)

    asyncio.run(run())


def test_vectors_come_with_who_made_them() -> None:
    async def task(one: Orchestration) -> None:
        vectors = await one.embed(["a", "b"], "query")
        assert vectors.shape == (2, one.identity.width) == (2, 16)

    with_models(task)


def test_without_a_model_known_phrasings_stand_and_passages_that_cover_most_are_chosen() -> None:
    async def task(one: Orchestration) -> None:
        told = await one.rephrase(TEXT, ["Whose is it?"])
        assert (told.texts, told.model, told.fallback) == (("Whose is it?",), {}, "")
        found = await one.rerank(TEXT, hits())
        assert found.chosen[0].chunk_id == "Harbor Queue#1"
        assert (found.model, found.fallback, one.model) == ({}, "", "")

    with_models(task)


def test_a_model_rephrases_and_chooses_and_is_named() -> None:
    model = playing()

    async def task(one: Orchestration) -> None:
        told = await one.rephrase(TEXT, ["Whose is it?"])
        assert told.texts == ("to whom does the queue belong", "Whose is it?")
        found = await one.rerank(TEXT, hits())
        assert [(one.chunk_id, one.why) for one in found.chosen] == [
            ("Harbor Queue#1", "names the owner")
        ]
        for model_facts in (told.model, found.model):
            assert model_facts["read"]
        assert one.model == "scripted:script"

    with_models(task, model)
    assert "opens at noon" in asked(model, "rerank")[0]


def test_a_model_that_fails_is_told_and_the_rest_is_done_without_it() -> None:
    down = ModelUnavailable("It is down.", "Try again.")

    async def task(one: Orchestration) -> None:
        told = await one.rephrase(TEXT, ["Whose is it?"])
        assert (told.texts, told.model) == (("Whose is it?",), {})
        assert told.fallback == "Without the model: It is down."
        found = await one.rerank(TEXT, hits())
        assert found.chosen[0].chunk_id == "Harbor Queue#1"
        assert found.fallback == "Without the model: It is down."

    with_models(task, playing(rephrase=down, rerank=down))


def test_a_question_that_is_too_long_is_refused() -> None:
    async def task(one: Orchestration) -> None:
        long = "x" * (SETTINGS.limits.query + 1)
        with pytest.raises(InvalidInput):
            await one.rephrase(long)
        with pytest.raises(InvalidInput):
            await one.rerank(long, hits())

    with_models(task)
