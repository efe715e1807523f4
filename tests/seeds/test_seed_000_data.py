"""The records of specification 000: entities, relations and chunks as they are, in and out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.seeds.requirement import requirement
from tests.seeds.seed_000_knowledge import BUNDLE, CHUNK, ENTITY, RELATION, with_seed
from tests.serve.rest.knowing import Door, told


async def _got(one: Door, path: str) -> Any:
    return told(await one.client.get(path))


@requirement("000-039")
def test_an_entity_comes_back_with_every_field(tmp_path: Path) -> None:
    async def work(one: Door) -> Any:
        return await _got(one, "/api/entities/service-a")

    entity = with_seed(tmp_path, work)
    assert {name: entity[name] for name in ENTITY} == ENTITY


@requirement("000-040")
def test_a_relation_keeps_its_ends_its_type_and_the_chunks_that_say_it(tmp_path: Path) -> None:
    async def work(one: Door) -> Any:
        return await _got(one, "/api/entities/service-a")

    (relation,) = with_seed(tmp_path, work)["relations"]
    assert (relation["source"], relation["target"], relation["kind"]) == (
        RELATION["sourceEntityId"],
        RELATION["targetEntityId"],
        RELATION["relationType"],
    )
    assert relation["evidenceChunkIds"] == RELATION["evidenceChunkIds"]


@requirement("000-041", "000-042")
def test_a_chunk_comes_back_with_its_text_title_address_and_entities(tmp_path: Path) -> None:
    async def work(one: Door) -> Any:
        found = told(await one.client.post("/api/search", json={"query": CHUNK["content"]}))
        assert (await one.client.get("/api/documents/doc1")).status_code == 200
        return found["results"][0]

    first = with_seed(tmp_path, work)
    assert {name: first[name] for name in ("title", "url", "entityIds")} == {
        name: CHUNK[name] for name in ("title", "url", "entityIds")
    }
    assert (first["chunkId"], first["snippet"]) == (CHUNK["id"], CHUNK["content"])
    assert f"{first['documentId']}#c12" == CHUNK["id"]


@requirement("000-043")
def test_the_records_come_in_as_a_file_too_and_again_without_a_change(tmp_path: Path) -> None:
    async def work(one: Door) -> list[Any]:
        sent = {"files": ("bundle.json", json.dumps(BUNDLE).encode())}
        wait = {"Prefer": "wait=30"}
        for _ in range(2):
            told(await one.client.post("/api/ingest", files=sent, headers=wait))
        return [
            await _got(one, "/api/entities/service-a"),
            await _got(one, "/api/status"),
        ]

    entity, status = with_seed(tmp_path, work)
    assert {name: entity[name] for name in ENTITY} == ENTITY
    assert str(len(BUNDLE["chunks"])) in json.dumps(status)
