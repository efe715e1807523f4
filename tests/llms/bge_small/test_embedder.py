import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from sextant.build import open_embedder
from sextant.errors import ConfigError
from sextant.ports import DiscerningEmbedder, Embedder, LikeningEmbedder
from sextant.settings import BgeSettings, Settings

T = TypeVar("T")

PASSAGES = [
    "Barn owls hunt by ear. They hear a mouse under snow.",
    "The pump of station 4 is serviced every spring by the harbour's own fitters.",
    "To undo the last release, run the rollback job and wait until it is green.",
]
QUESTIONS = [
    "How does an owl find its prey?",
    "Who looks after the pump?",
    "How do I go back to the version before?",
]


def use(scheme: str, task: Callable[[Embedder], Awaitable[T]], threads: int = 1) -> T:
    async def run() -> T:
        settings = Settings(embedder=scheme, bge=BgeSettings(threads=threads))
        async with aclosing(_Closing(open_embedder(settings))) as opened:
            return await task(opened.embedder)

    return asyncio.run(run())


class _Closing:
    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder

    async def aclose(self) -> None:
        await self.embedder.close()


@pytest.mark.parametrize("scheme", ["bge-fast:", "bge:"])
def test_question_lies_nearest_to_the_passage_that_answers_it(scheme: str) -> None:
    async def nearest(embedder: Embedder) -> list[int]:
        passages = await embedder.embed(PASSAGES, "document")
        questions = await embedder.embed(QUESTIONS, "query")
        found: list[int] = (questions @ passages.T).argmax(axis=1).tolist()
        return found

    assert use(scheme, nearest) == [0, 1, 2]


def test_odds_are_best_for_the_sentence_that_answers() -> None:
    text = " ".join(PASSAGES)
    starts = [text.index(one) for one in PASSAGES]
    spans = [(start, start + len(one)) for start, one in zip(starts, PASSAGES, strict=True)]

    async def best(embedder: Embedder) -> list[int]:
        assert isinstance(embedder, DiscerningEmbedder)
        _, (codes,) = await embedder.embed_pieces([text], [spans])
        return [int((await embedder.log_odds(one, codes)).argmax()) for one in QUESTIONS]

    assert use("bge-fast:", best) == [0, 1, 2]


@pytest.mark.parametrize("scheme", ["bge-fast:", "bge:"])
def test_texts_are_compared_as_minilm_compares_them(scheme: str) -> None:
    async def alike(embedder: Embedder) -> np.ndarray:
        assert isinstance(embedder, LikeningEmbedder)
        return await embedder.embed_alike(PASSAGES)

    async def by_minilm(embedder: Embedder) -> np.ndarray:
        return await embedder.embed(PASSAGES, "document")

    assert np.array_equal(use(scheme, alike), use("minilm:", by_minilm))


def test_threads_make_no_difference() -> None:
    async def vectors(embedder: Embedder) -> np.ndarray:
        return await embedder.embed(PASSAGES * 5, "document")

    assert np.array_equal(use("bge-fast:", vectors), use("bge-fast:", vectors, threads=3))


def test_pieces_far_behind_the_beginning_are_read() -> None:
    text = "Nothing of note happened in that year. " * 40 + PASSAGES[1]
    start = text.index(PASSAGES[1])

    async def codes(embedder: Embedder) -> np.ndarray:
        assert isinstance(embedder, DiscerningEmbedder)
        _, (own,) = await embedder.embed_pieces([text], [[(0, 39), (start, len(text))]])
        return await embedder.log_odds(QUESTIONS[1], own)

    first, last = use("bge-fast:", codes).tolist()
    assert last > first


@pytest.mark.parametrize("scheme", ["bge-fast:", "bge:"])
def test_a_model_behind_the_colon_is_refused(scheme: str) -> None:
    with pytest.raises(ConfigError, match=scheme):
        open_embedder(replace(Settings(), embedder=f"{scheme}large"))


def test_too_few_threads_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"bge\.threads is -1"):
        open_embedder(Settings(embedder="bge-fast:", bge=BgeSettings(threads=-1)))
