"""What a source says beyond what is ours, allowed or its own stays with it; the rest goes on."""

from __future__ import annotations

import asyncio
import json

import pytest

from sextant.errors import InvalidInput, NotFound
from sextant.ingest.flow import Options
from sextant.types import Chunk, Document, Entity, NameMode, Put, Relation, Scope
from tests.ingest.folders import SCOPE, fresh, workplace

SECRET = Scope(personas=frozenset({"boss"}))
OTHERS = Scope(personas=frozenset({"intern"}))


def seed(**metadata: str) -> str:
    entity = {"id": "x", "name": "Zebra Gate", "type": "gate", "aliases": [], "metadata": metadata}
    chunk = {
        "id": "d1#c1",
        "content": "The Zebra Gate is open.",
        "title": "",
        "url": "",
        "entityIds": [],
    }
    return json.dumps({"entities": [entity], "relations": [], "chunks": [chunk]})


def test_no_file_can_bring_a_field_that_is_ours() -> None:
    async def task() -> None:
        ours = "---\nsextant:linked_by_source: x\nsextant:claims: '['\n---\n"
        files = {
            "a.md": f"{ours}# Zebra Gate\n\nOpen.\n",
            "b.json": seed(**{"sextant:found_in": "person", "sextant:merges": "["}),
            "c.md": "# Notes\n\nThe zebra gate is blue.\n",
        }
        async with workplace() as place:
            report = await place.take_in(files)
            assert report.added == 4
            assert (await place.take_in(files)).unchanged == 4
            found = await place.sextant.lookup(SCOPE, ["zebra gate"], NameMode.EXACT)
            (match,) = found["zebra gate"]
            assert (match.entity.id, match.entity.metadata) == ("x", {})
            assert "docs/c.md" in await place.sextant.store.graph.mentioning(SCOPE, ["x"])

    asyncio.run(task())


def test_a_name_beyond_the_limits_refuses_its_file_alone() -> None:
    async def task() -> None:
        long = json.dumps({"entities": [{"id": "x" * 6_000, "name": "X", "type": "t"}]})
        async with workplace() as place:
            await place.take_in({"z.md": "# Zebra Gate\n\nOpen.\n"})
            report = await place.take_in({"a.json": long, "z.md": "# Zebra Gate\n\nShut.\n"})
            assert [one.error.code for one in report.failed] == ["too_large"]
            assert report.updated == 1

    asyncio.run(task())


def test_another_source_cannot_replace_a_document() -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in({"a.json": seed()}, Options(name="one"))
            report = await place.take_in({"a.json": seed(owner="me")}, Options(name="two"))
            assert [one.error.code for one in report.failed] == ["conflict"]
            units = await place.sextant.store.truth.units(SCOPE, ["d1"])
            assert units["d1"].document.metadata["sextant:source"] == "one"

    asyncio.run(task())


def test_verbs_act_on_what_the_scope_sees() -> None:
    async def task() -> None:
        async with workplace() as place:
            text = "# Zebra Gate\n\nSecret.\n"
            await place.take_in({"a.md": text}, Options(personas=("boss",)))
            assert await place.sextant.remove(OTHERS, ["docs/a.md"]) == 0
            with pytest.raises(NotFound):
                await place.sextant.alias(OTHERS, "zebra-gate", "the gate")
            with pytest.raises(InvalidInput):
                await place.sextant.alias(SECRET, "zebra-gate", "\ud800")
            assert (await place.sextant.alias(SECRET, "zebra-gate", "the gate")).aliases
            with pytest.raises(InvalidInput, match="stays"):
                await place.sextant.remove(SCOPE, ["sextant:overrules"])
            assert await place.sextant.remove(SECRET, ["docs/a.md"]) == 1

    asyncio.run(task())


def test_who_opens_documents_to_more_is_told_which_and_how_to_go_back() -> None:
    async def task() -> None:
        async with workplace() as place:
            hidden = {f"{n}.md": f"# Gate {n}\n\nSecret.\n" for n in range(7)}
            await place.take_in(hidden, Options(personas=("boss", "hr")))
            (note,) = (await place.take_in(hidden)).remarks
            assert "what only boss, hr could see is open to more" in note
            assert "docs/0.md, docs/1.md, docs/2.md, docs/3.md, docs/4.md and 2 more;" in note
            assert "--persona boss --persona hr" in note
            back = await place.take_in(hidden, Options(personas=("boss", "hr")))
            assert (back.updated, back.remarks) == (7, {})

    asyncio.run(task())


def test_a_sync_forgets_what_is_left_out_now() -> None:
    async def task() -> None:
        files = {"a.md": "# Zebra Gate\n\nOpen.\n", "b.md": "# Dock\n\nShut.\n"}
        async with workplace() as place:
            await place.take_in(files)
            report = await place.take_in(files, Options(sync=True, exclude=("b.md",)))
            assert report.removed == 1
            assert await place.dump() == await fresh({"a.md": files["a.md"]})

    asyncio.run(task())


def test_documents_written_by_hand_are_left_as_they_are_but_their_names_count() -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in({"a.md": "# Notes\n\nThe zebra gate is blue.\n"})
            relation = Relation("x", "y", "uses", 0.4, evidence=("mine#1",))
            mine = Put(
                Document("mine", metadata={"source": "docs"}),
                (Chunk("mine#1", "By hand."),),
                (Entity("x", "Zebra Gate"),),
                (relation,),
            )
            await place.sextant.write(SCOPE, [mine])
            await place.take_in({"b.md": "# More\n\nNothing.\n"}, Options(name="more"))
            assert "docs/a.md" in await place.sextant.store.graph.mentioning(SCOPE, ["x"])
            units = await place.sextant.store.truth.units(SCOPE, ["mine"])
            assert units["mine"].relations == (relation,)

    asyncio.run(task())
