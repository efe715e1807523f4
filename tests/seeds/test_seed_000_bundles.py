"""The data model of the first specification: its records as it writes them, through every door."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from sextant.types import OPERATOR, Scope
from tests.cli.commands import SETTINGS, sextant
from tests.seeds.requirement import requirement
from tests.serve.mcp.doors import call, over_http
from tests.serve.rest.sending import post
from tests.serve.running import Served, served, small

ENTITY = """{
  "id": "service-a",
  "name": "Service A",
  "type": "service",
  "aliases": ["ServiceA", "Svc-A"],
  "metadata": { "owner": "team-x" }
}"""
RELATION = """{
  "id": "rel-1",
  "sourceEntityId": "service-a",
  "targetEntityId": "process-x",
  "relationType": "depends_on",
  "evidenceChunkIds": ["doc1#c12"]
}"""
CHUNK = """{
  "id": "doc1#c12",
  "content": "Service A depends on Process X...",
  "title": "Runbook - Service A",
  "url": "https://...",
  "entityIds": ["service-a", "process-x"],
  "contentVector": [0.1, 0.2]
}"""
FILES = {"entities": ENTITY, "relations": RELATION, "chunks": CHUNK}
ORDERS = list(permutations(FILES))
WHOLE = Scope(roles=frozenset({OPERATOR}))
WIDTH = 64
"""Of the vectors of the embedder that these servers have."""

Records = dict[str, Any]
Take = Callable[[Records], Awaitable[Any]]
Expand = Callable[[], Awaitable[Any]]


def records(*kinds: str) -> Records:
    return {kind: [json.loads(FILES[kind])] for kind in kinds}


def is_the_relation(told: Any, evidence: list[str]) -> None:
    """Check that a door tells the relation as the specification writes it, beside our own names."""
    wanted = {**json.loads(RELATION), "evidenceChunkIds": evidence}
    assert {name: told[name] for name in wanted} == wanted
    ours = [told["source"], told["target"], told["kind"]]
    assert ours == [told["sourceEntityId"], told["targetEntityId"], told["relationType"]]


def on_server(folder: Path, work: Callable[[Served], Awaitable[None]], **settings: Any) -> None:
    async def run() -> None:
        async with served(small(folder, **settings)) as one:
            await work(one)

    asyncio.run(run())


def over_rest(work: Callable[[Take, Expand], Awaitable[None]]) -> Callable[[Served], Any]:
    """Let work be done by who ingests and expands over REST."""

    async def visit(one: Served) -> None:
        async with one.client() as client:

            async def take(bundle: Records) -> Any:
                return (await post(client, bundle)).json()["report"]

            async def expand() -> Any:
                body = {"entityIds": ["service-a"], "kinds": ["depends_on"]}
                return (await client.post("/api/expand", json=body)).json()

            await work(take, expand)

    return visit


def over_mcp(work: Callable[[Take, Expand], Awaitable[None]]) -> Callable[[Served], Any]:
    """Let work be done by who ingests and expands over MCP."""

    async def visit(one: Served) -> None:
        async with over_http(one) as client:

            async def take(bundle: Records) -> Any:
                return await call(client, "knowledge_ingest", **bundle)

            async def expand() -> Any:
                seeds = {"entityIds": ["service-a"], "kinds": ["depends_on"]}
                return await call(client, "graph_expansion", **seeds)

            await work(take, expand)

    return visit


doors = pytest.mark.parametrize("door", [over_rest, over_mcp])


@requirement("000-058")
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_three_files_in_any_order_are_one_knowledge(order: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    for kind, text in FILES.items():
        (tmp_path / f"{kind}.json").write_text(text)
    ended = sextant(tmp_path, "ingest", *(f"{kind}.json" for kind in order))
    assert ended.returncode == 0, ended.stderr
    assert "not there yet: entity process-x, named by" in ended.stdout
    assert "doc1#c12, named by" not in ended.stdout
    assert sextant(tmp_path, "export", "out.json").returncode == 0
    out = json.loads((tmp_path / "out.json").read_text())
    assert out["relations"] == [json.loads(RELATION)]
    assert out["entities"] == [json.loads(ENTITY)]
    chunk = json.loads(CHUNK)
    del chunk["contentVector"]
    assert {name: out["chunks"][0][name] for name in chunk} == chunk


@requirement("000-058", "000-060")
@doors
def test_three_calls_in_any_order_are_one_knowledge(door: Any, tmp_path: Path) -> None:
    def play(order: tuple[str, ...], name: str) -> None:
        async def work(take: Take, expand: Expand) -> None:
            report = [await take({**records(kind), "name": name}) for kind in order][-1]
            assert [one["id"] for one in report["unresolved"]] == (
                ["process-x"] if order[-1] != "entities" else []
            )
            (told,) = (await expand())["relations"]
            is_the_relation(told, ["doc1#c12"])

        on_server(tmp_path / "-".join((*order, name)), door(work))

    for at, order in enumerate(ORDERS):
        play(order, "catalogue" if at % 2 else "")


@requirement("000-059", "000-060")
@doors
def test_what_is_not_there_yet_is_named_and_joined_when_it_comes(door: Any, tmp_path: Path) -> None:
    async def before(take: Take, expand: Expand) -> None:
        report = await take(records("relations", "entities"))
        named = [(one["kind"], one["id"], one["neededBy"]) for one in report["unresolved"]]
        needing = ["relation rel-1"]
        assert named == [("chunk", "doc1#c12", needing), ("entity", "process-x", needing)]
        (told,) = (await expand())["relations"]
        is_the_relation(told, [])

    async def after_a_restart(take: Take, expand: Expand) -> None:
        await take(records("chunks"))
        (told,) = (await expand())["relations"]
        is_the_relation(told, ["doc1#c12"])

    on_server(tmp_path, door(before))
    on_server(tmp_path, door(after_a_restart))


@requirement("000-059")
def test_evidence_that_is_deleted_over_rest_is_joined_when_it_comes_again(tmp_path: Path) -> None:
    async def work(one: Served) -> None:
        async with one.client() as client:
            await post(client, records("entities", "relations", "chunks"))
            for evidence in ([], ["doc1#c12"]):
                if evidence:
                    await post(client, records("chunks"))
                else:
                    assert (await client.delete("/api/documents/doc1")).is_success
                page = (await client.get("/api/entities/service-a")).json()
                (told,) = [one for one in page["relations"] if one["kind"] == "depends_on"]
                is_the_relation(told, evidence)

    on_server(tmp_path, work)


@requirement("000-059")
def test_an_entry_that_is_written_over_mcp_is_evidence_at_once(tmp_path: Path) -> None:
    async def work(one: Served) -> None:
        async with over_http(one) as client:
            await call(client, "knowledge_ingest", **records("relations", "entities"))
            entry = {"ArtifactId": "doc1", "EntryId": "doc1#c12", "Content": "It depends on X."}
            await call(client, "KnowledgeStore.UpsertEntry", **entry)
            page = await call(client, "entity_lookup", entityId="service-a")
            (told,) = [one for one in page["relations"] if one["kind"] == "depends_on"]
            assert told["evidenceChunkIds"] == ["doc1#c12"]

    on_server(tmp_path, work)


@requirement("000-061")
@doors
def test_a_content_vector_is_kept_only_if_the_stores_own_embedder_is_named(
    door: Any, tmp_path: Path
) -> None:
    given = [1.0, *[0.0] * (WIDTH - 1)]
    chunk = {**json.loads(CHUNK), "contentVector": given}

    async def stored(one: Served) -> list[float]:
        (unit,) = (await one.house.sextant.store.truth.units(WHOLE, ["doc1"])).values()
        assert unit.vectors is not None
        return [float(value) for value in unit.vectors[0]]

    async def visit(one: Served) -> None:
        name = one.house.sextant.embedder.identity.name

        async def work(take: Take, _: Expand) -> None:
            report = await take({"chunks": [chunk], "name": "first"})
            assert any("vectors were left out" in note for note in report["notes"])
            assert await stored(one) != given
            changed = {**chunk, "content": "Service A depends on Process Y..."}
            report = await take({"chunks": [changed], "embedder": name, "name": "first"})
            assert not report["notes"]
            assert await stored(one) == given

        await door(work)(one)

    on_server(tmp_path, visit)


@requirement("000-061")
def test_a_vector_of_the_wrong_dimension_is_refused_by_the_name_of_its_chunk(
    tmp_path: Path,
) -> None:
    async def work(one: Served) -> None:
        async with one.client() as client:
            await post(client, records("chunks"))
            status = (await client.get("/api/status?all=true")).json()
            body = {**records("chunks"), "embedder": status["store"]["embedder"]}
            job = (await post(client, body)).json()
            assert (job["state"], job["problem"]["code"]) == ("failed", "invalid_vector")
            assert "doc1#c12" in job["problem"]["detail"]

    on_server(tmp_path, work)


def test_a_job_of_which_a_document_was_refused_is_not_plainly_done(tmp_path: Path) -> None:
    async def work(one: Served) -> None:
        async with one.client() as client:
            body = {**records("chunks"), "name": "theirs"}
            assert (await post(client, body)).json()["state"] == "done"
            mine = [*records("chunks")["chunks"], {**json.loads(CHUNK), "id": "doc2#c1"}]
            job = (await post(client, {"chunks": mine, "name": "mine"})).json()
            assert job["state"] == "done_with_refusals"
            assert job["ended"]
            assert job["report"]["failedCount"] == 1
            (refusal,) = job["report"]["failed"]
            assert (refusal["code"], "doc1" in refusal["detail"]) == ("conflict", True)
            again = (await client.get(f"/api/jobs/{job['id']}")).json()
            listed = (await client.get("/api/jobs")).json()["jobs"]
            assert again["state"] == listed[0]["state"] == "done_with_refusals"
        async with over_http(one) as client:
            told = await call(client, "knowledge_ingest", chunks=mine, name="other")
            assert (told["state"], len(told["failed"])) == ("done_with_refusals", 2)

    on_server(tmp_path, work)


def test_the_command_says_what_was_refused_and_ends_with_a_status_of_its_own(
    tmp_path: Path,
) -> None:
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    (tmp_path / "chunks.json").write_text(CHUNK)
    chunks = [json.loads(CHUNK), {**json.loads(CHUNK), "id": "doc2#c1"}]
    (tmp_path / "more.json").write_text(json.dumps(chunks))
    ended = sextant(tmp_path, "ingest", "chunks.json", "more.json")
    assert ended.returncode == 3
    assert "1 refused" in ended.stdout
    assert "doc1 is already there" in ended.stderr
