"""PyPI copilotkit, in an environment of its own, serves as our remote endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sextant.settings import ChatSettings, RemoteEndpointSettings, Settings
from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionReturned,
    ActionStarted,
    Interrupted,
    RunFinished,
    StateChanged,
)
from tests.chat.running import ANN, PLAIN, events_of, only, opened, request, text_of
from tests.chat.test_actions import calls
from tests.peers.environments import running_apart


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    """Settings that name the peer."""
    with running_apart("copilotkit_python", "remote_peer.py", "copilotkit") as url:
        remotes = (RemoteEndpointSettings("lab", url),)
        yield replace(PLAIN, chat=ChatSettings(grounding="off", remotes=remotes))


async def test_its_agent_runs_as_ours(settings: Settings) -> None:
    async with opened(settings=settings) as sextant:
        assert [one.name for one in await sextant.copilot.agents(ANN)] == ["default", "research"]
        asked = request("go", agent="research", thread_id="t1")
        events = await events_of(sextant.copilot, asked)
        assert isinstance(events[-1], RunFinished)
        assert text_of(events) == "Found three papers."
        assert [one.name for one in only(events, ActionStarted)] == ["sayHello"]
        assert [one.value for one in only(events, Interrupted)] == ["approve?"]
        states = only(events, StateChanged)
        assert [(one.node, one.is_running) for one in states] == [
            ("search", True),
            ("__end__", False),
        ]
        found = await sextant.copilot.load_state(ANN, "t1", "research")
        assert (found.exists, json.loads(found.state)) == (True, {"step": 2})


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [("lookup", '{"term":"graph"}', '"hits":3'), ("boom", "{}", "remote boom")],
)
async def test_its_actions_are_carried_out(
    settings: Settings, name: str, arguments: str, told: str
) -> None:
    model = Scripted(calls(name, arguments))
    async with opened(model, settings) as sextant:
        events = await events_of(sextant.copilot, request("go"))
    assert told in only(events, ActionReturned)[0].result
    options = model.prompts[0].tools[0].parameters["properties"]
    assert isinstance(options, dict)
    assert options["opts"] == {
        "type": "object",
        "properties": {"limit": {"type": "number", "description": ""}},
        "required": ["limit"],
        "description": "",
    }
