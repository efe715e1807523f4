"""Walks over a graph with hubs and ties: however edges are added up, the answer is the same."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from sextant.settings import Settings, SqliteSettings
from sextant.stores.arrays.graph import columns, edges, hops
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.types import Chunk, Direction, Document, Put, Relation, Remove, Scope, Walk

SCOPES = (Scope(), Scope(personas=frozenset({"boss"})))
WALKS = (
    Walk(hops=2),
    Walk(hops=2, per_node=3),
    Walk(hops=3, per_node=2, limit=7, direction=Direction.OUT),
    Walk(hops=1, per_node=4, direction=Direction.IN, kinds=frozenset({"k1", "never"})),
)


def units_of(seed: int) -> list[Put]:
    """Few nodes, few weights: many contributions to one edge, and many edges that tie."""
    dice = np.random.default_rng(seed)
    units = []
    for number in range(120):
        chunks = tuple(Chunk(f"d{number}#{at}", "text") for at in range(3))
        ends = np.minimum(dice.geometric(0.12, (6, 2)), 30)
        relations = tuple(
            Relation(
                f"n{source}",
                f"n{target}",
                f"k{dice.integers(3)}",
                float(dice.choice([0.5, 1.0])),
                float(dice.choice([1.0, 2.0])),
                tuple(chunk.id for chunk in chunks[: dice.integers(0, 4)]),
            )
            for source, target in ends.tolist()
        )
        unique = {(one.source, one.target, one.kind): one for one in relations}
        personas = frozenset({"boss"}) if number % 5 == 0 else frozenset()
        document = Document(f"d{number}", personas=personas)
        units.append(Put(document, chunks, relations=tuple(unique.values())))
    return units


@pytest.mark.parametrize("first", [1, 20])
@pytest.mark.parametrize("long", [0, 1, 1_000_000])
def test_walks_equal_brute_force_one_by_one_and_in_columns(
    tmp_path: Path, long: int, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hops, "_LONG", long)
    monkeypatch.setattr(columns, "_FIRST", first)
    monkeypatch.setattr(edges, "_AHEAD", min(2, first))

    async def run() -> None:
        settings = Settings(sqlite=SqliteSettings(flush_chunks=100))
        model = await open_memory("", settings, None)
        store = await open_sqlite(str(tmp_path / "store"), settings, None)
        units = units_of(long + first)
        for changes in (units[:80], units[80:], [Remove(one.document.id) for one in units[::7]]):
            for one in (model, store):
                await one.truth.write(Scope(), changes)
            for scope in SCOPES:
                for walk in WALKS:
                    for seeds in (["n1"], ["n2", "n9", "nobody"]):
                        right = await model.graph.neighbours(scope, seeds, walk)
                        assert await store.graph.neighbours(scope, seeds, walk) == right
                        assert await store.graph.neighbours(scope, seeds, walk) == right
        await store.admin.close()

    asyncio.run(run())
