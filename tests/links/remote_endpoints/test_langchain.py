"""LangGraph's agents over AG-UI and LangServe's chains, each served by its own package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionReturned,
    ActionStarted,
    InterruptAnswer,
    Interrupted,
    RunFinished,
    StateChanged,
)
from tests.chat.running import ANN, events_of, only, opened, request, text_of
from tests.chat.test_actions import calls, weather
from tests.links.remote_endpoints.agui_agent import kind_settings
from tests.peers.environments import running_apart


@pytest.fixture(scope="module")
def peer() -> Iterator[str]:
    """Where LangGraph and LangServe are."""
    packages = "langgraph and langserve"
    with running_apart("copilotkit_python", "langchain_peer.py", packages) as url:
        yield url


async def test_a_langgraph_agent_streams_text_state_and_nodes_and_waits_for_a_person(
    peer: str,
) -> None:
    async with opened(settings=kind_settings("agui", f"{peer}/agent")) as sextant:
        asked = request("go", agent="notes", thread_id="t1")
        events = await events_of(sextant.copilot, asked)
        assert isinstance(events[-1], RunFinished), events[-1]
        assert text_of(events) == "Found three papers."
        states = only(events, StateChanged)
        assert {"search", "review"} <= {one.node for one in states}
        assert json.loads(states[-1].state)["found"] == 3
        [waiting] = only(events, Interrupted)
        assert waiting.value == "Shall I go on?"
        answer = InterruptAnswer("yes", waiting.interrupt_id)
        again = await events_of(sextant.copilot, replace(asked, messages=(), answers=(answer,)))
    assert isinstance(again[-1], RunFinished), again[-1]
    assert text_of(again) == "You said yes."


async def test_a_langgraph_agent_has_our_actions_carried_out(peer: str) -> None:
    async with opened(settings=kind_settings("agui", f"{peer}/agent")) as sextant:
        sextant.copilot.register(weather)
        events = await events_of(sextant.copilot, request("go", agent="notes"))
    assert isinstance(events[-1], RunFinished), events[-1]
    assert [one.name for one in only(events, ActionStarted)] == ["weather"]
    assert "Oslo" in text_of(events)


@pytest.mark.parametrize(
    ("chain", "arguments", "result"),
    [
        ("shout", '{"input":"quietly"}', "QUIETLY"),
        ("add", '{"first":1,"second":2}', '{"sum":3}'),
    ],
)
async def test_a_langserve_chain_is_an_action(
    peer: str, chain: str, arguments: str, result: str
) -> None:
    model = Scripted(calls(chain, arguments))
    settings = kind_settings("langserve", f"{peer}/{chain}", chain)
    async with opened(model, settings) as sextant:
        events = await events_of(sextant.copilot, request("go"))
    assert only(events, ActionReturned)[0].result == result
    [tool] = model.prompts[0].tools
    assert (tool.name, tool.description) == (chain, "Keeps notes.")
    assert set(tool.parameters["required"]) == json.loads(arguments).keys()  # type: ignore[arg-type]


async def test_a_chain_that_fails_is_told_to_the_model(peer: str) -> None:
    model = Scripted(calls("fail", '{"input":"x"}'))
    async with opened(model, kind_settings("langserve", f"{peer}/fail", "fail")) as sextant:
        events = await events_of(sextant.copilot, request("go"))
    assert "HANDLER_ERROR" in only(events, ActionReturned)[0].result
    assert isinstance(events[-1], RunFinished)


async def test_a_chain_that_is_not_there_offers_nothing(peer: str) -> None:
    async with opened(settings=kind_settings("langserve", f"{peer}/ghost", "ghost")) as sextant:
        parts = await sextant.copilot.parts(ANN, tried=True)
    [remote] = [one for one in parts if one.name == "ghost"]
    assert "ghost did not do it" in remote.fault
