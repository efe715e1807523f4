"""How the suite opens the graph under test, and the tools that it fills it with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from sextant.ports import ToolGraph
from sextant.types import (
    Scope,
    StoredTool,
    Tool,
    ToolChange,
    ToolLink,
    ToolRelation,
    ToolUse,
    UsedTool,
)

SCOPE = Scope("tools")
START = datetime(2026, 11, 2, 9, tzinfo=UTC)
T = TypeVar("T")


class OpenedGraph:
    """Override ``open_graph``."""

    async def open_graph(self, folder: Path) -> ToolGraph:
        """Open an empty graph, or the one that was kept in this folder."""
        raise NotImplementedError

    def with_graph(self, folder: Path, task: Callable[[ToolGraph], Awaitable[T]]) -> T:
        """Run a task on an open graph and close it."""

        async def run() -> T:
            graph = await self.open_graph(folder)
            try:
                return await task(graph)
            finally:
                await graph.close()

        return asyncio.run(run())


def tool(name: str, category: str = "code", usage: int = 0, *personas: str) -> StoredTool:
    """Return a tool without vectors."""
    schema = {"type": "object", "properties": {"title": {"type": "string"}}}
    made = Tool(
        name,
        name.partition(".")[2],
        category,
        f"Does {name}.",
        schema,
        server=name.partition(".")[0],
        source="suite",
        personas=frozenset(personas),
        usage=usage,
    )
    return StoredTool(made)


def edge(
    source: str, kind: str, target: str, confidence: float | None = None, **fields: object
) -> ToolRelation:
    """Return a declared relation."""
    return ToolRelation(source, target, ToolLink(kind), confidence, **fields)  # type: ignore[arg-type]


def use(name: str, *tools: str, seconds: int = 60, user: str = "") -> ToolUse:
    """Return a session whose calls are so many seconds apart."""
    calls = tuple(
        UsedTool(one, START + timedelta(seconds=seconds * at)) for at, one in enumerate(tools)
    )
    return ToolUse(name, calls, f"request {name}", user, START)


DRAWN = ToolChange(
    puts=(
        tool("github.createPullRequest", usage=850),
        tool("github.authenticate", usage=900),
        tool("github.mergePullRequest", usage=600),
        tool("github.createBranch", usage=700),
        tool("jira.createIssue", "project", 500),
        tool("gitlab.createMergeRequest", usage=300),
        tool("slack.sendMessage", "chat", 400),
        tool("teams.sendMessage", "chat", 200),
    ),
    relations=(
        edge("github.createPullRequest", "DEPENDS_ON", "github.authenticate"),
        edge("github.createPullRequest", "OFTEN_USED_WITH", "github.mergePullRequest", 0.92),
        edge("github.mergePullRequest", "OFTEN_USED_WITH", "jira.createIssue", 0.72),
        edge("github.createPullRequest", "OFTEN_USED_WITH", "jira.createIssue", 0.72),
        edge("github.createBranch", "PRECEDES", "github.createPullRequest", 0.93),
        edge(
            "github.createPullRequest",
            "ALTERNATIVE_TO",
            "gitlab.createMergeRequest",
            0.9,
            reason="GitLab equivalent",
        ),
        edge("slack.sendMessage", "ALTERNATIVE_TO", "teams.sendMessage", 0.75),
    ),
)
"""The graph of specification 003, with the edge that only its drawing has."""
