"""One sentence against its sources: when the embedder is asked, and what it may decide."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from sextant.ask.grounding.checking import Checked, Checker
from sextant.ask.grounding.sources import sources_of
from sextant.ask.grounding.splitting import Kind, Saying
from sextant.errors import EmbedderError
from sextant.ports import Purpose
from sextant.types import EmbedderIdentity
from tests.ask.pieces import WORDS, hits, passage

PAGE = passage("p", "The form is checked for completeness by Team Lantern every morning.", "Forms")
DOUBTFUL = "The form is verified for completeness by Team Lantern every morning [Forms]."
SURE = "Team Lantern checks the form [Forms]."
WRONG = "The form is verified for completeness by Team Keel every morning [Forms]."


@dataclass(slots=True)
class Embedding:
    """Finds all texts as near to each other as it is told."""

    near: float
    name: str = "minilm:test"
    fails: bool = False
    asked: list[Sequence[str]] = field(default_factory=list)

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(self.name, 2)

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:  # noqa: ARG002
        self.asked.append(texts)
        if self.fails:
            raise EmbedderError("It is closed.", "Open it again.")
        other = [self.near, (1 - self.near**2) ** 0.5]
        return np.asarray([[1.0, 0.0], *([other] * (len(texts) - 1))], np.float32)

    async def close(self) -> None:
        """Nothing is held open."""


def check(text: str, embedder: Embedding | None = None, times: int = 1) -> Checked:
    checker = Checker("Who checks forms?", sources_of(hits(PAGE)), WORDS, embedder)

    async def task() -> Checked:
        for _ in range(times - 1):
            await checker.check(Saying(Kind.SENTENCE, text))
        return await checker.check(Saying(Kind.SENTENCE, text))

    return asyncio.run(task())


def test_in_doubt_the_sense_decides() -> None:
    assert check(DOUBTFUL, Embedding(0.97)).is_said
    assert not check(DOUBTFUL, Embedding(0.9)).is_said
    assert not check(DOUBTFUL).is_said


def test_without_doubt_nobody_is_asked() -> None:
    embedder = Embedding(0.0)
    assert check(SURE, embedder).is_said
    assert embedder.asked == []


def test_no_sense_makes_up_for_another_name() -> None:
    assert not check(WRONG, Embedding(1.0)).is_said


@pytest.mark.parametrize(
    "embedder", [Embedding(1.0, "other:model"), Embedding(1.0, fails=True)], ids=["other", "broken"]
)
def test_an_embedder_that_was_not_measured_or_fails_decides_nothing(embedder: Embedding) -> None:
    assert not check(DOUBTFUL, embedder).is_said


def test_only_so_many_sentences_are_compared_by_their_sense() -> None:
    embedder = Embedding(1.0)
    assert not check(DOUBTFUL, embedder, times=30).is_said
    assert len(embedder.asked) == 24


def test_code_needs_more_than_a_fence() -> None:
    checker = Checker("What?", sources_of(hits(PAGE)), WORDS)
    assert not asyncio.run(checker.check(Saying(Kind.CODE, "rm -rf / [Forms]"))).is_said
