"""An agent of Semantic Kernel, in an environment of its own with a scripted model, as a remote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sextant.settings import Settings
from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    RunEvent,
    RunFinished,
    StateChanged,
    TextAdded,
)
from tests.chat.running import ANN, QUEUE, events_of, only, opened, request, text_of
from tests.chat.test_actions import calls, weather
from tests.links.remote_endpoints.agui_agent import kind_settings
from tests.links.remote_endpoints.openai_model import Model, openai_model
from tests.peers.environments import running_apart


@pytest.fixture(scope="module")
def peer() -> Iterator[tuple[str, Model]]:
    """Where the agent is, and its model."""
    with openai_model() as model, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", model.url)
        patch.setenv("OPENAI_API_KEY", "none-is-needed")
        patch.setenv("OPENAI_CHAT_MODEL_ID", "scripted")
        peer = running_apart("semantic_kernel", "semantic_kernel_peer.py", "semantic-kernel")
        with peer as url:
            yield url, model


@pytest.fixture
def settings(peer: tuple[str, Model]) -> Settings:
    """Settings that name the agent."""
    return kind_settings("copilotkit", peer[0])


async def _told(settings: Settings, text: str, *parts: Any, **more: Any) -> list[RunEvent]:
    async with opened(settings=settings, **more) as sextant:
        sextant.copilot.register(*parts)
        events = await events_of(sextant.copilot, request(text, agent="clerk"))
    assert isinstance(events[-1], RunFinished), events[-1]
    return events


async def test_its_text_comes_piece_by_piece(settings: Settings) -> None:
    events = await _told(settings, "One two three.")
    assert [one.text for one in only(events, TextAdded)] == ["One ", "two ", "three. "]


async def test_its_function_is_called_there_and_told_with_the_step_and_the_state(
    settings: Settings,
) -> None:
    events = await _told(settings, 'CALL Sums-add {"first": 1, "second": 2}')
    assert [one.name for one in only(events, ActionStarted)] == ["Sums-add"]
    given = "".join(one.text for one in only(events, ArgumentsAdded))
    assert json.loads(given) == {"first": 1, "second": 2}
    assert [one.result for one in only(events, ActionReturned)] == ["3"]
    assert text_of(events).strip() == "It is 3."
    states = only(events, StateChanged)
    assert [one.node for one in states] == ["Sums-add", "Sums-add", ""]
    assert json.loads(states[-1].state) == {"sum": 3}
    assert not states[-1].is_running


async def test_its_functions_are_actions_of_others_with_their_schema(settings: Settings) -> None:
    model = Scripted(calls("Sums-add", '{"first": 20, "second": 3}'))
    async with opened(model, settings) as sextant:
        cards = await sextant.copilot.agents(ANN)
        events = await events_of(sextant.copilot, request("go"))
    assert [(one.name, one.description) for one in cards][1:] == [("clerk", "Adds numbers.")]
    assert [one.result for one in only(events, ActionReturned)] == ["23"]
    [tool] = model.prompts[0].tools
    assert tool.description == "Add two numbers."
    assert tool.parameters["required"] == ["first", "second"]
    first = {"type": "integer", "description": "the first number"}
    assert tool.parameters["properties"]["first"] == first  # type: ignore[index,call-overload]


async def test_our_actions_are_its_functions_and_it_is_none_of_them(
    settings: Settings, peer: tuple[str, Model]
) -> None:
    events = await _told(settings, 'CALL actions-weather {"city": "Oslo"}', weather)
    assert [one.name for one in only(events, ActionStarted)] == ["weather"]
    assert "Oslo" in text_of(events)
    offered = [one["function"]["name"] for one in peer[1].asked[-1]["tools"]]
    assert sorted(offered) == ["Sums-add", "actions-weather"]


async def test_the_grounded_line_is_its_function(peer: tuple[str, Model]) -> None:
    settings = kind_settings("copilotkit", peer[0], grounding="agent")
    asked = 'CALL actions-search_knowledge {"question": "Who owns Harbor Queue?"}'
    events = await _told(settings, asked, puts=[QUEUE])
    assert "Team Keel" in only(events, ActionReturned)[0].result
    assert "Team Keel" in text_of(events)
