"""What a model finds in a document that few may see is seen by these few alone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.core import Sextant
from sextant.settings import Rule
from sextant.types import Direction, NameMode, Scope, Walk
from tests.ingest.clerk import clerk, modelled, reading
from tests.ingest.folders import SCOPE, Tree, lay_out

TREE: Tree = {
    "open.md": "# Harbor Queue\n\nHarbor Queue takes orders from ships.\n",
    "secret.md": "# Rota\n\nHarbor Queue is looked after by Night Crew.\n",
}
OWNED = Walk(frozenset({"owned_by"}), Direction.BOTH)


async def edges(sextant: Sextant, scope: Scope) -> bool:
    ends = ["harbor-queue", "night-crew"]
    return bool((await sextant.expand(scope, ends, OWNED)).links)


async def names(sextant: Sextant, scope: Scope) -> bool:
    found = [await sextant.lookup(scope, ["Night Crew"], mode) for mode in NameMode]
    bearers = {match.entity.name for one in found for own in one.values() for match in own}
    return "Night Crew" in bearers or bool(await sextant.entities(scope, ["night-crew"]))


async def answers(sextant: Sextant, scope: Scope) -> bool:
    answer = await sextant.ask(scope, "Who owns Harbor Queue?")
    cited = "docs/secret.md" in {one.document_id for one in answer.citations}
    assert cited == ("Night Crew" in answer.text)
    return cited


@pytest.mark.parametrize("personas", [{"sre"}, {"sre", "finance"}, {"finance"}, set()])
def test_what_a_model_finds_in_a_hidden_document_is_in_no_edge_name_or_answer_of_others(
    tmp_path: Path, personas: set[str]
) -> None:
    async def task() -> None:
        own = modelled(tmp_path / "store")
        rules = (Rule("docs/secret.md", personas=("sre",)),)
        own = replace(own, ingest=replace(own.ingest, rules=rules))
        lay_out(tmp_path / "docs", TREE)
        async with reading(own, clerk()) as sextant:
            report = await sextant.ingest(SCOPE, [str(tmp_path / "docs")])
            assert report.by_model is not None
            assert report.by_model.relations == 1
            offline, scope = replace(sextant, chat=None), Scope(personas=frozenset(personas))
            for sees in (edges, names, answers):
                assert await sees(offline, scope) == ("sre" in personas), sees.__name__

    asyncio.run(task())
