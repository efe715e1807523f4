"""Imports into real stores: from files, from real and hostile servers, again and again."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sextant.build import tool_source
from sextant.errors import InvalidInput, PeerError, Unreachable
from sextant.ports import Store, ToolGraph
from sextant.settings import Settings, ToolboxSettings
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.toolbox.catalogue import (
    ChangedTool,
    DataSource,
    FileSource,
    ImportReport,
    ImportStep,
    RelationCounts,
    ServerSource,
    ToolSource,
    file_source,
    import_tools,
)
from sextant.types import (
    OPERATOR,
    Scope,
    StoredTool,
    Tool,
    ToolChange,
    ToolLink,
    ToolRelation,
)

SCOPE = Scope("t")
ALL = Scope("t", roles=frozenset({OPERATOR}))
_ROOT = Path(__file__).parents[3]
SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}}
Work = Callable[[ToolGraph, "Embedding"], Any]


class Embedding:
    """Gives each tool the length of its description as a vector, and knows which it was given."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    async def __call__(self, tools: Sequence[Tool]) -> list[StoredTool]:
        self.embedded += [one.id for one in tools]
        return [StoredTool(one, np.full((2, 4), len(one.description), np.float32)) for one in tools]


@pytest.fixture(params=["memory", "sqlite"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Work], Any]:
    """Run work on a store's tools."""

    async def opened() -> Store:
        if request.param == "memory":
            return await open_memory("", Settings(), None)
        return await open_sqlite(str(tmp_path / "store"), Settings(), None)

    def ran(work: Work) -> Any:
        async def task() -> Any:
            store = await opened()
            try:
                assert store.tools is not None
                return await work(store.tools, Embedding())
            finally:
                await store.admin.close()

        return asyncio.run(task())

    return ran


def source(name: str, *tools: dict[str, Any], **more: Any) -> DataSource:
    return DataSource(name, json.dumps({"tools": tools, **more}).encode())


def tool(name: str, description: str = "Does it.", **fields: Any) -> dict[str, Any]:
    return {"id": name, "name": name, "description": description, "schema": SCHEMA, **fields}


async def imported(
    graph: ToolGraph, embed: Embedding, *sources: ToolSource, dry_run: bool = False
) -> tuple[ImportReport, ...]:
    return await import_tools(graph, SCOPE, sources, embed=embed, dry_run=dry_run)


async def ids(graph: ToolGraph, scope: Scope = ALL) -> list[str]:
    return [one.tool.id for one in await graph.read_tools(scope)]


def test_a_source_is_replaced_as_a_whole_and_only_new_words_are_embedded(
    run: Callable[[Work], Any],
) -> None:
    async def work(graph: ToolGraph, embed: Embedding) -> None:
        await imported(graph, embed, source("s", tool("a"), tool("b"), tool("c")))
        await imported(graph, embed, source("other", tool("o")))
        embed.embedded.clear()
        (report,) = await imported(
            graph,
            embed,
            source("s", tool("a"), tool("b", "Does more."), tool("d", personas=["ops"])),
        )
        assert report.added == ("d",)
        assert report.changed == (ChangedTool("b", ("description",)),)
        assert report.removed == ("c",)
        assert report.unchanged == 1
        assert sorted(embed.embedded) == ["b", "d"]
        assert await ids(graph) == ["a", "b", "d", "o"]
        assert await ids(graph, SCOPE) == ["a", "b", "o"]

    run(work)


def test_the_vectors_of_a_tool_whose_words_are_the_same_stay(run: Callable[[Work], Any]) -> None:
    async def work(graph: ToolGraph, embed: Embedding) -> None:
        await imported(graph, embed, source("s", tool("a")))
        embed.embedded.clear()
        (report,) = await imported(graph, embed, source("s", tool("a", personas=["ops"])))
        assert report.changed == (ChangedTool("a", ("personas",)),)
        assert not embed.embedded
        held = (await graph.tools(ALL, ["a"]))["a"]
        assert held.vectors is not None
        assert held.vectors.shape == (2, 4)
        assert held.tool.personas == {"ops"}

    run(work)


def test_what_was_used_and_what_was_declared_survive(run: Callable[[Work], Any]) -> None:
    async def work(graph: ToolGraph, embed: Embedding) -> None:
        await imported(graph, embed, source("s", tool("a", usageCount=5), tool("b")))
        await graph.add_usage(SCOPE, {"a": 3})
        declared = ToolRelation("a", "b", ToolLink.PRECEDES, 0.9)
        await graph.change_tools(ALL, ToolChange(relations=(declared,)))
        await imported(graph, embed, source("s", tool("a", "Does more.", usageCount=1), tool("b")))
        assert (await graph.tools(ALL, ["a"]))["a"].tool.usage == 8
        assert await graph.relations(ALL) == [declared]

    run(work)


def test_a_dry_run_says_the_same_and_writes_nothing(run: Callable[[Work], Any]) -> None:
    async def work(graph: ToolGraph, embed: Embedding) -> None:
        sources = (source("s", tool("a")), source("t", tool("a"), tool("b")))
        planned = await imported(graph, embed, *sources, dry_run=True)
        assert not embed.embedded
        assert await ids(graph) == []
        assert await imported(graph, embed, *sources) == planned
        assert planned[1].refused[0].reason == "conflict: its id is taken, by the source 's'"

    run(work)


def test_one_source_that_fails_leaves_its_tools_and_the_others_go_on(
    run: Callable[[Work], Any], tmp_path: Path
) -> None:
    async def work(graph: ToolGraph, embed: Embedding) -> None:
        path = tmp_path / "s.json"
        path.write_text(json.dumps({"tools": [tool("a")]}))
        await imported(graph, embed, FileSource(path))
        path.unlink()
        empty = source("empty")
        failed, nothing, done = await imported(
            graph, embed, FileSource(path), empty, source("t", tool("b"))
        )
        assert isinstance(failed.error, Unreachable)
        assert "s.json cannot be read" in failed.error.message
        assert isinstance(nothing.error, InvalidInput)
        assert done.added == ("b",)
        assert await ids(graph) == ["a", "b"]

    run(work)


def test_a_tool_that_a_later_source_brings_is_not_missing(run: Callable[[Work], Any]) -> None:
    async def work(graph: ToolGraph, embed: Embedding) -> None:
        relations = [
            {"source": "a", "target": "b", "kind": "DEPENDS_ON"},
            {"source": "a", "target": "x", "kind": "DEPENDS_ON"},
        ]
        first, _ = await imported(
            graph, embed, source("s", tool("a"), relations=relations), source("t", tool("b"))
        )
        assert [one.id for one in first.missing] == ["x"]
        await imported(graph, embed, source("u", tool("x")))
        assert [one.target for one in await graph.relations(ALL)] == ["b", "x"]

    run(work)


def test_two_sources_of_one_name_are_refused(run: Callable[[Work], Any]) -> None:
    async def work(graph: ToolGraph, embed: Embedding) -> None:
        with pytest.raises(InvalidInput, match="Two sources are called 's'"):
            await imported(graph, embed, source("s", tool("a")), source("s", tool("b")))

    run(work)


def test_relations_are_inferred_and_go_with_what_they_were_read_off(
    run: Callable[[Work], Any],
) -> None:
    async def work(graph: ToolGraph, embed: Embedding) -> None:
        key = {"type": "object", "properties": {"issueId": {}}, "required": ["issueId"]}
        closing = {**tool("close"), "schema": key}
        made = {**tool("createIssue"), "returns": {"properties": {"id": {}}}}
        (first,) = await imported(graph, embed, source("s", made, closing))
        assert first.relations == RelationCounts(added=1)
        (again,) = await imported(graph, embed, source("s", made, closing))
        assert again.relations == RelationCounts(unchanged=1)
        (less,) = await imported(graph, embed, source("s", tool("createIssue"), closing))
        assert less.relations == RelationCounts(removed=1)
        assert not await graph.relations(ALL)

    run(work)


def test_fifty_thousand_tools_are_written_in_batches() -> None:
    async def work() -> None:
        store = await open_memory("", Settings(), None)
        assert store.tools is not None
        steps: list[ImportStep] = []
        lines = (json.dumps(tool(f"t{one}")) for one in range(50_000))
        many = DataSource("s", "\n".join(lines).encode(), "tools.jsonl")
        (report,) = await import_tools(
            store.tools, SCOPE, [many], embed=Embedding(), emit=steps.append
        )
        assert len(report.added) == 50_000
        written = [one.done for one in steps if one.doing == "writing tools"]
        assert written[:2] == [500, 1_000]
        assert written[-1] == 50_000
        await store.admin.close()

    asyncio.run(work())


def test_a_file_may_be_given_a_name(tmp_path: Path) -> None:
    odd = tmp_path / "a=b.json"
    odd.write_text("[]")
    assert file_source("pets=api.yaml").name == "pets"
    assert file_source("pets=api.yaml").path == Path("api.yaml")
    assert file_source("dir/api.yaml").name == "api"
    assert file_source(str(odd)).path == odd


def from_server(choice: str, name: str = "evil", **toolbox: Any) -> ServerSource:
    return tool_source(Settings(toolbox=ToolboxSettings(**toolbox)), f"{name}={choice}")


def from_hostile(mode: str, **toolbox: Any) -> ServerSource:
    return from_server(f"'{sys.executable}' -m tests.links.hostile_server {mode}", **toolbox)


@pytest.mark.parametrize("mode", ["dies", "loop", "changing", "wrong_shape", "refuses", "empty"])
def test_nothing_of_a_server_that_lies_is_taken_and_the_others_go_on(
    run: Callable[[Work], Any], mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(_ROOT)

    async def work(graph: ToolGraph, embed: Embedding) -> None:
        evil, good = await imported(graph, embed, from_hostile(mode), source("s", tool("a")))
        assert isinstance(evil.error, PeerError | InvalidInput)
        assert "evil" in evil.error.message
        assert good.added == ("a",)
        assert await ids(graph) == ["a"]

    run(work)


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("wrong_schema", "has the unknown type 'banana'"),
        ("duplicates", "its id comes twice"),
        ("large", "has 1200"),
        ("deep", "nested deeper than 32"),
    ],
)
def test_one_bad_tool_of_a_server_is_refused_and_the_others_are_taken(
    mode: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(_ROOT)

    async def work() -> None:
        store = await open_memory("", Settings(), None)
        assert store.tools is not None
        (report,) = await imported(store.tools, Embedding(), from_hostile(mode))
        assert report.added == ("evil.good",)
        assert reason in report.refused[0].reason
        await store.admin.close()

    asyncio.run(work())


@pytest.mark.parametrize(("mode", "flags"), [("poisoned", ("steering",)), ("recursive", ())])
def test_poisoned_and_recursive_tools_are_taken(
    mode: str, flags: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(_ROOT)

    async def work() -> None:
        store = await open_memory("", Settings(), None)
        assert store.tools is not None
        (report,) = await imported(store.tools, Embedding(), from_hostile(mode))
        (held,) = await store.tools.read_tools(SCOPE)
        assert held.tool.flags == flags
        assert bool(report.flagged) == bool(flags)
        await store.admin.close()

    asyncio.run(work())


def test_real_servers_are_imported_side_by_side(
    run: Callable[[Work], Any], npm_server: Callable[[str], str], tmp_path: Path
) -> None:
    async def work(graph: ToolGraph, embed: Embedding) -> None:
        sources = (
            from_server(f"{npm_server('server-everything')} stdio", "everything"),
            from_server(f"{npm_server('server-filesystem')} {tmp_path}", "files"),
        )
        everything, files = await imported(graph, embed, *sources)
        assert "everything.echo" in everything.added
        assert "files.read_text_file" in files.added
        assert not everything.refused
        assert not files.refused
        assert not files.flagged
        held = (await graph.tools(SCOPE, ["files.read_text_file"]))["files.read_text_file"].tool
        assert (held.server, held.source, held.name) == ("files", "files", "read_text_file")
        assert "path" in held.schema["properties"]
        again = await imported(graph, embed, *sources)
        assert not any(one.is_change for one in again)

    run(work)
