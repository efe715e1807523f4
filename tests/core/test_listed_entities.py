"""Names are listed, words are found by whoever names them, and what is unsure is not told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from sextant.retrieval.expand import is_sure
from sextant.types import NameMode, Walk
from tests.ingest.folders import SCOPE, Workplace, workplace

PAGES = {
    "cycle.md": "# Release cycle\n\nArgo CD relies on Google's Protocol Buffers for its API. "
    "All of it was built by Simon Willison. Set `proto_path` and `proto_out` to see it, "
    "for Argo CD runs without either.\n",
    "argo.md": "# Argo CD\n\nUsers like Argo CD. Argo CD uses Redis Sentinel.\n",
    "google.md": "# Google\n\nMany ask Google.\n",
}


async def found(place: Workplace, name: str) -> Sequence[str]:
    return [one.entity.id for one in await place.sextant.find(SCOPE, name)]


def test_a_start_finds_names_and_only_without_them_what_documents_are_linked_by() -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in(PAGES)
            assert await found(place, "simon") == ["simon-willison"]
            assert await found(place, "argo") == ["argo-cd"]
            assert await found(place, "proto_path") == ["proto-path"]
            assert await found(place, "proto") == ["proto-out", "proto-path"]
            by_start = await place.sextant.lookup(SCOPE, ["proto"], NameMode.PREFIX)
            assert by_start == {"proto": []}

    asyncio.run(task())


def test_an_edge_that_is_unsure_is_followed_but_not_told() -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in(PAGES)
            walk = Walk(frozenset({"depends_on"}))
            (link,) = (await place.sextant.expand(SCOPE, ["argo-cd"], walk)).links
            assert (link.relation.target, is_sure(link.relation)) == ("google", False)
            answer = await place.sextant.ask(SCOPE, "What does Argo CD depend on?")
            assert "Argo CD depends on Google" not in answer.text
            assert not any(one.relations for one in answer.statements)

    asyncio.run(task())


def test_what_is_exported_and_read_in_again_is_no_surer_and_lists_no_more() -> None:
    async def task() -> None:
        async with workplace() as place, workplace() as other:
            await place.take_in(PAGES)
            records: dict[str, list[object]] = {"entities": [], "relations": [], "chunks": []}
            async for kind, record in place.sextant.export(SCOPE):
                records[kind].append(dict(record))
            await other.take_in({"knowledge.json": json.dumps(records)})
            walk = Walk(frozenset({"depends_on"}))
            (link,) = (await other.sextant.expand(SCOPE, ["argo-cd"], walk)).links
            assert not is_sure(link.relation)
            assert await found(other, "simon") == ["simon-willison"]
            by_start = await other.sextant.lookup(SCOPE, ["proto"], NameMode.PREFIX)
            assert by_start == {"proto": []}
            assert await found(other, "proto_path") == ["proto-path"]

    asyncio.run(task())
