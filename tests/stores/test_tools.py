"""Tools in the embedded store are, call by call, what they are in memory."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.ports import ToolGraph
from sextant.settings import Settings
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.testing.tool_suite.opening import SCOPE, START, edge, tool
from sextant.types import Outcome, RelatedQuery, Scope, ToolChange, ToolUse, UsedTool

NAMES = st.sampled_from([f"t.{letter}" for letter in "abcdef"])
KINDS = st.sampled_from(["DEPENDS_ON", "OFTEN_USED_WITH", "ALTERNATIVE_TO"])
SURE = st.none() | st.sampled_from([0.0, 0.3, 0.7, 1.0])
EDGES = st.builds(edge, NAMES, KINDS, NAMES, SURE, required=st.booleans()).filter(
    lambda one: one.source != one.target
)
TOOLS = st.builds(tool, NAMES, st.sampled_from(["code", "chat"]), st.integers(0, 3))
SECRETS = st.builds(tool, NAMES, st.just("code"), st.just(0), st.just("sre"))
CHANGES = st.builds(
    ToolChange,
    st.lists(TOOLS | SECRETS, max_size=4, unique_by=lambda one: one.tool.id).map(tuple),
    relations=st.lists(EDGES, max_size=6).map(tuple),
) | st.builds(ToolChange, removed=st.tuples(NAMES))
USES = st.builds(
    ToolUse,
    st.sampled_from(["s1", "s2", "s3", "s4"]),
    st.lists(st.builds(UsedTool, NAMES), max_size=4).map(tuple),
    user=st.sampled_from(["", "ann"]),
    at=st.integers(0, 90).map(lambda days: START + timedelta(days=days)),
    outcome=st.sampled_from(Outcome),
)
STEPS = st.one_of(
    CHANGES.map(lambda one: ("change_tools", one)),
    USES.map(lambda one: ("record_uses", [one])),
    st.sampled_from(["s1", "s2"]).map(lambda one: ("forget_uses", [one])),
)


async def read_all(graph: ToolGraph, scope: Scope) -> list[Any]:
    tools = await graph.read_tools(scope)
    habits = await graph.habits(scope)
    found: list[Any] = [one.tool for one in tools]
    found += [await graph.relations(scope), habits.tools, habits.pairs]
    found.append(await graph.tool_stats(scope))
    for one in tools:
        query = RelatedQuery((one.tool.id, "t.lost"), frozenset({"code"}), 2, 0.2)
        found += [await graph.related(scope, query), await graph.alternatives(scope, one.tool.id)]
    return found


@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=8))
def test_the_embedded_store_agrees_with_memory(steps: list[tuple[str, Any]]) -> None:
    async def run(folder: Path) -> None:
        stores = [
            await open_memory("", Settings(), None),
            await open_sqlite(str(folder / "s"), Settings(), None),
        ]
        for name, value in steps:
            for store in stores:
                await getattr(store.tools, name)(SCOPE, value)
        for scope in (SCOPE, Scope("tools", frozenset({"sre"}))):
            one, other = [await read_all(store.tools, scope) for store in stores if store.tools]
            assert one == other
        for store in stores:
            await store.admin.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
