"""Knowledge as plain entities, relations and chunks comes in and goes out field for field."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import numpy as np
import pytest

from sextant.core import Sextant
from sextant.ingest.flow import Options
from sextant.settings import Rule
from sextant.types import NameMode, Scope, Walk
from tests.ingest.folders import SCOPE, Tree, Workplace, fresh, lay_out, workplace

Records = dict[str, list[dict[str, Any]]]

EXAMPLE: Records = {
    "entities": [
        {
            "id": "service-a",
            "name": "Service A",
            "type": "service",
            "aliases": ["ServiceA", "Svc-A"],
            "metadata": {"owner": "team-x"},
        }
    ],
    "relations": [
        {
            "id": "rel-1",
            "sourceEntityId": "service-a",
            "targetEntityId": "process-x",
            "relationType": "depends_on",
            "evidenceChunkIds": ["doc1#c12"],
        }
    ],
    "chunks": [
        {
            "id": "doc1#c12",
            "content": "Service A depends on Process X...",
            "title": "Runbook - Service A",
            "url": "https://...",
            "entityIds": ["service-a", "process-x"],
            "contentVector": [0.1, 0.2],
        }
    ],
}
PAGES: Tree = {
    "a.md": "# Service A\n\nService A depends on Harbor Queue. Owner: Team Y.\n",
    "queue.md": "# Harbor Queue\n\nHarbor Queue (HQ) is a queue. It calls Service A.\n",
    "catalog-info.yaml": "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata:\n"
    "  name: ledger\n  title: Ledger API\nspec:\n  owner: team-y\n  dependsOn: [component:dock]\n",
}


def play(task: Coroutine[Any, Any, None]) -> None:
    asyncio.run(task)


async def exported(sextant: Sextant, scope: Scope = SCOPE, *, vectors: bool = False) -> Records:
    records: Records = {"entities": [], "relations": [], "chunks": []}
    async for kind, record in sextant.export(scope, vectors=vectors):
        records[kind].append(dict(record))
    return records


async def imported(place: Workplace, records: object) -> dict[str, int]:
    """Read records in from a file, and return what the report notes."""
    lay_out(place.docs, {"knowledge.json": json.dumps(records)})
    report = await place.ingest()
    assert not report.failed
    return dict(report.notes)


def test_the_example_of_the_data_model_comes_in_and_goes_out_field_for_field() -> None:
    async def task() -> None:
        async with workplace() as place:
            notes = await imported(place, EXAMPLE)
            assert notes == {"1 foreign vectors were left out; texts are embedded here.": 1}
            out = await exported(place.sextant, vectors=True)
            (vector,) = [chunk.pop("contentVector") for chunk in out["chunks"]]
            text = "Runbook - Service A\nService A depends on Process X..."
            (own,) = await place.sextant.embedder.embed([text], "document")
            assert np.allclose(vector, own, atol=1e-6)
            assert out["chunks"][0].pop("embedder") == place.sextant.embedder.identity.name
            assert out["chunks"][0].pop("sourceType") == "json"
            assert out["chunks"][0].pop("modified")
            wanted = json.loads(json.dumps(EXAMPLE))
            del wanted["chunks"][0]["contentVector"]
            assert out == wanted

    play(task())


def test_what_came_in_is_found_by_name_by_search_and_along_its_relation() -> None:
    async def task() -> None:
        async with workplace() as place:
            await imported(place, EXAMPLE)
            names = ["service a", "svc a", "ServiceA"]
            found = await place.sextant.lookup(SCOPE, names, NameMode.EXACT)
            assert {one.entity.id for own in found.values() for one in own} == {"service-a"}
            walk = Walk(frozenset({"depends_on"}))
            (link,) = (await place.sextant.expand(SCOPE, ["service-a"], walk)).links
            assert (link.relation.target, link.relation.evidence) == ("process-x", ("doc1#c12",))
            (hit,) = (await place.sextant.search(SCOPE, "process x")).hits
            assert hit.passage.document.url == "https://..."

    play(task())


def test_a_renamed_file_keeps_its_documents_after_a_sync() -> None:
    async def task() -> None:
        example = json.dumps(EXAMPLE)
        async with workplace() as place:
            for name in ("one.json", "two.json", "another.json"):
                report = await place.take_in({name: example}, Options(sync=True))
                assert (report.written, "doc1" in await place.document_ids()) == (2, True)
            assert await place.dump() == await fresh({"another.json": example})

    play(task())


def test_a_document_comes_from_one_file_and_the_other_is_told_of() -> None:
    async def task() -> None:
        chunks = EXAMPLE["chunks"]
        more = [{**chunks[0], "id": f"doc{number}#c13"} for number in (1, 2)]
        tree = {"a.json": json.dumps({"chunks": chunks}), "b.json": json.dumps({"chunks": more})}
        async with workplace() as place:
            for _ in range(2):
                report = await place.take_in(tree, Options(sync=True))
                (refusal,) = report.failed
                assert (refusal.path, refusal.error.code) == ("b.json", "conflict")
                assert "doc1" in refusal.error.message
                assert await place.document_ids() == ["doc1", "doc2", "docs/a.json", "docs/b.json"]
            assert await place.dump() == await fresh(tree)
            gone = await place.take_in({"b.json": tree["b.json"]}, Options(sync=True))
            assert not gone.failed
            assert await place.dump() == await fresh({"b.json": tree["b.json"]})

    play(task())


def test_no_file_can_replace_what_people_said_of_names() -> None:
    async def task() -> None:
        async with workplace() as place:
            await imported(place, EXAMPLE)
            await place.sextant.alias(SCOPE, "service-a", "The Till")
            words = {"chunks": [{**EXAMPLE["chunks"][0], "id": "sextant:overrules#c1"}]}
            report = await place.take_in({"evil.json": json.dumps(words)})
            assert [one.error.code for one in report.failed] == ["broken_file"]
            lay_out(place.home / "sextant", {"a.md": "# Notes on it\n\nAll well.\n"})
            await place.ingest(place.home / "sextant", options=Options(sync=True))
            found = await place.sextant.lookup(SCOPE, ["the till"])
            assert [one.entity.id for one in found["the till"]] == ["service-a"]

    play(task())


def test_a_list_of_records_and_lines_of_them_are_the_same_knowledge() -> None:
    async def task() -> None:
        listed = [record for records in EXAMPLE.values() for record in records]
        dumps = []
        for content in (EXAMPLE, listed):
            async with workplace() as place:
                await imported(place, content)
                dumps.append(await exported(place.sextant))
        assert dumps[0] == dumps[1]

    play(task())


def test_an_export_of_anything_can_be_read_in_and_exported_again() -> None:
    async def task() -> None:
        async with workplace() as place:
            lay_out(place.docs, PAGES)
            await place.ingest()
            first = await exported(place.sextant)
        assert {one["relationType"] for one in first["relations"]} >= {"depends_on", "owned_by"}
        assert len({one["id"] for one in first["relations"]}) == len(first["relations"])
        async with workplace() as place:
            await imported(place, first)
            again = await exported(place.sextant)
        for kind in first:
            order = sorted(first[kind], key=lambda one: str(one["id"]))
            assert sorted(again[kind], key=lambda one: str(one["id"])) == order

    play(task())


def test_what_is_known_of_a_document_beside_its_text_goes_out_and_comes_in_again() -> None:
    page = "---\ntags: [money, night]\ncreated: 2024-03-01\nmodified: 2025-06-02\n---\n"
    page += "# Ledger\n\nThe Ledger keeps books.\n\n## Limits\n\nIt takes 40 entries a second.\n"

    async def task() -> None:
        async with workplace(Rule("docs/**", source_type="runbook")) as place:
            lay_out(place.docs, {"ledger.md": page})
            await place.ingest()
            (before,) = await place.sextant.store.truth.documents(SCOPE)
            first = await exported(place.sextant)
        async with workplace() as place:
            await imported(place, first)
            after = {one.id: one for one in await place.sextant.store.truth.documents(SCOPE)}[
                before.id
            ]
            for name in ("title", "source_type", "language", "tags", "created", "modified"):
                assert getattr(after, name) == getattr(before, name), name
            assert (after.source_type, after.tags) == ("runbook", frozenset({"money", "night"}))
            again = await exported(place.sextant)
        assert [one.get("headings") for one in first["chunks"]][-1] == ["Ledger"]
        assert again["chunks"] == first["chunks"]

    play(task())


@pytest.mark.parametrize(
    "field",
    [
        {"page": 0},
        {"page": True},
        {"page": "two"},
        {"tags": "money"},
        {"headings": [1]},
        {"created": "soon"},
        {"modified": 2024},
        {"sourceType": ["runbook"]},
    ],
)
def test_a_field_that_cannot_be_read_is_named(field: dict[str, Any]) -> None:
    async def task() -> None:
        async with workplace() as place:
            records = {"chunks": [{**EXAMPLE["chunks"][0], **field}]}
            report = await place.take_in({"broken.json": json.dumps(records)})
            (refusal,) = report.failed
            assert refusal.error.code == "broken_file"
            assert next(iter(field)) in refusal.error.message
            assert "doc1" not in await place.document_ids()

    play(task())


def test_who_may_not_see_a_document_gets_nothing_of_it() -> None:
    async def task() -> None:
        secret = "# Vault Zeta\n\nService A depends on Vault Zeta, owned by Team Omega.\n"
        async with workplace(Rule("docs/secret.md", personas=("sre",))) as place:
            lay_out(place.docs, {**PAGES, "secret.md": secret})
            await place.ingest()
            for personas, sees in (("sre", True), ("finance", False), ("finance sre", True)):
                scope = Scope(personas=frozenset(personas.split()))
                told = json.dumps(await exported(place.sextant, scope))
                assert [name in told for name in ("Vault", "vault", "Omega")] == [sees] * 3
                assert "Harbor Queue" in told
            assert not (await exported(place.sextant, Scope(tenant="other")))["chunks"]

    play(task())


def test_an_export_says_who_brought_what_and_only_a_curator_brings_it_so() -> None:
    async def owner_of(place: Workplace) -> str:
        unit = (await place.sextant.store.truth.units(SCOPE, ["doc1"]))["doc1"]
        return unit.document.owner

    async def task() -> None:
        example = json.dumps({"chunks": EXAMPLE["chunks"]})
        async with workplace() as place:
            lay_out(place.docs, {"knowledge.json": example})
            await place.sextant.ingest(Scope(user="ann"), [str(place.docs)])
            assert await owner_of(place) == "ann"
            assert "owner" not in (await exported(place.sextant, Scope(user="bob")))["chunks"][0]
            out = await exported(place.sextant)
            assert out["chunks"][0]["owner"] == "ann"
        async with workplace() as place:
            await imported(place, out)
            assert await owner_of(place) == "ann"
        async with workplace() as place:
            lay_out(place.docs, {"knowledge.json": json.dumps(out)})
            await place.sextant.ingest(Scope(user="bob"), [str(place.docs)])
            assert await owner_of(place) == "bob"

    play(task())
