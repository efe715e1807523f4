"""Actions that wait for a person because a pattern of the settings fits their name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sextant.chat.links import CopilotLinks, LinkedServer
from sextant.chat.parts import CopilotPart, PartKind
from sextant.errors import PeerUnreachable
from sextant.plugins import from_agent_framework
from sextant.settings import ChatSettings, Settings
from sextant.testing.scripted import Scripted
from sextant.types import ActionReturned, InterruptAnswer, Interrupted, RunRequest
from tests.chat.remote_endpoint import endpoint
from tests.chat.running import ANN, PLAIN, events_of, only, opened, request
from tests.chat.test_actions import calls, weather
from tests.core.test_gateway import READ, WRITE, LocalServer


def _approving(*patterns: str) -> Settings:
    return replace(PLAIN, chat=ChatSettings(grounding="off", approve=patterns))


@pytest.mark.parametrize("pattern", ["weather", "wea*"])
async def test_an_action_of_ones_own_waits_where_a_pattern_fits_its_name(pattern: str) -> None:
    model = Scripted(calls("weather", '{"city":"Oslo"}'))
    async with opened(model, _approving(pattern)) as sextant:
        sextant.copilot.register(weather)
        events = await events_of(sextant.copilot, request("Go.", thread_id="t"))
        assert len(only(events, Interrupted)) == 1
        assert not only(events, ActionReturned)
        assert (await sextant.copilot.offer(ANN)).actions == ()
        answer = RunRequest(thread_id="t", answers=(InterruptAnswer("yes"),))
        events = await events_of(sextant.copilot, answer)
    assert "Oslo" in only(events, ActionReturned)[0].result


async def test_an_action_of_a_remote_waits_where_a_pattern_fits_its_name() -> None:
    model = Scripted(calls("lookup", '{"term":"graph"}'))
    with endpoint() as remote:
        async with opened(model, remote.settings(approve=("look*",))) as sextant:
            events = await events_of(sextant.copilot, request("Go.", thread_id="t"))
        assert remote.bodies("actions/execute") == []
    assert len(only(events, Interrupted)) == 1


async def _approvals(
    *patterns: str, server: LocalServer | None = None, is_tried: bool = True, **chat: Any
) -> Sequence[CopilotPart]:
    """Return what is said of patterns, beside one action and a server of files."""
    files = server or LocalServer("files", [READ, WRITE])
    links = CopilotLinks(tool_servers=(LinkedServer(files),))
    settings = _approving(*patterns)
    settings = replace(settings, chat=replace(settings.chat, **chat))
    async with opened(settings=settings) as sextant, replace(sextant, copilot_links=links) as own:
        own.copilot.register(weather)
        parts = await own.copilot.parts(ANN, tried=is_tried)
    return [one for one in parts if one.kind is PartKind.APPROVAL]


async def test_a_check_says_what_each_pattern_fits_and_which_fits_nothing() -> None:
    own, tools, nothing = await _approvals("weather", "files.*", "nope.*")
    assert (own.description, own.fault) == ("weather", "")
    assert (tools.description, tools.fault) == ("files_read_file, files_write_file", "")
    assert nothing.name == "nope.*"
    assert "fits no action" in nothing.fault
    assert nothing.hint


async def test_what_cannot_be_known_is_no_fault_of_a_pattern() -> None:
    down = LocalServer("files", [READ], failure=PeerUnreachable("It is down.", "Start it."))
    [one] = await _approvals("files.*", server=down)
    assert (one.fault, one.description) == ("", "Not known while files cannot be asked.")
    [one] = await _approvals("nope.*", client_tool_servers=("https://tools.example/",))
    assert one.fault == ""
    [one] = await _approvals("nope.*", is_tried=False)
    assert one.fault == ""


async def test_a_list_says_which_actions_wait() -> None:
    async with opened(settings=_approving("weather")) as sextant:
        sextant.copilot.register(weather)
        parts = await sextant.copilot.parts(ANN)
    assert [one.name for one in parts if one.needs_approval] == ["weather"]


async def test_a_function_that_its_agent_calls_itself_is_a_fault_of_the_pattern() -> None:
    framework = pytest.importorskip("agent_framework")
    from tests.chat.test_agent_framework import ScriptedClient, add, calling

    client = ScriptedClient(calling("add", "{}"))
    planner = framework.Agent(client=client, name="planner", tools=[add])
    async with opened(settings=_approving("add")) as sextant:
        sextant.copilot.register(from_agent_framework(planner))
        parts = await sextant.copilot.parts(ANN, tried=True)
    [one] = [part for part in parts if part.kind is PartKind.APPROVAL]
    assert "planner calls add itself" in one.fault
