"""The same request selects the same tools, for the same reasons, through every door."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sextant.build import open_sextant
from sextant.toolbox.catalogue.sample import sample_tools
from sextant.types import Scope, ToolRequest, ToolUse, UsedTool
from tests.cli.commands import environment
from tests.serve.mcp.doors import call, over_http, over_stdio, stored
from tests.serve.running import served, small

PR, SEND = "github.createPullRequest", "slack.sendMessage"
REQUESTS = {
    "plain": ToolRequest("open a pull request for the fix and tell the team"),
    "in a budget": ToolRequest("open a pull request and file an issue", token_budget=150),
    "of two categories": ToolRequest(
        "file a bug and send a message",
        k=4,
        allowed_categories=frozenset({"project", "communication"}),
    ),
    "without some": ToolRequest(
        "create a pull request", excluded=frozenset({"github.v2.createPR"})
    ),
    "with one down": ToolRequest("create a pull request", unavailable=frozenset({PR})),
    "of nothing known": ToolRequest("zzzz qqqq"),
}
Told = Mapping[str, list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the bundled tools, of which some were used."""
    home = tmp_path_factory.mktemp("tools")

    async def fill() -> None:
        async with await open_sextant(small(home)) as sextant:
            await sextant.toolbox.import_tools(Scope(), [sample_tools()])
            calls = (UsedTool(PR), UsedTool(SEND))
            uses = [ToolUse(f"u{at}", calls, "open a pull request") for at in range(3)]
            await sextant.toolbox.record_uses(Scope(), uses)

    asyncio.run(fill())
    return home


@pytest.fixture(scope="module")
def expected(folder: Path) -> Told:
    """What Python itself selects."""

    async def select() -> Told:
        async with await open_sextant(small(folder)) as sextant:
            found = {
                name: await sextant.toolbox.select(Scope(), one) for name, one in REQUESTS.items()
            }
        return {
            name: [
                (one.tool.id, one.detail.value, one.tokens, one.rank, list(one.reasons))
                for one in own.tools
            ]
            for name, own in found.items()
        }

    return asyncio.run(select())


def body_of(request: ToolRequest) -> dict[str, Any]:
    context = {
        "allowedCategories": sorted(request.allowed_categories or ()) or None,
        "tokenBudget": request.token_budget,
    }
    return {
        "query": request.text,
        "maxTools": request.k,
        "excludedTools": sorted(request.excluded),
        "unavailableTools": sorted(request.unavailable),
        "context": {name: value for name, value in context.items() if value is not None},
    }


def told(reply: Any) -> list[tuple[Any, ...]]:
    return [
        (one["id"], one["detail"], one["tokens"], one["rank"], one["reasons"])
        for one in reply["tools"]
    ]


def test_something_is_selected_and_learnt(expected: Told) -> None:
    assert all(own for name, own in expected.items() if name != "of nothing known")
    assert any("past requests" in str(own) for own in expected.values())


def test_rest_and_mcp_over_http_select_the_same(folder: Path, expected: Told) -> None:
    async def ask() -> tuple[Told, Told]:
        async with served(small(folder)) as one, one.client() as http, over_http(one) as mcp:
            rest, tools = {}, {}
            for name, request in REQUESTS.items():
                body = body_of(request)
                rest[name] = told((await http.post("/api/tools/select", json=body)).json())
                tools[name] = told(await call(mcp, "select_tools", **body))
            return rest, tools

    rest, tools = asyncio.run(ask())
    assert rest == expected
    assert tools == expected


def test_mcp_over_stdio_selects_the_same(folder: Path, expected: Told) -> None:
    async def ask() -> Told:
        async with over_stdio(folder, "--read-only", **stored(folder)) as mcp:
            names = {one.name for one in (await mcp.list_tools()).tools}
            assert "select_tools" in names
            assert names.isdisjoint({"record_tool_use", "update_tool_usage"})
            return {
                name: told(await call(mcp, "select_tools", **body_of(request)))
                for name, request in REQUESTS.items()
            }

    assert asyncio.run(ask()) == expected


async def _on_the_command_line(folder: Path, request: ToolRequest) -> list[tuple[Any, ...]]:
    given = ["--k", str(request.k), "--json"]
    given += ["--budget", str(request.token_budget)] if request.token_budget else []
    for option, values in (
        ("--category", request.allowed_categories or ()),
        ("--exclude", request.excluded),
        ("--unavailable", request.unavailable),
    ):
        given += [part for value in values for part in (option, value)]
    arguments = ("-m", "sextant", "tools", "select", request.text, *given)
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=folder,
        env=environment(**stored(folder)),
        stdout=asyncio.subprocess.PIPE,
    )
    shown, _ = await child.communicate()
    return [
        (one["tool"]["id"], one["detail"], one["tokens"], one["rank"], one["reasons"])
        for one in json.loads(shown)["tools"]
    ]


def test_the_command_line_selects_the_same(folder: Path, expected: Told) -> None:
    async def ask() -> Told:
        return {
            name: await _on_the_command_line(folder, request) for name, request in REQUESTS.items()
        }

    assert asyncio.run(ask()) == expected
