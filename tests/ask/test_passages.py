"""The vector and the number of candidates that a caller gives are what passages are found by."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

import pytest

from sextant.ask.question import Question
from sextant.core import Sextant
from sextant.errors import EmbedderError, InvalidVector
from sextant.types import Hit, Ranked, Scope
from tests.ingest.folders import Tree, workplace

NOW = datetime(2026, 10, 31, tzinfo=UTC)
NOBODY = Scope()
TREE: Tree = {
    f"page{at:02}.md": f"# Page {at}\n\nThe heron number {at} nests by the river, {'a' * at}.\n"
    for at in range(60)
}
ASKED = "Where does a heron nest?"
Task = Callable[[Sextant], Coroutine[Any, Any, None]]


def in_place(task: Task) -> None:
    async def run() -> None:
        async with workplace() as place:
            await place.take_in(TREE)
            await task(place.sextant)

    asyncio.run(run())


async def search(core: Sextant, text: str = ASKED, **more: Any) -> Ranked:
    return await core.search(NOBODY, Question(text, now=NOW, **more))


def brief(hits: tuple[Hit, ...]) -> list[object]:
    return [(hit.passage.chunk.id, hit.scores, hit.legs) for hit in hits]


def candidates(ranked: Ranked) -> object:
    step = ranked.trace.step("retrieve")
    return step.facts["candidates"] if step else None


def test_the_vector_that_the_embedder_would_make_finds_the_same() -> None:
    async def task(core: Sextant) -> None:
        vector = (await core.embedder.embed([ASKED], "query"))[0]
        own = await search(core)
        given = await search(core, vector=vector * 7)
        assert brief(given.hits) == brief(own.hits)
        embedded = given.trace.step("embed")
        assert embedded is not None
        assert embedded.facts == {"given": True}

    in_place(task)


def test_a_given_vector_is_what_passages_are_near_to() -> None:
    async def task(core: Sextant) -> None:
        passage = (await search(core)).hits[-1].passage
        text = f"{passage.document.title}\n{passage.chunk.text}"
        vector = (await core.embedder.embed([text], "query"))[0]
        near = await search(core, vector=vector)
        nearest = max(near.hits, key=lambda hit: hit.legs.vector or 0.0)
        assert nearest.passage.chunk.id == passage.chunk.id

    in_place(task)


def test_who_brings_a_vector_needs_no_embedder() -> None:
    async def task(core: Sextant) -> None:
        vector = (await core.embedder.embed([ASKED], "query"))[0]
        await core.embedder.close()
        with pytest.raises(EmbedderError):
            await core.embedder.embed([ASKED], "query")
        found = await search(core, vector=vector)
        assert found.hits[0].legs.vector is not None

    in_place(task)


def test_a_vector_of_another_width_is_refused() -> None:
    async def task(core: Sextant) -> None:
        vector = (await core.embedder.embed([ASKED], "query"))[0]
        with pytest.raises(InvalidVector):
            await search(core, vector=vector[:8])

    in_place(task)


def test_as_many_candidates_are_ranked_as_are_asked_for() -> None:
    async def task(core: Sextant) -> None:
        usual = await search(core)
        assert await search(core, candidates=50) == usual
        few, many = await search(core, candidates=3), await search(core, candidates=60)
        assert int(str(candidates(few))) < int(str(candidates(usual)))
        assert int(str(candidates(many))) > int(str(candidates(usual)))
        assert few.hits
        assert {hit.passage.chunk.id for hit in few.hits} <= {
            hit.passage.chunk.id for hit in (await search(core, k=60)).hits
        }

    in_place(task)
