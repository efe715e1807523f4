"""A write key gives itself no reputation, takes none from others, and poses as nobody else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sextant.prompting.network.trust import trusted
from sextant.settings import IngestSettings, Rule, Settings
from sextant.types import CURATOR, Document, Scope
from tests.loopback import Answer, Request, answering
from tests.serve.jobs.working import in_loop
from tests.serve.rest.sending import CURATOR as CURATING
from tests.serve.rest.sending import Api, api, ids, post, refused, upload
from tests.serve.running import small

POLICY = {"id": "leave-policy", "text": "Leave is 30 days a year."}
RULES = (
    Rule("**", reputation=0.4),
    Rule("policies/**", reputation=0.95),
    Rule("wiki.example/handbook/**", reputation=0.9),
    Rule("restricted/**", personas=("sre",)),
)


def ruled(folder: Path, *more: Rule, **options: Any) -> Settings:
    """Return settings with rules that trust some paths."""
    return replace(small(folder), ingest=IngestSettings(rules=(*RULES, *more), **options))


async def call(client: httpx2.AsyncClient, tool: str, **arguments: Any) -> Any:
    """Call an MCP tool over HTTP and return its result."""
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
    headers = {"Accept": "application/json, text/event-stream"}
    return (await client.post("/mcp", json=body, headers=headers)).json()["result"]


async def upsert(client: httpx2.AsyncClient, document_id: str, **artifact: Any) -> Any:
    """Write an entry, and return what the tool says."""
    return await call(
        client,
        "KnowledgeStore.UpsertEntry",
        ArtifactId=document_id,
        EntryId=f"{document_id}#1",
        Content="Leave is 3 days a year.",
        Artifact=artifact,
    )


async def document(client: httpx2.AsyncClient, document_id: str) -> Any:
    return (await client.get(f"/api/documents/{document_id}")).json()["document"]


def is_error(result: Any, words: str) -> bool:
    return bool(result.get("isError")) and words in result["content"][0]["text"]


@in_loop
async def test_a_writer_says_nothing_of_what_its_own_source_is_worth(tmp_path: Path) -> None:
    async with api(tmp_path) as door, door.client() as writer, door.client(roles=CURATING) as admin:
        result = await upsert(writer, "mine", SourceReputationScore=1.0)
        assert is_error(result, "Only the role admin says what a source is worth.")
        assert not await ids(writer)
        assert not (await upsert(writer, "mine", Title="Mine")).get("isError")
        assert not (await upsert(writer, "mine", SourceReputationScore=0.5)).get("isError")
        assert is_error(
            await upsert(writer, "mine", SourceReputationScore=0.51), "Only the role admin"
        )
        assert not (await upsert(admin, "mine", SourceReputationScore=0.8)).get("isError")
        assert (await document(writer, "mine"))["reputation"] == 0.8
        # What a curator valued is the curator's now: nobody else fills it with something new.
        assert is_error(await upsert(writer, "mine"), "That id is taken.")


@in_loop
async def test_a_writer_neither_devalues_nor_rewrites_nor_removes_what_others_brought(
    tmp_path: Path,
) -> None:
    async with api(tmp_path) as door, door.client() as owner, door.client() as attacker:
        assert (await post(owner, {"documents": [POLICY]})).json()["state"] == "done"
        before = (await owner.get("/api/documents/leave-policy")).json()
        entry = before["chunks"][0]["id"]

        async def rewritten() -> list[Any]:
            forged = {"documents": [{**POLICY, "text": "Leave is 3 days a year."}]}
            return [
                (await post(attacker, forged)).json()["problem"],
                (await post(attacker, {**forged, "name": "other"})).json()["problem"],
            ]

        for problem in await rewritten():
            assert problem["code"] == "conflict"
        for fields in ({}, {"SourceReputationScore": 0.0}, {"Title": "Mine"}):
            assert is_error(await upsert(attacker, "leave-policy", **fields), "That id is taken.")
        deleted = await call(attacker, "KnowledgeStore.DeleteEntry", EntryId=entry)
        assert is_error(deleted, "somebody else's")
        refused(await attacker.delete("/api/documents/leave-policy"), 403, "forbidden")
        sync = {"documents": [{"id": "other", "text": "Mine."}], "name": "upload", "sync": True}
        assert (await post(attacker, sync)).json()["report"]["removed"] == 0
        after = (await owner.get("/api/documents/leave-policy")).json()
        assert after == before
        assert (await owner.delete("/api/documents/leave-policy")).status_code == 204


@in_loop
async def test_a_curator_replaces_what_others_brought_and_holds_it_then(tmp_path: Path) -> None:
    async with api(tmp_path) as door, door.client() as owner, door.client(roles=CURATING) as admin:
        body = {"documents": [POLICY]}
        assert (await post(owner, body)).json()["report"]["added"] == 1
        assert (await post(owner, body)).json()["report"]["unchanged"] == 1
        first = (await document(owner, "leave-policy"))["owner"]
        assert first.startswith("key:")
        assert (await post(admin, body)).json()["report"]["updated"] == 1
        held = (await document(admin, "leave-policy"))["owner"]
        assert held.startswith("key:")
        assert held != first
        assert (await document(owner, "leave-policy"))["owner"] is None
        assert (await post(owner, body)).json()["problem"]["code"] == "conflict"
        assert (await admin.delete("/api/documents/leave-policy")).status_code == 204


@in_loop
async def test_no_id_name_or_address_borrows_the_trust_of_a_rule(tmp_path: Path) -> None:
    async with (
        api(tmp_path, ruled(tmp_path)) as door,
        door.client() as writer,
        door.client(roles=CURATING) as admin,
    ):
        text = "Leave is 3 days a year."
        chunk = {"id": "policies/leave.md#c1", "content": text, "entityIds": []}
        claims: list[dict[str, Any]] = [
            {"documents": [{"id": "policies/leave.md", "text": text}]},
            {"documents": [{"id": "x/policies/leave.md", "text": text}]},
            {"documents": [{"title": "leave", "text": text}], "name": "policies"},
            {"documents": [{"id": "b", "text": text, "url": "https://wiki.example/handbook/b"}]},
            {"chunks": [chunk]},
        ]
        for claim in claims:
            job = (await post(writer, claim)).json()
            assert (job["state"], job["problem"]["code"]) == ("failed", "forbidden"), claim
        for sent in (
            await upload(writer, {"leave.md": text}, name="policies"),
            await upload(writer, {"policies/leave.md": text}),
        ):
            assert sent.json()["problem"]["code"] == "forbidden"
        assert is_error(await upsert(writer, "policies/leave.md"), "A rule of the settings")
        address = await upsert(writer, "b", Url="https://wiki.example/handbook/b")
        assert is_error(address, "A rule of the settings")
        assert not await ids(writer)
        assert (await post(writer, {"documents": [{"id": "a", "text": text}]})).is_success
        assert (await document(writer, "a"))["reputation"] == 0.4
        assert (await post(admin, claims[0])).json()["state"] == "done"
        assert (await document(admin, "policies/leave.md"))["reputation"] == 0.95


def _policy_page(_: Request) -> Answer:
    page = b"<html><title>Policy</title><p>Leave is 3 days.</p></html>"
    return Answer(200, page, {"content-type": "text/html"})


@in_loop
async def test_a_page_of_the_writers_own_site_borrows_no_trust_by_its_path(tmp_path: Path) -> None:
    settings = ruled(tmp_path, private_addresses=True)
    with answering(_policy_page) as site:
        async with (
            api(tmp_path, settings) as door,
            door.client() as writer,
            door.client(roles=CURATING) as admin,
        ):
            claim = {"url": f"{site}/policies/leave"}
            assert (await post(writer, claim)).json()["problem"]["code"] == "forbidden"
            assert (await post(admin, claim)).json()["state"] == "done"


@in_loop
async def test_a_rule_that_names_owners_holds_for_these(tmp_path: Path) -> None:
    settings = small(tmp_path)
    async with api(tmp_path, settings) as first:
        trusted, other = await _key(first), await _key(first)
    rule = Rule("press/**", reputation=0.9, owners=(f"key:{trusted[0]}",))
    anybody = Rule("drafts/**", reputation=0.2, owners=("*",))
    settings = replace(settings, ingest=IngestSettings(rules=(rule, anybody)))
    async with api(tmp_path, settings) as door:
        body = {"documents": [{"id": "press/a", "text": "We won."}]}
        async with _client(door, trusted[1]) as writer, _client(door, other[1]) as stranger:
            assert (await post(stranger, body)).json()["problem"]["code"] == "forbidden"
            assert (await post(writer, body)).json()["state"] == "done"
            assert (await document(writer, "press/a"))["reputation"] == 0.9
            draft = {"documents": [{"id": "drafts/a", "text": "We may win."}]}
            assert (await post(stranger, draft)).json()["state"] == "done"
            assert (await document(stranger, "drafts/a"))["reputation"] == 0.2


async def _key(door: Api) -> tuple[str, str]:
    client = door.client()
    text = client.headers["authorization"].removeprefix("Bearer ")
    await client.aclose()
    return text.split("_")[1], text


def _client(door: Api, text: str) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {text}"}
    return httpx2.AsyncClient(
        base_url=door.server.url, headers=headers, timeout=60, verify=trusted()
    )


@pytest.mark.parametrize(
    ("scope", "curates"),
    [
        (Scope(), True),
        (Scope(user="ann"), False),
        (Scope(user="ann", roles=frozenset({CURATOR})), True),
        (Scope(user="operator"), False),
    ],
)
def test_whoever_runs_the_store_and_curators_decide_for_all(scope: Scope, curates: bool) -> None:
    assert scope.curates is curates
    assert scope.knows_owner(Document("d", owner="bob")) is curates
    assert scope.knows_owner(Document("d", owner=scope.user or "")) is True
