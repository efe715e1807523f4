"""Enough chunks for search to take its short cuts: they must change no answer and no score."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from sextant import query
from sextant.ports import Store
from sextant.query import Query
from sextant.settings import Settings, SqliteSettings
from sextant.stores.arrays.search_legs import keyword
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.types import Chunk, Document, EmbedderIdentity, Put, Remove, Scope
from tests.stores.test_against_model import alike

WIDTH = 24
IDENTITY = EmbedderIdentity("size", WIDTH)
SCOPE = Scope()
DOCUMENTS = 1_500
FILTERS = (None, query.TagsAny(("tenth",)), query.Not(query.TagsAny(("tenth",))))


def corpus(seed: int) -> list[Put]:
    """Words as common as in a language: the n-th word comes up 1/n as often as the first."""
    dice = np.random.default_rng(seed)
    words = np.array([f"w{number}" for number in range(2_000)])
    chance = 1.0 / np.arange(1, len(words) + 1)
    chance /= chance.sum()
    units = []
    for number in range(DOCUMENTS):
        count = int(dice.integers(1, 4))
        texts = [" ".join(dice.choice(words, dice.integers(5, 40), p=chance)) for _ in range(count)]
        chunks = tuple(Chunk(f"d{number}#{at}", text) for at, text in enumerate(texts))
        tags = frozenset({"tenth"}) if number % 10 == 0 else frozenset()
        personas = frozenset({"boss"}) if number % 7 == 0 else frozenset()
        document = Document(f"d{number}", texts[0][:30], tags=tags, personas=personas)
        vectors = dice.standard_normal((count, WIDTH)).astype(np.float32)
        units.append(Put(document, chunks, vectors=vectors))
    return units


@asynccontextmanager
async def both(folder: Path) -> AsyncIterator[tuple[Store, Store]]:
    settings = Settings(sqlite=SqliteSettings(flush_chunks=500))
    model: Store = await open_memory("", settings, IDENTITY)
    store: Store = await open_sqlite(str(folder / "store"), settings, IDENTITY)
    try:
        yield model, store
    finally:
        await store.admin.close()


def questions(seed: int) -> list[Query]:
    dice = np.random.default_rng(seed + 100)
    asked = []
    for number in range(24):
        rare = " ".join(f"w{word}" for word in dice.integers(50, 2_000, dice.integers(0, 4)))
        common = " ".join(f"w{word}" for word in dice.integers(0, 12, dice.integers(0, 7)))
        vector = dice.standard_normal(WIDTH).astype(np.float32)
        tree = FILTERS[number % len(FILTERS)]
        text = f"{rare} {common}" if number % 4 else ""
        near = vector if number % 4 in (0, 2) else None
        asked.append(Query(text, near, tree, int(dice.choice([1, 3, 10, 40]))))
    return asked


@pytest.mark.parametrize(("seed", "crowd"), [(1, 16), (2, 1_000)])
def test_search_equals_brute_force_at_a_size_where_it_takes_short_cuts(
    tmp_path: Path, seed: int, crowd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyword, "_COSTLY", 60)  # as if there were a hundred times the chunks
    monkeypatch.setattr(keyword, "_CROWD", crowd)
    monkeypatch.setattr(keyword, "_ROWS", 8)

    async def run() -> None:
        async with both(tmp_path) as (model, store):
            units = corpus(seed)
            for start in range(0, len(units), 100):
                for one in (model, store):
                    await one.truth.write(SCOPE, units[start : start + 100])
            gone = [Remove(unit.document.id) for unit in units[::9]]
            for one in (model, store):
                await one.truth.write(SCOPE, gone)
            for asked in questions(seed):
                for scope in (SCOPE, Scope(personas=frozenset({"boss"}))):
                    found = await store.index.search(scope, asked)
                    alike(await model.index.search(scope, asked), found)
            assert not await store.admin.check(SCOPE)
            assert (await store.admin.status(SCOPE)).indexes[0].parts <= 5

    asyncio.run(run())


@pytest.mark.parametrize("costly", [30, 4_000])
def test_scores_are_the_same_to_the_last_bit_however_the_segments_came_about(
    tmp_path: Path, costly: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyword, "_COSTLY", costly)
    units = corpus(3)[:600]

    async def scores(name: str, flush: int, batch: int) -> list[list[tuple[str, float]]]:
        settings = Settings(sqlite=SqliteSettings(flush_chunks=flush))
        store = await open_sqlite(str(tmp_path / name), settings, IDENTITY)
        for start in range(0, len(units), batch):
            await store.truth.write(SCOPE, units[start : start + batch])
        found = [await store.index.search(SCOPE, asked) for asked in questions(3)]
        await store.admin.close()
        return [[(m.passage.chunk.id, m.score) for m in one.matches] for one in found]

    once = asyncio.run(scores("once", 10_000, 600))
    assert asyncio.run(scores("often", 30, 7)) == once


def test_a_filter_that_was_used_before_sees_what_was_written_since(tmp_path: Path) -> None:
    async def run() -> None:
        async with both(tmp_path) as (model, store):
            units = corpus(4)[:60]
            for start in range(0, len(units), 20):
                for one in (model, store):
                    await one.truth.write(SCOPE, units[start : start + 20])
                    await one.truth.write(SCOPE, [Remove(units[start].document.id)])
                for tree in FILTERS:
                    for asked in (Query("w0 w1", None, tree), Query("", None, tree)):
                        right = await model.index.search(SCOPE, asked)
                        alike(right, await store.index.search(SCOPE, asked))
                        alike(right, await store.index.search(SCOPE, asked))

    asyncio.run(run())
