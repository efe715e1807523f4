"""The bundled catalogue: every edge of the specification, and its worked example as drawn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import as_file, files

import pytest
from jsonschema import Draft202012Validator

from sextant.settings import Settings
from sextant.stores.memory.store import open_store
from sextant.toolbox.catalogue import Catalogue, FileSource, flags_of, import_tools, read_catalogue
from sextant.types import RelatedQuery, Scope, StoredTool, Tool, ToolLink, ToolRelation

_SAMPLE = files("sextant").joinpath("sample", "tools.json")
_PULL, _AUTH = "github.createPullRequest", "github.authenticate"


@pytest.fixture(scope="module")
def sample() -> Catalogue:
    return read_catalogue("tools.json", _SAMPLE.read_bytes())


def test_its_tools_are_whole(sample: Catalogue) -> None:
    assert not sample.refused
    assert 25 <= len(sample.tools) <= 40
    assert {one.server for one in sample.tools} == {"github", "gitlab", "jira", "slack", "teams"}
    categories = {one.name for one in sample.categories}
    for tool in sample.tools:
        assert tool.description
        assert tool.category in categories
        assert tool.usage
        assert tool.schema["required"]
        assert flags_of(tool) == ()
        Draft202012Validator.check_schema(tool.schema)
        Draft202012Validator.check_schema(tool.returns)


def test_every_relation_joins_tools_that_are_there(sample: Catalogue) -> None:
    known = {one.id for one in sample.tools}
    assert all({one.source, one.target} <= known for one in sample.relations)


@pytest.mark.parametrize(
    "drawn",
    [
        ToolRelation(_PULL, _AUTH, ToolLink.DEPENDS_ON, required=True),
        ToolRelation(_PULL, "github.mergePullRequest", ToolLink.OFTEN_USED_WITH, 0.92, 157),
        ToolRelation("github.mergePullRequest", "jira.createIssue", ToolLink.OFTEN_USED_WITH, 0.72),
        ToolRelation(_PULL, "jira.createIssue", ToolLink.OFTEN_USED_WITH, 0.72),
        ToolRelation("github.createBranch", _PULL, ToolLink.PRECEDES, 0.93, seconds_between=3600.0),
        ToolRelation(
            _PULL,
            "gitlab.createMergeRequest",
            ToolLink.ALTERNATIVE_TO,
            0.90,
            reason="GitLab equivalent",
        ),
        ToolRelation("slack.sendMessage", "teams.sendMessage", ToolLink.ALTERNATIVE_TO, 0.75),
        ToolRelation(
            "github.v2.createPR",
            "github.v1.createPR",
            ToolLink.REPLACES,
            version="v2",
            deprecated_at=datetime(2024, 1, 1, tzinfo=UTC),
        ),
    ],
)
def test_the_edges_of_the_specification_are_there_as_drawn(
    sample: Catalogue, drawn: ToolRelation
) -> None:
    assert drawn in sample.relations


def test_the_direct_edge_says_why_it_is_there() -> None:
    entries = json.loads(_SAMPLE.read_text("utf-8"))["relations"]
    (direct,) = [
        one for one in entries if one["source"] == _PULL and one["target"] == "jira.createIssue"
    ]
    assert "0.33" in direct["comment"]


def test_the_worked_example_comes_out_as_drawn() -> None:
    async def work() -> list[tuple[str, float, bool]]:
        async def embed(tools: Sequence[Tool]) -> list[StoredTool]:
            return [StoredTool(one) for one in tools]

        store = await open_store("", Settings(), None)
        assert store.tools is not None
        with as_file(_SAMPLE) as path:
            (report,) = await import_tools(store.tools, Scope(), [FileSource(path)], embed=embed)
        assert not report.missing
        assert not report.cycles
        found = await store.tools.related(Scope(), RelatedQuery((_PULL,)))
        await store.admin.close()
        return [(one.tool.id, one.confidence, one.required) for one in found.tools]

    assert asyncio.run(work()) == [
        (_AUTH, 1.0, True),
        ("github.mergePullRequest", 0.92, False),
        ("jira.createIssue", 0.72, False),
    ]
