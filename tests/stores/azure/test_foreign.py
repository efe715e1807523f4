"""Containers that somebody else filled in the seed's shape are read as they are, and only read."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sextant.errors import StoreUnwritable
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.azure.connection import open_cosmos
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.store import read_only_store
from sextant.stores.memory.store import new_store
from sextant.testing.store_suite import samples
from sextant.types import NameMode, Reach, Remove, Scope, Walk
from tests.stores.azure.opening import azure_settings, emulator_key, make_database

SCOPE = Scope()
ROWS: dict[Kind, list[Item]] = {
    Kind.ENTITIES: [
        {
            "id": "service-a",
            "name": "Service A",
            "type": "service",
            "aliases": ["ServiceA", "Svc-A"],
            "metadata": {"owner": "team-x"},
        },
        {"id": "process-x", "name": "Process X", "type": "process"},
        {"id": "odd", "name": None, "aliases": [7]},
    ],
    Kind.RELATIONS: [
        {
            "id": "rel-1",
            "sourceEntityId": "service-a",
            "targetEntityId": "process-x",
            "relationType": "depends_on",
            "evidenceChunkIds": ["doc1#c12"],
        },
        {"id": "odd", "sourceEntityId": 5},
    ],
    Kind.CHUNKS: [
        {
            "id": "doc1-c12",
            "chunkId": "doc1#c12",
            "content": "Service A depends on Process X.",
            "title": "Runbook - Service A",
            "url": "https://example.test/a",
            "entityIds": ["service-a", "process-x"],
            "contentVector": [0.1, 0.2],
        },
        {"id": "odd", "content": 7, "entityIds": [8]},
    ],
}


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with emulator_key():
        yield


@pytest.fixture
def settings(cosmosdb: str, tmp_path: Path) -> Settings:
    return azure_settings(cosmosdb, tmp_path, read_only=True)


@asynccontextmanager
async def filled(settings: Settings) -> AsyncIterator[Store]:
    """Yield a store over rows of somebody else."""
    await make_database(settings)
    containers = Containers(open_cosmos(settings.azure))
    for kind, rows in ROWS.items():
        for row in rows:
            await containers.upsert(kind, {"tenant": "anything", **row})
    index = new_store(settings, None).index
    store = read_only_store(containers, settings, index)
    try:
        yield store
    finally:
        await store.admin.close()


def test_names_edges_and_passages_of_others_are_found(settings: Settings) -> None:
    async def run() -> None:
        async with filled(settings) as store:
            names = ["service a", "Svc-A", "Process X", "nobody"]
            found = await store.graph.lookup(SCOPE, names, NameMode.EXACT)
            ids = [[match.entity.id for match in found[name]] for name in names]
            assert ids == [["service-a"], ["service-a"], ["process-x"], []]
            near = await store.graph.lookup(SCOPE, ["Servce A"], NameMode.FUZZY)
            assert near["Servce A"][0].entity.metadata == {"owner": "team-x"}
            [link] = (await store.graph.neighbours(SCOPE, ["process-x"], Walk(hops=2))).links
            assert (link.relation.kind, link.relation.evidence) == ("depends_on", ("doc1#c12",))
            passages = await store.truth.passages(SCOPE, ["doc1#c12", "odd"])
            assert passages["doc1#c12"].document.title == "Runbook - Service A"
            assert set(passages) == {"doc1#c12"}
            web = await store.graph.web(SCOPE, [], ["service-a"], Reach())
            assert web.chunk_ids == ("doc1#c12",)
            assert await store.graph.mentioning(SCOPE, ["process-x"]) == ["doc1"]
            [document] = await store.truth.documents(SCOPE)
            assert (document.id, document.url) == ("doc1", "https://example.test/a")
            assert (await store.admin.status(SCOPE)).counts.chunks == 1

    asyncio.run(run())


def test_it_is_the_knowledge_of_one_tenant_alone(settings: Settings) -> None:
    async def run() -> None:
        async with filled(settings) as store:
            other = Scope("globex")
            assert not await store.truth.passages(other, ["doc1#c12"])
            assert not await store.truth.documents(other)
            assert not await store.graph.entities(other, ["service-a"])
            found = await store.graph.lookup(other, ["Service A"], NameMode.EXACT)
            assert found == {"Service A": []}
            assert not (await store.graph.neighbours(other, ["service-a"], Walk())).links

    asyncio.run(run())


def test_every_write_is_refused(settings: Settings) -> None:
    async def run() -> None:
        async with filled(settings) as store:
            for change in (samples.policy(), Remove("doc1")):
                with pytest.raises(StoreUnwritable, match="read only"):
                    await store.truth.write(SCOPE, [change])
            with pytest.raises(StoreUnwritable):
                await store.admin.rebuild(SCOPE)
            assert not any(store.abilities["truth"])

    asyncio.run(run())
