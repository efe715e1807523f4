"""Knowledge that comes with its entities, relations and chunks."""

import json
from typing import Any

import pytest

from sextant.errors import BrokenFile
from sextant.ingest.read import read
from sextant.ingest.values import Fact
from sextant.types import Chunk, Entity
from tests.ingest.read.checks import check_sound

ENTITY = {
    "id": "service-a",
    "name": "Service A",
    "type": "service",
    "aliases": ["ServiceA", "Svc-A"],
    "metadata": {"owner": "team-x"},
}
RELATION = {
    "id": "rel-1",
    "sourceEntityId": "service-a",
    "targetEntityId": "process-x",
    "relationType": "depends_on",
    "evidenceChunkIds": ["doc1#c12"],
}
CHUNK = {
    "id": "doc1#c12",
    "content": "Service A depends on Process X.",
    "title": "Runbook - Service A",
    "url": "https://docs.example/a",
    "entityIds": ["service-a", "process-x"],
    "contentVector": [0.1, 0.2],
}
SECOND = {"id": "doc1#c13", "content": " More.\n"}
OTHER = {"id": "doc2#c1", "content": "Else."}
BUNDLE = {"entities": [ENTITY], "relations": [RELATION], "chunks": [CHUNK, SECOND, OTHER]}
RECORDS = [ENTITY, RELATION, CHUNK, SECOND, OTHER]


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.json", json.dumps(BUNDLE)),
        ("a.json", json.dumps([BUNDLE])),
        ("a.json", json.dumps(RECORDS)),
        ("a.jsonl", "\n".join(map(json.dumps, RECORDS))),
        ("a.jsonl", "\n".join(json.dumps({key: BUNDLE[key]}) for key in BUNDLE)),
    ],
)
def test_every_field_arrives_whatever_the_wrapping(path: str, data: str) -> None:
    first, second, graph = read(path, data.encode())
    assert (first.part, first.title, first.url) == (
        "doc1",
        "Runbook - Service A",
        "https://docs.example/a",
    )
    assert first.text == "Service A depends on Process X.\n\n More.\n"
    ids = ("service-a", "process-x")
    assert first.chunks[0] == Chunk(
        "doc1#c12", "Service A depends on Process X.", 0, 31, entity_ids=ids
    )
    assert [first.text[chunk.start : chunk.end] for chunk in first.chunks] == [
        chunk.text for chunk in first.chunks
    ]
    check_sound(first)
    assert (second.part, second.title) == ("doc2", "doc2")
    assert (graph.part, graph.text) == ("", "")
    assert graph.entities == (
        Entity(
            "service-a",
            "Service A",
            "service",
            frozenset({"ServiceA", "Svc-A"}),
            {"owner": "team-x"},
        ),
    )
    assert graph.facts == (
        Fact("service-a", "process-x", "depends_on", 1.0, ("doc1#c12",), "rel-1"),
    )
    assert graph.notes == ("1 foreign vectors were left out; texts are embedded here.",)


@pytest.mark.parametrize(
    ("kind", "change", "named"),
    [
        ("entities", {"colour": "red"}, "'colour'"),
        ("entities", {"name": 7}, "'name'"),
        ("entities", {"aliases": "A"}, "'aliases'"),
        ("entities", {"metadata": {"a": {"b": 1}}}, "metadata.a"),
        ("relations", {"relationType": None}, "'relationType'"),
        ("relations", {"evidenceChunkIds": [1]}, "'evidenceChunkIds'"),
        ("relations", {"confidence": 2}, "'confidence'"),
        ("chunks", {"content": "  "}, "'content'"),
        ("chunks", {"entityIds": {}, "id": ""}, "'id'"),
    ],
)
def test_wrong_fields_are_named(kind: str, change: dict[str, Any], named: str) -> None:
    records: dict[str, dict[str, Any]] = {
        "entities": ENTITY,
        "relations": RELATION,
        "chunks": CHUNK,
    }
    data = json.dumps({kind: [records[kind] | change]})
    with pytest.raises(BrokenFile, match=named):
        read("a.json", data.encode())


def test_fields_of_a_database_are_passed_over() -> None:
    data = json.dumps({"entities": [ENTITY | {"_etag": "1", "_ts": 2}]})
    assert read("a.json", data.encode())[0].entities[0].id == "service-a"


def test_a_chunk_that_comes_twice_is_refused() -> None:
    with pytest.raises(BrokenFile, match="twice"):
        read("a.json", json.dumps({"chunks": [CHUNK, CHUNK]}).encode())


def test_other_json_with_such_names_is_plain_json() -> None:
    data = json.dumps({"entities": ["a", "b"], "version": 1})
    assert read("a.json", data.encode())[0].text.startswith("entities:")
