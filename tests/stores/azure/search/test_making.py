"""`sextant azure init` and `check`: an index is made, mended where it can be, and judged."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from azure.search.documents.indexes.models import SearchField, SearchIndex

from sextant.errors import ConfigError
from sextant.stores.azure.search.client import SearchConnection
from sextant.stores.azure.search.making import index_problems, make_index, plan_index
from sextant.testing.store_suite.suite import IDENTITY
from tests.peers.search_service.service import CONTRIBUTOR, READER
from tests.stores.azure.search.parts import Place

WIDTH = IDENTITY.width
T = TypeVar("T")


def _with(
    place: Place, task: Callable[[SearchConnection], Awaitable[T]], token: str = "owner"
) -> T:
    async def run() -> T:
        connection = place.connect(token)
        try:
            return await task(connection)
        finally:
            await connection.close()

    return asyncio.run(run())


def test_an_index_is_made_as_it_was_said_to_be(place: Place) -> None:
    assert _with(place, lambda own: index_problems(own, place.settings, WIDTH)) == [
        "The index chunks does not exist."
    ]
    for _ in range(2):
        _with(place, lambda own: make_index(own, place.settings, WIDTH))
    assert _with(place, lambda own: index_problems(own, place.settings, WIDTH)) == []
    plan = plan_index(place.settings, WIDTH)
    made = place.service.indexes["chunks"].definition.json
    assert {one["name"] for one in plan["fields"]} == {one["name"] for one in made["fields"]}
    assert plan["name"] == made["name"] == "chunks"


def test_fields_are_added_to_an_index_of_somebody_else(place: Place) -> None:
    fields = [
        SearchField(name="id", type="Edm.String", key=True, filterable=True, sortable=True),
        SearchField(name="colour", type="Edm.String"),
    ]
    _with(place, lambda own: own.define(SearchIndex(name="chunks", fields=fields)))
    _with(place, lambda own: make_index(own, place.settings, WIDTH))
    assert "colour" in place.service.indexes["chunks"].definition.fields
    assert _with(place, lambda own: index_problems(own, place.settings, WIDTH)) == []


def test_what_cannot_be_changed_is_named(place: Place) -> None:
    _with(place, lambda own: make_index(own, place.settings, 8))
    with pytest.raises(ConfigError, match="takes vectors of 8 numbers; the embedder makes 16"):
        _with(place, lambda own: make_index(own, place.settings, WIDTH))


def test_roles_that_are_missing_are_named(place: Place) -> None:
    _with(place, lambda own: make_index(own, place.settings, WIDTH))
    place.service.tokens |= {"worker": CONTRIBUTOR, "reader": READER, "nobody": frozenset()}
    named = [
        "Its definition cannot be read without the role Search Service Contributor.",
        "Rows cannot be written without the role Search Index Data Contributor.",
        "Rows cannot be read without the role Search Index Data Reader.",
    ]
    for token, missing in (("worker", {0}), ("reader", {0, 1}), ("nobody", {0, 1, 2})):
        found = _with(place, lambda own: index_problems(own, place.settings, WIDTH), token)
        assert set(found) == {named[at] for at in missing}
