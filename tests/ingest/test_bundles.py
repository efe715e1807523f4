"""Entities, relations and chunks that come apart, in any order: one knowledge in the end."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.ingest.flow import Options
from sextant.ingest.report import Report
from sextant.settings import Rule
from sextant.types import Relation, Scope, Walk
from tests.ingest.folders import SCOPE, WRITTEN, Workplace, settings_at, workplace
from tests.ingest.test_exchange import Records, exported, play

ENTITIES = ("service-a", "process-x", "team-y")
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
    "entityIds": ["service-a", "process-x"],
}
DERIVED = {"about", "links_to"}
Part = dict[str, list[dict[str, Any]]]
Cut = tuple[Records, list[Part], int]


def entity(name: str) -> dict[str, Any]:
    return {"id": name, "name": name.replace("-", " ").title(), "type": "thing"}


@st.composite
def cuts(draw: st.DrawFn) -> Cut:
    """Some records, the same in parts in some order, and which part goes and comes again."""
    chunk_ids = [f"doc{document}#c{chunk}" for document in (1, 2) for chunk in (1, 2)]
    chunks = [
        {"id": name, "content": f"Passage {name} of it.", "entityIds": list(ENTITIES[:2])}
        for name in chunk_ids
    ]
    ends = st.tuples(st.sampled_from(ENTITIES), st.sampled_from(ENTITIES))
    evidence = st.lists(st.sampled_from([*chunk_ids, "doc3#c1"]), unique=True, max_size=3)
    # Who states one thing twice in one file says it once; in two files, twice.
    stated = st.tuples(ends, evidence, st.booleans())
    drawn = draw(st.lists(stated, max_size=4, unique_by=lambda one: one[0]))
    relations = [
        {
            **({"id": f"rel-{number}"} if has_id else {}),
            "sourceEntityId": source,
            "targetEntityId": target,
            "relationType": "depends_on",
            "evidenceChunkIds": named,
        }
        for number, ((source, target), named, has_id) in enumerate(drawn)
    ]
    known = [entity(name) for name in draw(st.lists(st.sampled_from(ENTITIES), unique=True))]
    whole = {"entities": known, "relations": relations, "chunks": chunks}
    units = [("entities", [one]) for one in known] + [("relations", [one]) for one in relations]
    units += [("chunks", chunks[:2]), ("chunks", chunks[2:])]
    parts: dict[int, Part] = {}
    for kind, records in draw(st.permutations(units)):
        own = parts.setdefault(draw(st.integers(0, 3)), {})
        own.setdefault(kind, []).extend(records)
    order = draw(st.permutations(sorted(parts)))
    return whole, [parts[at] for at in order], draw(st.integers(0, len(order) - 1))


def write(folder: Path, name: str, records: object) -> Path:
    """Write records as a file of a fixed date."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(records))
    os.utime(path, (WRITTEN, WRITTEN))
    return path


async def edges(sextant: Sextant, scope: Scope = SCOPE) -> list[Relation]:
    """Return what the graph says of the entities, without what files are about."""
    around = await sextant.expand(scope, ENTITIES, Walk())
    found = (link.relation for link in around.links)
    return sorted((one for one in found if one.kind not in DERIVED), key=repr)


async def state(sextant: Sextant) -> tuple[Records, list[Relation]]:
    """Return all that is known, in one order."""
    known = await exported(sextant)
    for records in known.values():
        records.sort(key=lambda one: str(one["id"]))
    return known, await edges(sextant)


async def state_of_one(whole: Records) -> tuple[Records, list[Relation]]:
    async with workplace() as place:
        await place.ingest(write(place.home, "whole", whole))
        return await state(place.sextant)


@settings(max_examples=8, deadline=None)
@given(cuts())
def test_parts_in_any_order_are_in_the_end_what_one_bundle_is(cut: Cut) -> None:
    whole, parts, again = cut

    async def task() -> None:
        wanted = await state_of_one(whole)
        async with workplace() as place:
            paths = [write(place.home, f"part-{at}", part) for at, part in enumerate(parts)]
            for path in paths:
                report = await place.ingest(path)
                assert not report.failed
            assert await state(place.sextant) == wanted
            chunks = parts[again].get("chunks", [])
            gone = {f"part-{again}.json", *(one["id"].partition("#")[0] for one in chunks)}
            await place.sextant.remove(SCOPE, sorted(gone))
            await place.ingest(paths[again])
            assert await state(place.sextant) == wanted
        async with workplace() as place:
            await place.ingest(*[write(place.home, f"p{at}", one) for at, one in enumerate(parts)])
            assert await state(place.sextant) == wanted

    play(task())


async def take_in(place: Workplace, name: str, records: object, **options: Any) -> Report:
    return await place.ingest(write(place.home, name, records), options=Options(**options))


def test_what_is_not_there_is_named_and_joined_when_it_comes() -> None:
    async def task() -> None:
        async with workplace() as place:
            report = await take_in(place, "relations", [RELATION])
            named = [(one.kind, one.id, one.needed_by) for one in report.unresolved]
            needing = ("relation rel-1",)
            assert named == [
                ("chunk", "doc1#c12", needing),
                ("entity", "process-x", needing),
                ("entity", "service-a", needing),
            ]
            assert report.relations == 1
            (edge,) = await edges(place.sextant)
            assert edge.evidence == ()
            report = await take_in(place, "chunks", [CHUNK])
            assert {one.id for one in report.unresolved} == {"service-a", "process-x"}
            report = await take_in(place, "entities", [entity(name) for name in ENTITIES])
            assert not report.unresolved
            (edge,) = await edges(place.sextant)
            assert edge.evidence == ("doc1#c12",)

    play(task())


def test_a_dry_run_names_only_what_neither_it_nor_the_store_has() -> None:
    async def task() -> None:
        async with workplace() as place:
            await take_in(place, "entities", [entity("service-a")])
            parts = {"relations": [RELATION], "chunks": [CHUNK]}
            report = await take_in(place, "bundle", parts, dry_run=True)
            assert [one.id for one in report.unresolved] == ["process-x"]

    play(task())


def test_evidence_that_is_deleted_leaves_its_relation_and_is_joined_when_it_comes_again(
    tmp_path: Path,
) -> None:
    async def evidence(sextant: Sextant) -> Sequence[str]:
        (edge,) = await edges(sextant)
        return edge.evidence

    async def task() -> None:
        chosen = settings_at(tmp_path / "store")
        bundle = write(tmp_path, "bundle", {"relations": [RELATION], "chunks": [CHUNK]})
        async with await open_sextant(chosen) as sextant:
            await sextant.ingest(SCOPE, [str(bundle)])
            assert await evidence(sextant) == ("doc1#c12",)
            await sextant.remove(SCOPE, ["doc1"])
            assert await evidence(sextant) == ()
            assert (await exported(sextant))["relations"] == [RELATION]
        async with await open_sextant(chosen) as sextant:
            chunks = write(tmp_path, "chunks", [CHUNK])
            await sextant.ingest(SCOPE, [str(chunks)])
            assert await evidence(sextant) == ("doc1#c12",)
            await sextant.remove(SCOPE, ["bundle.json"])
            assert not await edges(sextant)
            assert "doc1" in {one.id for one in await sextant.store.truth.documents(SCOPE)}

    asyncio.run(task())


def test_a_page_that_is_read_here_can_be_evidence_too() -> None:
    async def task() -> None:
        async with workplace() as place:
            page = {"notes.md": "# Notes\n\nIt was said at noon.\n"}
            own = {**RELATION, "evidenceChunkIds": ["docs/notes.md#c0"]}
            await take_in(place, "relations", [own])
            await place.take_in(page)
            (edge,) = await edges(place.sextant)
            assert edge.evidence == ("docs/notes.md#c0",)
            await place.take_in({"notes.md": page["notes.md"] + "\nAnd at night.\n"})
            (edge,) = await edges(place.sextant)
            assert edge.evidence == ("docs/notes.md#c0",)

    play(task())


def test_a_merge_goes_for_a_relation_and_for_its_evidence() -> None:
    async def task() -> None:
        async with workplace() as place:
            await take_in(place, "entities", [entity(name) for name in ENTITIES])
            await take_in(place, "relations", [RELATION])
            await take_in(place, "chunks", [CHUNK])
            await place.sextant.merge(SCOPE, "process-x", "team-y")
            (edge,) = await edges(place.sextant)
            assert (edge.target, edge.evidence) == ("team-y", ("doc1#c12",))

    play(task())


def test_who_may_not_see_where_a_relation_is_stated_does_not_learn_of_it_from_its_evidence() -> (
    None
):
    async def task() -> None:
        async with workplace() as place:
            await take_in(place, "entities", [entity(name) for name in ENTITIES])
            await take_in(place, "chunks", [CHUNK])
            await take_in(place, "relations", [RELATION], personas=("sre",))
            assert not await edges(place.sextant, Scope())
            (seen,) = await edges(place.sextant, Scope(personas=frozenset({"sre"})))
            assert seen.target == "process-x"

    play(task())


def test_who_does_not_see_the_evidence_sees_the_relation_without_it() -> None:
    async def task() -> None:
        async with workplace() as place:
            await take_in(place, "entities", [entity(name) for name in ENTITIES])
            await take_in(place, "relations", [RELATION])
            await take_in(place, "chunks", [CHUNK], personas=("sre",))
            (others,) = await edges(place.sextant, Scope())
            (own,) = await edges(place.sextant, Scope(personas=frozenset({"sre"})))
            assert (others.evidence, own.evidence) == ((), ("doc1#c12",))

    play(task())


def test_what_a_caller_does_not_see_is_named_as_if_it_were_not_there() -> None:
    async def task() -> None:
        async with workplace() as place:
            await take_in(place, "chunks", [CHUNK], personas=("sre",))
            seen_by = {"personas": ("finance",), "seen_by": ("finance",)}
            report = await take_in(place, "relations", [RELATION], **seen_by)
            assert "doc1#c12" in {one.id for one in report.unresolved}

    play(task())


def test_no_source_speaks_in_the_name_of_a_better_one() -> None:
    async def task() -> None:
        async with workplace(Rule("chunks.json", reputation=0.9)) as place:
            await take_in(place, "chunks", [CHUNK])
            await take_in(place, "relations", [RELATION])
            (edge,) = await edges(place.sextant)
            assert edge.evidence == ()

    play(task())


async def sent_by(place: Workplace, user: str | None, name: str, records: list[Any]) -> None:
    """Take in records of one kind as somebody."""
    path = write(place.home, name, {name.partition("-")[0]: records})
    await place.sextant.ingest(Scope(user=user), [str(path)])


OTHER_CHUNK = {**CHUNK, "id": "doc2#c1", "content": "Lunch is at noon.", "entityIds": ["team-y"]}


@pytest.mark.parametrize("is_first", [True, False])
def test_a_key_cites_of_others_only_passages_that_name_both_sides(is_first: bool) -> None:
    relation = {**RELATION, "evidenceChunkIds": ["doc1#c12", "doc2#c1"]}

    async def task() -> None:
        async with workplace() as place:
            await sent_by(place, None, "entities", [entity(name) for name in ENTITIES])
            if is_first:
                await sent_by(place, "key:a", "relations", [relation])
            await sent_by(place, "key:b", "chunks-1", [CHUNK])
            await sent_by(place, "key:b", "chunks-2", [OTHER_CHUNK])
            if not is_first:
                await sent_by(place, "key:a", "relations", [relation])
            (edge,) = await edges(place.sextant)
            assert edge.evidence == ("doc1#c12",)

    play(task())


@pytest.mark.parametrize("user", [None, "key:b"])
def test_the_owner_of_a_passage_and_the_operator_may_name_any_as_evidence(user: str | None) -> None:
    async def task() -> None:
        async with workplace() as place:
            await sent_by(place, "key:b", "chunks", [OTHER_CHUNK])
            await sent_by(place, user, "relations", [{**RELATION, "evidenceChunkIds": ["doc2#c1"]}])
            (edge,) = await edges(place.sextant)
            assert edge.evidence == ("doc2#c1",)

    play(task())


def test_citing_a_better_document_makes_a_relation_worth_no_more() -> None:
    trusted = Rule("chunks-1.json", reputation=0.9)

    async def task() -> None:
        async with workplace(trusted) as place:
            await sent_by(place, None, "chunks-1", [CHUNK])
            await sent_by(place, "key:a", "relations", [RELATION])
            (edge,) = await edges(place.sextant)
            assert (edge.evidence, edge.support) == ((), 1)

    play(task())


def test_a_relation_whose_evidence_has_too_long_an_id_is_refused() -> None:
    async def task() -> None:
        async with workplace() as place:
            report = await take_in(
                place, "relations", [{**RELATION, "evidenceChunkIds": ["x" * 2_000]}]
            )
            assert [one.error.code for one in report.failed] == ["too_large"]

    play(task())


def given_vector(width: int = 16) -> list[float]:
    return [1.0, *[0.0] * (width - 1)]


@pytest.mark.parametrize("place_of_name", ["bundle", "chunk"])
def test_a_vector_of_the_stores_own_embedder_is_kept(place_of_name: str) -> None:
    async def task() -> None:
        async with workplace() as place:
            name = place.sextant.embedder.identity.name
            named = {"embedder": name}
            chunk = {**CHUNK, "contentVector": given_vector()}
            bundle: dict[str, Any] = {"chunks": [chunk], **named}
            if place_of_name == "chunk":
                bundle = {"chunks": [{**chunk, **named}]}
            report = await take_in(place, "chunks", bundle)
            assert not report.notes
            (out,) = (await exported(place.sextant, vectors=True))["chunks"]
            assert np.allclose(out["contentVector"], given_vector())
            assert out["embedder"] == name
            await take_in(place, "relations", [RELATION])
            (out,) = (await exported(place.sextant, vectors=True))["chunks"]
            assert np.allclose(out["contentVector"], given_vector())

    play(task())


def test_a_vector_of_another_embedder_is_made_anew_and_the_report_says_so() -> None:
    async def task() -> None:
        async with workplace() as place:
            bundle = {"embedder": "theirs", "chunks": [{**CHUNK, "contentVector": [0.1, 0.2]}]}
            report = await take_in(place, "chunks", bundle)
            (note,) = report.notes
            assert "1 vectors of theirs were left out" in note
            assert place.sextant.embedder.identity.name in note
            (out,) = (await exported(place.sextant, vectors=True))["chunks"]
            assert len(out["contentVector"]) == 16

    play(task())


@pytest.mark.parametrize(
    ("vector", "code"),
    [
        ([0.1, 0.2], "invalid_vector"),
        ([0.0] * 16, "invalid_vector"),
        ([float("nan")] * 16, "invalid_vector"),
        (["a"] * 16, "broken_file"),
        ("0.1", "broken_file"),
    ],
)
def test_a_vector_that_its_embedder_cannot_have_made_is_refused_by_the_chunks_name(
    vector: object, code: str
) -> None:
    async def task() -> None:
        async with workplace() as place:
            name = place.sextant.embedder.identity.name
            bundle = {"embedder": name, "chunks": [{**CHUNK, "contentVector": vector}]}
            report = await take_in(place, "chunks", bundle)
            (refusal,) = report.failed
            assert refusal.error.code == code
            assert "doc1#c12" in refusal.error.message
            assert await place.document_ids() == []

    play(task())


def test_an_export_with_vectors_is_read_in_as_it_is() -> None:
    async def task() -> None:
        bundle = {"relations": [RELATION], "chunks": [CHUNK]}
        async with workplace() as place:
            await take_in(place, "bundle", bundle)
            first = await exported(place.sextant, vectors=True)
        async with workplace() as place:
            report = await take_in(place, "bundle", first)
            assert not report.notes
            assert await exported(place.sextant, vectors=True) == first

    play(task())
