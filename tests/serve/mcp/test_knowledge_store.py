"""Single entries through MCP: found, read, written and deleted, while the rest stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import Client

from sextant.types import OPERATOR, Scope
from tests.serve.mcp.doors import OWNER, call, checked, over_http, refusal, with_client
from tests.serve.rest.sending import Api, api, post
from tests.serve.rest.sending import ids as ids_over_rest
from tests.serve.running import Served

ALL = Scope(roles=frozenset({OPERATOR}))
QUEUE, ENTRY = "docs/queue.md", "docs/queue.md#c0"
UPSERT, DELETE = "KnowledgeStore.UpsertEntry", "KnowledgeStore.DeleteEntry"
GET, ARTIFACT = "KnowledgeStore.GetEntry", "KnowledgeStore.GetArtifactMetadata"
BY_VECTOR = "KnowledgeStore.SearchPersonaKnowledgeByVector"
BY_FILTERS = "KnowledgeStore.SearchPersonaKnowledgeByFilters"
NEW: dict[str, Any] = {
    "ArtifactId": "notes/1",
    "EntryId": "notes/1#a",
    "Content": "Pelican Gate opens at dawn.",
    "Headings": ["Gates"],
    "Page": 3,
    "EntityIds": ["pelican-gate"],
    "Artifact": {
        "Title": "Notes",
        "Url": "https://wiki.example/notes/1",
        "SourceType": "note",
        "Language": "en",
        "Tags": ["ops"],
        "CreationDate": "2026-01-01T00:00:00Z",
        "LastModifiedDate": "2026-02-01T00:00:00+00:00",
        "SourceReputationScore": 0.9,
        "Metadata": {"by": "Kim"},
    },
}


def ids(found: Any) -> list[str]:
    return [one["EntryId"] for one in found["Results"]]


def test_entries_are_found_by_vector_by_keywords_and_by_filters(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        (vector,) = (await one.house.sextant.embedder.embed([OWNER], "query")).tolist()
        by_vector = await call(client, BY_VECTOR, QueryVector=vector, TopK=1)
        assert len(by_vector["Results"]) == 1
        await checked(client, BY_VECTOR, by_vector)
        by_words = await call(client, BY_FILTERS, Keywords="messages hours")
        assert ids(by_words) == [ENTRY]
        only = {"ArtifactIds": ["docs/a.md"]}
        assert ids(await call(client, BY_FILTERS, Filters=only)) == ["docs/a.md#c0"]
        assert "secret/plan.md#c0" not in ids(await call(client, BY_FILTERS))
        assert "secret/plan.md#c0" in ids(await call(client, BY_FILTERS, PersonaId="sre"))
        await checked(client, BY_FILTERS, by_words)

    with_client(tmp_path, work)


def test_an_entry_and_its_artifact_are_read_whole(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        entry = await call(client, GET, entryId=ENTRY)
        assert entry["Content"].startswith("Harbor Queue (HQ) is a queue owned by Team Y.")
        assert entry["AssociatedArtifact"]["ArtifactId"] == QUEUE
        artifact = await call(client, ARTIFACT, ArtifactId=QUEUE)
        assert artifact["EntryIds"] == [ENTRY]
        assert artifact["Version"] == entry["Version"] != ""
        await checked(client, GET, entry)
        await checked(client, ARTIFACT, artifact)
        assert (await refusal(client, GET, EntryId="secret/plan.md#c0"))["code"] == "not_found"
        hidden = await refusal(client, ARTIFACT, ArtifactId="secret/plan.md")
        assert hidden == await refusal(client, ARTIFACT, ArtifactId="nowhere")

    with_client(tmp_path, work)


def test_a_new_entry_makes_its_artifact_and_is_found_at_once(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        written = await call(client, UPSERT, **NEW)
        assert written["Created"] is True
        await checked(client, UPSERT, written)
        entry = await call(client, GET, EntryId="notes/1#a")
        assert (entry["Content"], entry["Page"], entry["Headings"], entry["EntityIds"]) == (
            NEW["Content"],
            3,
            ["Gates"],
            ["pelican-gate"],
        )
        artifact = await call(client, ARTIFACT, ArtifactId="notes/1")
        assert {name: artifact[name] for name in ("Title", "Url", "Tags", "Metadata")} == {
            name: NEW["Artifact"][name] for name in ("Title", "Url", "Tags", "Metadata")
        }
        assert artifact["LastModifiedDate"] == "2026-02-01T00:00:00Z"
        found = await call(client, "RAGPipeline.SearchAndRank", UserQueryText="Pelican Gate")
        assert found["Results"][0]["PersonaKnowledgeEntryId"] == "notes/1#a"

    with_client(tmp_path, work)


def test_the_same_entry_again_changes_nothing(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        await call(client, UPSERT, **NEW)
        before = [line async for line in one.house.sextant.store.admin.dump(ALL)]
        assert (await call(client, UPSERT, **NEW))["Created"] is False
        assert [line async for line in one.house.sextant.store.admin.dump(ALL)] == before

    with_client(tmp_path, work)


def test_an_entry_is_replaced_and_the_rest_of_its_artifact_stays(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        store = one.house.sextant.store
        await call(client, UPSERT, **NEW)
        second = await call(client, UPSERT, ArtifactId="notes/1", Content="Heron Gate is shut.")
        assert second["Created"] is True
        before = (await store.truth.units(ALL, ["notes/1"]))["notes/1"]
        longer = "Pelican Gate opens long before dawn."
        changed = await call(
            client, UPSERT, ArtifactId="notes/1", EntryId="notes/1#a", Content=longer
        )
        assert (changed["Created"], changed["Start"]) == (False, 0)
        after = (await store.truth.units(ALL, ["notes/1"]))["notes/1"]
        assert after.document == before.document
        assert [chunk.text for chunk in after.chunks] == [longer, "Heron Gate is shut."]
        assert all(chunk.end - chunk.start == len(chunk.text) for chunk in after.chunks)
        assert after.chunks[0].end < after.chunks[1].start
        assert before.vectors is not None
        assert after.vectors is not None
        assert (after.vectors[1] == before.vectors[1]).all()
        assert (after.vectors[0] != before.vectors[0]).any()

    with_client(tmp_path, work)


def test_what_an_old_text_said_is_said_no_more(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        around = {"entityIds": ["harbor-queue"], "kinds": ["depends_on"]}
        assert (await call(client, "graph_expansion", **around))["relations"]
        await call(
            client,
            UPSERT,
            ArtifactId="docs/a.md",
            EntryId="docs/a.md#c0",
            Content="Service A stands alone.",
        )
        assert not (await call(client, "graph_expansion", **around))["relations"]

    with_client(tmp_path, work)


def test_a_deleted_entry_takes_its_artifact_along_when_it_was_the_last(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        await call(client, UPSERT, **NEW)
        second = await call(client, UPSERT, ArtifactId="notes/1", Content="Heron Gate is shut.")
        gone = await call(client, DELETE, EntryId="notes/1#a")
        assert gone == {"EntryId": "notes/1#a", "ArtifactId": "notes/1", "ArtifactDeleted": False}
        await checked(client, DELETE, gone)
        kept = await call(client, ARTIFACT, ArtifactId="notes/1")
        assert kept["EntryIds"] == [second["EntryId"]]
        assert (await call(client, DELETE, EntryId=second["EntryId"]))["ArtifactDeleted"] is True
        await refusal(client, ARTIFACT, ArtifactId="notes/1")
        assert (await refusal(client, DELETE, EntryId="notes/1#a"))["code"] == "not_found"

    with_client(tmp_path, work)


def test_what_a_persona_writes_is_its_own_and_it_touches_nothing_hidden(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        await call(client, UPSERT, PersonaId="sre", **NEW)
        assert (await refusal(client, GET, EntryId="notes/1#a"))["code"] == "not_found"
        assert await call(client, GET, EntryId="notes/1#a", PersonaId="sre")
        taken = {"ArtifactId": "secret/plan.md", "Content": "Harbor Queue stays."}
        assert (await refusal(client, UPSERT, **taken))["code"] == "conflict"
        assert (await refusal(client, DELETE, EntryId="secret/plan.md#c0"))["code"] == "not_found"
        shared = {"ArtifactId": "notes/2", "Content": "x", "Artifact": {"PersonaIds": ["hr"]}}
        assert (await refusal(client, UPSERT, PersonaId="sre", **shared))["code"] == "forbidden"
        assert (await call(client, UPSERT, **shared))["Created"]

    with_client(tmp_path, work)


@asynccontextmanager
async def _keyed(door: Api, *personas: str) -> AsyncIterator[tuple[Client, httpx2.AsyncClient]]:
    """Come in by both doors with a key for some personas."""
    async with door.client(personas=personas) as rest:
        token = rest.headers["authorization"].removeprefix("Bearer ")
        async with over_http(door.server, token=token) as mcp:
            yield mcp, rest


def test_a_key_writes_for_its_own_personas_as_it_does_over_rest(tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            api(tmp_path) as door,
            _keyed(door, "exec") as (board, _),
            _keyed(door) as (plain, rest),
            _keyed(door, "a", "b") as (team, team_rest),
        ):
            planted = {
                "ArtifactId": "planted",
                "Content": "x",
                "Artifact": {"PersonaIds": ["exec"]},
            }
            assert (await refusal(plain, UPSERT, **planted))["code"] == "forbidden"
            assert (await refusal(board, ARTIFACT, ArtifactId="planted"))["code"] == "not_found"
            sent = {"ArtifactId": "open", "EntryId": "open#1", "Content": "Lunch is at noon."}
            await call(plain, UPSERT, **sent)
            hiding = {**sent, "Artifact": {"PersonaIds": ["exec"]}}
            assert (await refusal(plain, UPSERT, **hiding))["code"] == "forbidden"
            others = {**sent, "Content": "Lunch is at one."}
            assert (await refusal(team, UPSERT, **others))["code"] == "conflict"
            assert (await call(plain, GET, EntryId="open#1"))["Content"] == "Lunch is at noon."
            own = {"ArtifactId": "plan", "EntryId": "plan#1", "Content": "Keys rotate on Monday."}
            for created in (True, False):
                assert (await call(team, UPSERT, **own))["Created"] is created
            assert (await refusal(plain, GET, EntryId="plan#1"))["code"] == "not_found"
            assert await call(team, GET, EntryId="plan#1", PersonaId="b")
            body = {"documents": [{"id": "plan2", "text": own["Content"]}]}
            assert (await post(team_rest, body)).json()["state"] == "done"
            assert await ids_over_rest(rest) == ["open"]
            as_team = await team_rest.get("/api/documents", params={"personaId": "b"})
            assert len(as_team.json()["documents"]) == 3
            assert (await call(team, DELETE, EntryId="plan#1"))["ArtifactDeleted"] is True

    asyncio.run(run())


def test_what_is_wrong_with_an_entry_is_said(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        wrong: list[tuple[str, dict[str, Any], str]] = [
            (UPSERT, {"ArtifactId": "n", "Content": "  "}, "invalid_input"),
            (UPSERT, {"Content": "x"}, "invalid_input"),
            (UPSERT, {"ArtifactId": "sextant:overrules", "Content": "x"}, "invalid_input"),
            (UPSERT, {"ArtifactId": "n", "Content": "x", "EntryId": ENTRY}, "conflict"),
            (UPSERT, {"ArtifactId": "n", "Content": "x", "Vector": [1.0]}, "invalid_vector"),
            (UPSERT, {"ArtifactId": "n", "Content": "x", "Page": -1}, "invalid_input"),
            (BY_VECTOR, {"QueryVector": []}, "invalid_input"),
            (BY_VECTOR, {"QueryVector": [0.0] * 64}, "invalid_vector"),
            (BY_FILTERS, {"TopK": 0}, "invalid_input"),
            (GET, {}, "invalid_input"),
        ]
        for name, given, code in wrong:
            assert (await refusal(client, name, **given))["code"] == code, (name, given)
        own = {"ArtifactId": "n", "Content": "x", "Artifact": {"Metadata": {"sextant:source": "y"}}}
        assert "are taken" in (await refusal(client, UPSERT, **own))["message"]
        await refusal(client, ARTIFACT, ArtifactId="n")

    with_client(tmp_path, work)


def test_two_who_write_to_one_artifact_at_once_lose_nothing(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        texts = [f"Gate {number} is open." for number in range(8)]
        await asyncio.gather(
            *(call(client, UPSERT, ArtifactId="notes/1", Content=text) for text in texts)
        )
        found = await call(client, BY_FILTERS, Filters={"ArtifactIds": ["notes/1"]})
        assert {one["Content"] for one in found["Results"]} == set(texts)

    with_client(tmp_path, work)
