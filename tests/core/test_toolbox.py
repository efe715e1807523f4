"""Tools through the front door: selected, learnt from, related, explained and refused."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import ConfigError, InvalidInput, NotFound
from sextant.settings import Settings
from sextant.toolbox.embedding import embed_tools
from sextant.types import (
    RelatedQuery,
    Scope,
    Tool,
    ToolChange,
    ToolLink,
    ToolRelation,
    ToolRequest,
    ToolUse,
    UsedTool,
)

SCOPE = Scope("acme")
PULL, MERGE, SIGN_IN = "github.createPullRequest", "github.mergePullRequest", "github.authenticate"
TELL, SECRET = "slack.sendMessage", "vault.readSecret"
TOOLS = (
    Tool(PULL, "Create Pull Request", "code", "Opens a pull request."),
    Tool(MERGE, "Merge Pull Request", "code", "Merges a pull request."),
    Tool(SIGN_IN, "Authenticate", "code", "Signs in to GitHub."),
    Tool(TELL, "Send Message", "chat", "Sends a message to a channel."),
    Tool(SECRET, "Read Secret", "vault", "Reads a secret.", personas=frozenset({"sre"})),
)
RELATIONS = (
    ToolRelation(PULL, SIGN_IN, ToolLink.DEPENDS_ON),
    ToolRelation(PULL, MERGE, ToolLink.OFTEN_USED_WITH, 0.92),
)


@asynccontextmanager
async def opened() -> AsyncIterator[Sextant]:
    async with await open_sextant(Settings(store="memory:", embedder="tiny:16")) as sextant:
        puts = await embed_tools(sextant.embedder, TOOLS)
        change = ToolChange(puts=puts, relations=RELATIONS)
        await sextant.toolbox.graph.change_tools(SCOPE, change)
        yield sextant


def use(number: int, request: str, *tools: str, user: str = "") -> ToolUse:
    return ToolUse(f"use-{number}", tuple(map(UsedTool, tools)), request, user)


async def test_a_request_gets_its_tools_with_what_they_require() -> None:
    async with opened() as sextant:
        found = await sextant.toolbox.select(SCOPE, ToolRequest("create pull request", k=2))
        assert [one.tool.id for one in found.tools] == [SIGN_IN, PULL]
        assert found.tokens == sum(one.tokens for one in found.tools)


async def test_a_tool_of_another_persona_is_neither_selected_nor_felt() -> None:
    async with opened() as sextant:
        box, request = sextant.toolbox, ToolRequest("read the secret", k=5)
        everybody = await box.select(SCOPE, request)
        assert SECRET not in {one.tool.id for one in everybody.tools}
        await box.graph.change_tools(SCOPE, ToolChange(removed=(SECRET,)))
        assert await box.select(SCOPE, request) == everybody


async def test_who_may_see_a_tool_gets_it() -> None:
    async with opened() as sextant:
        sre = replace(SCOPE, personas=frozenset({"sre"}))
        found = await sextant.toolbox.select(sre, ToolRequest("read secret", k=1))
        assert [one.tool.id for one in found.tools] == [SECRET]


async def test_what_was_used_for_a_request_is_selected_for_it_again_until_it_is_forgotten() -> None:
    async with opened() as sextant:
        box, request = sextant.toolbox, ToolRequest("do the friday thing", k=1)
        before = await box.select(SCOPE, request)
        assert await box.record_uses(SCOPE, [use(1, request.text, TELL)]) == 1
        (found,) = (await box.select(SCOPE, request)).tools
        assert found.tool.id == TELL
        assert any("past requests" in own for own in found.reasons)
        assert await box.forget_uses(SCOPE, ["use-1"]) == 1
        assert (await box.select(SCOPE, request)).tools == before.tools


async def test_a_tool_that_is_written_later_is_found() -> None:
    async with opened() as sextant:
        box = sextant.toolbox
        await box.select(SCOPE, "anything")
        puts = await embed_tools(
            sextant.embedder, [Tool("jira.createIssue", "Create Issue", "code")]
        )
        await box.graph.change_tools(SCOPE, ToolChange(puts=puts))
        found = await box.select(SCOPE, ToolRequest("create issue", k=1))
        assert [one.tool.id for one in found.tools] == ["jira.createIssue"]


async def test_an_enhancement_is_logged_with_the_fields_that_monitors_know(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "sextant")
    async with opened() as sextant:
        found = await sextant.toolbox.enhance(SCOPE, RelatedQuery((PULL,)))
    assert [one.tool.id for one in found.tools] == [SIGN_IN, MERGE]
    (record,) = (one for one in caplog.records if one.message == "graphrag_enhancement")
    fields = vars(record)["fields"]
    assert list(fields) == [
        "inputTools",
        "relatedToolsFound",
        "relatedToolsAdded",
        "traversalDepth",
        "latencyMs",
        "avgConfidence",
    ]
    assert (fields["inputTools"], fields["relatedToolsAdded"]) == (1, 2)


async def test_habits_lead_to_the_next_tool_and_to_a_path() -> None:
    async with opened() as sextant:
        box = sextant.toolbox
        await box.record_uses(SCOPE, [use(own, "", MERGE, TELL) for own in range(3)])
        (found,) = await box.next_tools(SCOPE, [MERGE])
        assert found.tool.id == TELL
        path = [one.id for one in await box.tool_path(SCOPE, SIGN_IN, TELL)]
        assert path == [SIGN_IN, PULL, MERGE, TELL]
        assert await box.tool_communities(SCOPE)
        assert len(await box.rank_tools(SCOPE, 2)) == 2


async def test_tools_are_shown_listed_counted_and_related() -> None:
    async with opened() as sextant:
        box = sextant.toolbox
        assert [one.id for one in await box.list_tools(SCOPE, limit=2)] == [SIGN_IN, PULL]
        assert await box.update_usage(SCOPE, TELL, 3) == 3
        await box.relate(SCOPE, ToolRelation(TELL, MERGE, ToolLink.ALTERNATIVE_TO, 0.5))
        (other,) = await box.find_alternatives(SCOPE, TELL)
        assert other.tool.id == MERGE
        shown, relations = await box.show_tool(SCOPE, TELL)
        assert (shown.usage, len(relations)) == (3, 1)
        await box.unrelate(SCOPE, TELL, ToolLink.ALTERNATIVE_TO, MERGE)
        assert (await box.show_tool(SCOPE, TELL))[1] == []
        assert (await box.graph_stats(SCOPE)).tools == 4
        with pytest.raises(NotFound):
            await box.unrelate(SCOPE, TELL, ToolLink.REPLACES, MERGE)


async def test_an_unknown_tool_is_refused_with_the_one_that_may_be_meant() -> None:
    async with opened() as sextant:
        with pytest.raises(NotFound) as refused:
            await sextant.toolbox.show_tool(SCOPE, "github.createPulRequest")
        assert refused.value.hint == f"Did you mean {PULL}?"


@pytest.mark.parametrize(
    "request_", [ToolRequest(""), ToolRequest("x", k=0), ToolRequest("x", token_budget=0)]
)
async def test_a_request_that_can_have_no_answer_is_refused(request_: ToolRequest) -> None:
    async with opened() as sextant:
        with pytest.raises(InvalidInput):
            await sextant.toolbox.select(SCOPE, request_)


async def test_a_store_without_tools_says_so() -> None:
    async with opened() as sextant:
        without = replace(sextant, store=replace(sextant.store, tools=None))
        with pytest.raises(ConfigError):
            _ = without.toolbox


async def test_waiting_requests_are_embedded_at_once_on_demand() -> None:
    async with opened() as sextant:
        box = sextant.toolbox
        await box.record_uses(SCOPE, [use(own, f"send note {own}", TELL) for own in range(40)])
        assert await box.learn(SCOPE) == 40
        assert await box.learn(SCOPE) == 0
        assert all(own.vector is not None for own in await box.graph.read_uses(SCOPE))
