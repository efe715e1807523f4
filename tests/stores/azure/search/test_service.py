"""The service on the loopback does for the vendor's own client what its documentation says."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceNotFoundError,
)
from azure.search.documents.aio import SearchClient
from azure.search.documents.indexes.aio import SearchIndexClient
from azure.search.documents.indexes.models import SearchField, SearchIndex
from azure.search.documents.models import VectorizedQuery

from sextant.stores.azure.search.definition import index_definition
from tests.stores.azure.search.parts import Place, Token

HARBOR = {"a": "harbor queue", "b": "harbor harbor gate", "c": "zebra zebra"}


def _with_clients(
    place: Place,
    task: Callable[[SearchClient, SearchIndexClient], Awaitable[None]],
    token: str = "owner",
) -> None:
    async def run() -> None:
        endpoint, who = place.settings.azure.search_endpoint, Token(token)
        options: dict[str, Any] = {"retry_total": 0}
        rows = SearchClient(endpoint, "chunks", who, transport=place.transport(), **options)
        indexes = SearchIndexClient(endpoint, who, transport=place.transport(), **options)
        async with rows, indexes:
            await task(rows, indexes)

    asyncio.run(run())


async def _fill(rows: SearchClient, indexes: SearchIndexClient, place: Place) -> None:
    await indexes.create_index(index_definition(place.settings, 2))
    vectors = {"a": [1.0, 0.0], "b": [0.6, 0.8], "c": [0.0, 1.0]}
    documents = [
        {"id": key, "content": text, "contentVector": vectors[key], "tags": ["t", key]}
        for key, text in HARBOR.items()
    ]
    results = await rows.upload_documents(documents)
    assert [(one.key, one.succeeded, one.status_code) for one in results] == [
        (key, True, 201) for key in HARBOR
    ]


def test_words_vectors_and_both_are_ranked_as_documented(place: Place) -> None:
    async def task(rows: SearchClient, indexes: SearchIndexClient) -> None:
        await _fill(rows, indexes, place)
        near = VectorizedQuery(vector=[0.0, 2.0], k_nearest_neighbors=2, fields="contentVector")

        async def found(text: str | None, **asked: Any) -> list[dict[str, Any]]:
            return [row async for row in await rows.search(text, select=["id"], **asked)]

        assert [row["id"] for row in await found("harbors queue")] == ["a", "b"]
        assert [row["id"] for row in await found("harbor queue", search_mode="all")] == ["a"]
        by_vector = await found(None, vector_queries=[near])
        assert [row["id"] for row in by_vector] == ["c", "b"]
        assert by_vector[0]["@search.score"] == pytest.approx(1.0)
        assert by_vector[1]["@search.score"] == pytest.approx(1 / 1.2)  # 1 / (1 + (1 - 0.8))
        both = await found("gate", vector_queries=[near], debug="vector")
        assert both[0]["id"] == "b"
        assert both[0]["@search.score"] == pytest.approx(1 / 61 + 1 / 62)
        told = both[1]["@search.document_debug_info"]["vectors"]["subscores"]
        assert told["vectors"][0]["contentVector"]["vectorSimilarity"] == pytest.approx(1.0)
        assert "text" not in told

    _with_clients(place, task)


def test_counts_facets_order_and_pages_are_told(place: Place) -> None:
    async def task(rows: SearchClient, indexes: SearchIndexClient) -> None:
        await _fill(rows, indexes, place)
        more = [{"id": f"m{at:04}", "tags": ["more"]} for at in range(1_000)]
        await rows.merge_or_upload_documents(more)
        pages = await rows.search(
            "*",
            filter="tags/any(t: t eq 'more' or t eq 'a')",
            order_by=["id desc"],
            top=2_000,
            include_total_count=True,
            facets=["tags,count:1"],
            select=["id"],
        )
        keys = [row["id"] async for row in pages]
        assert (keys[0], keys[-1], len(keys)) == ("m0999", "a", 1_001)
        assert await pages.get_count() == 1_001
        assert await pages.get_facets() == {"tags": [{"value": "more", "count": 1_000}]}
        assert place.service.calls["search"] == 2
        assert await rows.get_document_count() == 1_003
        assert (await rows.get_document("a"))["content"] == "harbor queue"
        await rows.merge_documents([{"id": "a", "title": "Harbor"}])
        merged = await rows.get_document("a")
        assert (merged["title"], merged["content"]) == ("Harbor", "harbor queue")
        results = await rows.merge_documents([{"id": "none", "title": "x"}, {"id": "b"}])
        assert [(one.key, one.status_code) for one in results] == [("none", 404), ("b", 200)]
        await rows.delete_documents([{"id": "a"}, {"id": "none"}])
        with pytest.raises(ResourceNotFoundError):
            await rows.get_document("a")

    _with_clients(place, task)


def test_what_is_wrong_is_refused_in_the_services_words(place: Place) -> None:
    async def task(rows: SearchClient, indexes: SearchIndexClient) -> None:
        with pytest.raises(ResourceNotFoundError, match="The index 'chunks'"):
            await indexes.get_index("chunks")
        await _fill(rows, indexes, place)
        for asked, told in (
            ({"filter": "colour eq 'red'"}, "property named 'colour'"),
            ({"filter": "content eq 'x'"}, "not filterable"),
            ({"filter": "tags eq"}, "Invalid expression"),
            ({"select": ["colour"]}, "property named 'colour'"),
            ({"order_by": ["content"]}, "not sortable"),
            ({"facets": ["content"]}, "not facetable"),
            ({"search_text": "x", "search_fields": ["url"]}, "not searchable"),
            ({"skip": 100_001}, "100000"),
        ):
            with pytest.raises(HttpResponseError, match=told) as caught:
                _ = [row async for row in await rows.search(**asked)]
            assert caught.value.status_code == 400
        for row, told in (
            ({"id": "doc1#c12"}, "Invalid document key"),
            ({"id": ""}, "Document key"),
            ({"id": "x", "contentVector": [1.0]}, "expects a length of '2'"),
            ({"id": "x", "tags": "ops"}, "Cannot convert"),
        ):
            with pytest.raises(HttpResponseError, match=told):
                await rows.upload_documents([row])
        assert await rows.get_document_count() == 3

    _with_clients(place, task)


def test_definitions_grow_under_their_etag(place: Place) -> None:
    async def task(rows: SearchClient, indexes: SearchIndexClient) -> None:
        await _fill(rows, indexes, place)
        found, stale = await indexes.get_index("chunks"), await indexes.get_index("chunks")
        found.fields.append(SearchField(name="colour", type="Edm.String"))
        await indexes.create_or_update_index(found, match_condition=MatchConditions.IfNotModified)
        with pytest.raises(HttpResponseError) as caught:
            await indexes.create_or_update_index(
                stale, match_condition=MatchConditions.IfNotModified
            )
        assert caught.value.status_code == 412
        with pytest.raises(HttpResponseError, match="cannot be deleted"):
            await indexes.create_or_update_index(
                SearchIndex(name="chunks", fields=found.fields[:1])
            )
        with pytest.raises(HttpResponseError):
            await indexes.create_index(found)

    _with_clients(place, task)


def test_who_has_no_role_is_not_let_in(place: Place) -> None:
    async def task(rows: SearchClient, indexes: SearchIndexClient) -> None:
        for call in (rows.get_document_count(), indexes.get_index("chunks")):
            with pytest.raises((ClientAuthenticationError, HttpResponseError)) as caught:
                await call
            assert caught.value.status_code == 403

    _with_clients(place, task, "stranger")


def test_what_was_accepted_is_found_after_some_searches(place: Place) -> None:
    async def task(rows: SearchClient, indexes: SearchIndexClient) -> None:
        place.service.lag = 2
        await _fill(rows, indexes, place)
        counts = [
            len([row async for row in await rows.search("harbor", select=["id"])]) for _ in range(3)
        ]
        assert counts == [0, 0, 2]

    _with_clients(place, task)
