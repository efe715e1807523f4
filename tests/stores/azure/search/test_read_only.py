"""An index that somebody else filled in the common shape alone is searched as it is."""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from azure.search.documents.indexes.models import (
    HnswAlgorithmConfiguration,
    SearchField,
    SearchIndex,
    VectorSearch,
    VectorSearchProfile,
)

from sextant import query
from sextant.errors import ConfigError, InvalidFilter, StoreUnwritable
from sextant.query import Filter, Query
from sextant.settings import AzureSettings, Settings
from sextant.stores.azure.search.index import open_adapter
from sextant.stores.azure.search.read_only import ReadOnlySearchIndex, open_read_only
from sextant.testing.store_suite.checks import bad_queries, ids, refused
from sextant.testing.store_suite.samples import direction
from sextant.testing.store_suite.suite import IDENTITY
from sextant.types import Facets, Scope
from tests.peers.search_service.service import READER
from tests.stores.azure.search.parts import Place, Token

SCOPE = Scope("default")
ROWS = {
    "doc1#c12": ("Service A depends on Process X.", ["service-a", "process-x"], direction(1.0)),
    "doc1#c13": ("Restart the pods of Service A.", ["service-a"], direction(0.9, 0.1)),
    "doc2#c1": ("Team Y owns the escalation.", ["team-y"], direction(0.0, 1.0)),
}


def _definition(name: str, **changes: Any) -> SearchIndex:
    vector: dict[str, Any] = {"vector_search_dimensions": IDENTITY.width, **changes}
    return SearchIndex(
        name=name,
        fields=[
            SearchField(name="id", type="Edm.String", key=True, filterable=True, sortable=True),
            SearchField(
                name="content", type="Edm.String", searchable=True, analyzer_name="en.lucene"
            ),
            SearchField(
                name="contentVector",
                type="Collection(Edm.Single)",
                searchable=True,
                vector_search_profile_name="p",
                **vector,
            ),
            SearchField(name="title", type="Edm.String", searchable=True),
            SearchField(name="url", type="Edm.String"),
            SearchField(name="entityIds", type="Collection(Edm.String)", filterable=True),
        ],
        vector_search=VectorSearch(
            profiles=[VectorSearchProfile(name="p", algorithm_configuration_name="a")],
            algorithms=[HnswAlgorithmConfiguration(name="a")],
        ),
    )


async def _fill(place: Place, **changes: Any) -> None:
    """Fill an index as somebody else does, who knows nothing of us."""
    connection = place.connect()
    try:
        await connection.define(_definition(place.settings.azure.search_index, **changes))
        await connection.write(
            [
                {
                    "id": urlsafe_b64encode(name.encode()).decode(),
                    "content": content,
                    "title": f"Runbook {name}",
                    "url": f"https://example.test/{name}",
                    "entityIds": entities,
                    "contentVector": vector.tolist(),
                }
                for name, (content, entities, vector) in ROWS.items()
            ]
        )
    finally:
        await connection.close()


def _with_index(
    place: Place, task: Callable[[ReadOnlySearchIndex], Awaitable[None]], token: str = "owner"
) -> None:
    async def run() -> None:
        await _fill(place)
        index = await open_read_only(place.settings, IDENTITY, Token(token), place.transport)
        try:
            await task(index)
        finally:
            await index.close()

    asyncio.run(run())


def test_passages_are_found_by_words_vectors_both_and_entities(place: Place) -> None:
    async def task(index: ReadOnlySearchIndex) -> None:
        (match,) = (await index.search(SCOPE, Query("restarting pods"))).matches
        passage = match.passage
        assert (passage.chunk.id, passage.document.id) == ("doc1#c13", "doc1")
        assert passage.chunk.text == "Restart the pods of Service A."
        assert passage.document.title == "Runbook doc1#c13"
        assert passage.document.url == "https://example.test/doc1#c13"
        assert passage.chunk.entity_ids == ("service-a",)
        near = await index.search(SCOPE, Query(vector=direction(0.0, 1.0), k=1))
        assert ids(near) == ["doc2#c1"]
        both = await index.search(SCOPE, Query("pods", direction(1.0), k=3))
        assert ids(both)[0] == "doc1#c13"
        assert all(one.vector is not None and one.keyword is not None for one in both.matches)
        found = await index.search(SCOPE, Query(filter=query.EntitiesAny(("service-a",))))
        assert sorted(ids(found)) == ["doc1#c12", "doc1#c13"]
        assert not found.is_behind

    _with_index(place, task)


def test_what_others_do_not_keep_is_not_there(place: Place) -> None:
    cases: list[tuple[Filter, int]] = [
        (query.TagsAny(("ops",)), 0),
        (query.Not(query.TagsAny(("ops",))), 3),
        (query.SourceTypes(("wiki",)), 0),
        (query.TimeRange(), 0),
        (query.ChunksAny(("doc2#c1", "nothing")), 1),
        (query.AllOf((query.EntitiesAny(("team-y",)), query.TagsAll(()))), 1),
        (query.AnyOf(()), 0),
    ]

    async def task(index: ReadOnlySearchIndex) -> None:
        for tree, count in cases:
            assert len(ids(await index.search(SCOPE, Query(filter=tree)))) == count, tree
        with pytest.raises(InvalidFilter):
            await index.search(SCOPE, Query(filter=query.DocumentsAny(("doc1",))))
        assert await index.facets(SCOPE) == Facets()
        assert await index.pieces(SCOPE, {"doc1#c12": "v"}) == {}
        assert await index.holding(SCOPE, ["service", "pods", "zebra", ""]) == {
            "service": ["doc1"],
            "pods": ["doc1"],
            "zebra": [],
            "": [],
        }
        for kind, bad in bad_queries():
            await refused(kind, index.search(SCOPE, bad))

    _with_index(place, task)


def test_only_the_servers_own_tenant_sees_what_has_no_tenant(place: Place) -> None:
    async def task(index: ReadOnlySearchIndex) -> None:
        stranger = Scope("globex")
        assert ids(await index.search(stranger, Query("pods"))) == []
        assert await index.holding(stranger, ["pods"]) == {"pods": []}

    _with_index(place, task)


def test_who_may_only_read_rows_searches_them(place: Place) -> None:
    place.service.tokens["reader"] = READER

    async def task(index: ReadOnlySearchIndex) -> None:
        assert ids(await index.search(SCOPE, Query("pods"))) == ["doc1#c13"]

    _with_index(place, task, "reader")


def test_an_index_that_lacks_a_field_of_the_common_shape_is_refused(place: Place) -> None:
    async def run() -> None:
        definition = _definition(place.settings.azure.search_index)
        definition.fields = [one for one in definition.fields if one.name != "entityIds"]
        connection = place.connect()
        await connection.define(definition)
        await connection.close()
        with pytest.raises(ConfigError, match="The field entityIds is missing"):
            await open_read_only(place.settings, IDENTITY, Token(), place.transport)

    asyncio.run(run())


def test_an_index_that_others_fill_cannot_follow_a_store() -> None:
    settings = Settings(azure=AzureSettings(read_only=True))
    with pytest.raises(StoreUnwritable):
        asyncio.run(open_adapter("", settings, IDENTITY))
