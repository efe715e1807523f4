"""Keyword scores of another engine's scale lead to the same answers as those of BM25."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import sextant
from sextant.ask.evaluate.cases import Case, read_cases
from sextant.ask.question import Question
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.settings import load
from sextant.types import Scope
from tests.ingest.folders import SCOPE
from tests.stores.scaled import scaled_store

SAMPLE = Path(sextant.__file__).parent / "sample"
LIKE = Question("", now=datetime(2026, 10, 31, tzinfo=UTC))
CASES = read_cases((SAMPLE / "questions.jsonl").read_text(encoding="utf-8"))[::3]
MOST_CHANGED = 1
"""Of thirty answers; all ninety are the same."""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What opens a store of the sample knowledge."""
    store = tmp_path_factory.mktemp("scale") / "store"
    environment = {"SEXTANT_STORE": f"sqlite:{store}", "SEXTANT_EMBEDDER": "tiny:64"}
    loaded = load(SAMPLE, environment).settings

    async def fill() -> None:
        async with await open_sextant(loaded) as core:
            await core.ingest(SCOPE, [str(SAMPLE / "knowledge")])

    asyncio.run(fill())
    return loaded


def _over(opened: Sextant, *, is_honest: bool) -> Sextant:
    return replace(opened, store=scaled_store(opened.store, is_honest=is_honest))


async def _answers(core: Sextant, cases: Sequence[Case]) -> list[tuple[bool, str]]:
    scores = (await core.evaluate(Scope(), cases, LIKE)).scores
    return [(score.is_answered, score.text) for score in scores]


def test_answers_do_not_hang_on_the_scale_of_a_store_that_owns_it(settings: Any) -> None:
    async def task() -> None:
        async with await open_sextant(settings) as opened:
            told = await _answers(opened, CASES)
            other = await _answers(_over(opened, is_honest=True), CASES)
            assert sum(one != two for one, two in zip(told, other, strict=True)) <= MOST_CHANGED

    asyncio.run(task())


def test_scores_that_are_not_exact_are_shown_on_the_scale_of_bm25(settings: Any) -> None:
    async def best(core: Sextant) -> float:
        hits = (await core.search(Scope(), Question(CASES[0].question, k=50))).hits
        return max(hit.legs.keyword or 0.0 for hit in hits)

    async def task() -> None:
        async with await open_sextant(settings) as opened:
            told = await best(opened)
            assert abs(await best(_over(opened, is_honest=True)) / told - 1) < 0.1
            assert abs(await best(_over(opened, is_honest=False)) / told - 3.7) < 0.1

    asyncio.run(task())
