"""Entities that many documents define: read in short cuts, and still what all of them add up to."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from sextant.settings import Settings, SqliteSettings
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.reads import entities
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.types import (
    OPERATOR,
    Chunk,
    Document,
    Entity,
    NameMode,
    Put,
    Remove,
    Scope,
)

SCOPES = (Scope(), Scope(personas=frozenset({"boss"})), Scope(roles=frozenset({OPERATOR})))
IDS = ["same", "argued", "hidden", "rare", "nobody"]


def units() -> list[Put]:
    """Four entities: all agree, few agree, only the boss may know, and hardly anybody tells."""
    dice = np.random.default_rng(5)
    made = []
    for number in range(80):
        secret = number % 4 == 0
        said = [Entity("same", "Same", "thing", frozenset({"S"}), {"a": "1"})]
        said.append(
            Entity(
                "argued",
                f"Name {dice.integers(3)}",
                str(dice.choice(["", "thing", "other"])),
                frozenset({f"alias {dice.integers(4)}"}),
                {f"key{dice.integers(3)}": f"value {dice.integers(9)}"},
            )
        )
        if secret:
            said.append(Entity("hidden", "Hidden", "thing"))
        if number % 30 == 1:
            said.append(Entity("rare", f"Rare {number}"))
        document = Document(
            f"d{dice.integers(1_000_000)}-{number}",
            personas=frozenset({"boss"}) if secret else frozenset(),
            reputation=float(dice.choice([0.2, 0.5, 0.5])),
        )
        made.append(Put(document, (Chunk(f"c{number}", "text"),), tuple(said)))
    return made


@pytest.mark.parametrize("many", [0, 10, 1_000])
def test_entities_of_many_definitions_are_what_all_visible_ones_add_up_to(
    tmp_path: Path, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entities, "_MANY", many)

    async def run() -> None:
        settings = Settings(sqlite=SqliteSettings(flush_chunks=20))
        model = await open_memory("", settings, None)
        store = await open_sqlite(str(tmp_path / "store"), settings, None)
        made = units()
        ids = [one.document.id for one in made]
        shown = [Remove(name) for name in ids[1:70]]
        for changes in (made[:50], made[50:], [Remove(name) for name in ids[::5]], shown):
            for one in (model, store):
                await one.truth.write(Scope(), changes)
            for scope in SCOPES:
                right = await model.graph.entities(scope, IDS)
                assert await store.graph.entities(scope, IDS) == right
                assert await store.graph.entities(scope, IDS) == right
                names = ["Same", "name 1", "hidden", "alias 2"]
                found = await store.graph.lookup(scope, names, NameMode.EXACT)
                assert found == await model.graph.lookup(scope, names, NameMode.EXACT)
        await store.admin.close()

    asyncio.run(run())
