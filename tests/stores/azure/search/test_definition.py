"""An index is made as it is needed, and one that is there says what it lacks."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from sextant.errors import ConfigError, EmbedderMismatch, PeerRefused
from sextant.settings import KeywordSettings, Settings
from sextant.stores.azure.search.definition import (
    SEED_FIELDS,
    definition_problems,
    index_definition,
)
from sextant.stores.azure.search.index import open_index
from sextant.testing.store_suite.suite import IDENTITY
from sextant.types import EmbedderIdentity
from tests.peers.search_service.service import CONTRIBUTOR
from tests.stores.azure.search.parts import Place, Token


def _change_field(place: Place, name: str, **changes: Any) -> None:
    held = place.service.indexes["chunks"]
    fields = [
        {**one, **changes} if one["name"] == name else one for one in held.definition.json["fields"]
    ]
    held.definition = replace(
        held.definition,
        json={**held.definition.json, "fields": fields},
        fields={one["name"]: one for one in fields},
    )


def _problems(place: Place, width: int = IDENTITY.width, *, is_seed: bool = False) -> list[str]:
    async def task() -> list[str]:
        connection = place.connect()
        try:
            found = await connection.definition()
        finally:
            await connection.close()
        return definition_problems(found, place.settings, width, is_seed=is_seed)

    return asyncio.run(task())


def test_an_index_that_was_made_lacks_nothing(place: Place) -> None:
    asyncio.run(place.make_index())
    assert _problems(place) == []
    asyncio.run(place.make_index())
    assert _problems(place, is_seed=True) == []
    fields = {one["name"] for one in place.service.indexes["chunks"].definition.json["fields"]}
    assert fields >= {*SEED_FIELDS, "tenant", "personas", "tags", "modified"}


def test_a_field_that_is_missing_or_is_used_otherwise_is_named(place: Place) -> None:
    asyncio.run(place.make_index())
    _change_field(place, "personas", filterable=False)
    _change_field(place, "created", type="Edm.String")
    _change_field(place, "passage", retrievable=False)
    held = place.service.indexes["chunks"].definition
    held.json["fields"] = [one for one in held.json["fields"] if one["name"] != "tags"]
    assert _problems(place) == [
        "The field tags is missing.",
        "The field personas is not filterable.",
        "The field created is of type Edm.String; Edm.DateTimeOffset is needed.",
        "The field passage is not retrievable.",
    ]
    assert _problems(place, is_seed=True) == []


def test_vectors_of_another_width_are_named_when_the_index_is_opened(place: Place) -> None:
    asyncio.run(place.make_index())
    assert _problems(place, 384) == [
        "The field contentVector takes vectors of 16 numbers; the embedder makes 384."
    ]
    wide = EmbedderIdentity("wide", 384)
    with pytest.raises(ConfigError, match=r"16 numbers.*384"):
        asyncio.run(open_index(place.settings, wide, Token(), place.transport))


def test_an_index_that_is_not_there_is_said_to_be_missing(place: Place) -> None:
    with pytest.raises(ConfigError, match="no such database, container or index") as caught:
        asyncio.run(open_index(place.settings, IDENTITY, Token(), place.transport))
    assert "sextant azure init" in caught.value.hint


def test_who_may_only_use_rows_opens_the_index_all_the_same(place: Place) -> None:
    place.service.tokens["worker"] = CONTRIBUTOR

    async def task() -> None:
        await place.make_index()
        connection = place.connect("worker")
        try:
            with pytest.raises(PeerRefused):
                await connection.definition()
        finally:
            await connection.close()
        index = await place.open_index("worker")
        await index.close()

    asyncio.run(task())


def test_words_are_stemmed_and_weighted_as_the_settings_say() -> None:
    keyword = KeywordSettings(language="german", title_weight=3, headings_weight=0)
    made = index_definition(Settings(keyword=keyword), 0)
    analyzers = {one.name: one.analyzer_name for one in made.fields if one.searchable}
    assert analyzers == dict.fromkeys(("content", "title", "headings"), "de.lucene")
    weights = [one.text_weights and one.text_weights.weights for one in made.scoring_profiles or ()]
    assert weights == [{"content": 1.0, "title": 3.0}]
    assert made.vector_search is None
    plain = index_definition(Settings(keyword=KeywordSettings(language="yiddish")), 8)
    assert {one.analyzer_name for one in plain.fields if one.name == "content"} == {
        "standard.lucene"
    }


def test_a_vector_of_another_width_than_the_index_has_is_a_typed_error(place: Place) -> None:
    async def task() -> None:
        await place.make_index()
        connection = place.connect()
        try:
            with pytest.raises(EmbedderMismatch, match="16 numbers, not 2") as caught:
                await connection.write([{"id": "a", "contentVector": [1.0, 2.0]}])
            assert "sextant rebuild" in caught.value.hint
            with pytest.raises(ConfigError, match="no field colour"):
                await connection.find(filter="colour eq 'red'")
            with pytest.raises(ConfigError, match="no field colour"):
                await connection.write([{"id": "a", "colour": "red"}])
        finally:
            await connection.close()

    asyncio.run(task())
