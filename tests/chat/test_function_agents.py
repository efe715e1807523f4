"""Agents that are a function: what they say, and what they have done by actions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from sextant.errors import ConfigError
from sextant.plugins import RunContext, action, agent
from sextant.types import (
    ActionReturned,
    ActionStarted,
    RunFinished,
    StateChanged,
    TextAdded,
    TextEnded,
)
from tests.chat.running import ANN, GROUNDED, QUEUE, events_of, only, opened, request, text_of
from tests.chat.test_actions import explode, weather


@agent
async def clerk(run: RunContext) -> str:
    """Asks the line."""
    return await run.call("search_knowledge", {"question": "Who owns Harbor Queue?"})


@agent(name="counter", description="Counts.")
async def count(run: RunContext) -> AsyncIterator[str]:
    for number in range(3):
        yield f"{number} of {len(run.tools)} "


@action(approval=True)
def pay(amount: int) -> str:
    """Pay somebody."""
    return f"{amount} paid"


async def test_a_function_is_an_agent_that_can_ask_the_line() -> None:
    async with opened(settings=GROUNDED, puts=[QUEUE]) as sextant:
        sextant.copilot.register(clerk)
        cards = await sextant.copilot.agents(ANN)
        assert [(one.name, one.description) for one in cards][1:] == [("clerk", "Asks the line.")]
        events = await events_of(sextant.copilot, request("go", agent="clerk"))
    assert isinstance(events[-1], RunFinished)
    [started], [result] = only(events, ActionStarted), only(events, ActionReturned)
    assert (started.call_id, started.name) == (result.call_id, "search_knowledge")
    assert "Team Keel" in text_of(events)
    assert json.loads(text_of(events))["citations"][0]["documentId"] == "queue"


async def test_the_line_leaves_the_state_of_an_agent_that_asks_it_as_it_is() -> None:
    @agent
    async def drafter(run: RunContext) -> None:
        run.change_state({"draft": 1}, "drafting")
        await run.call("search_knowledge", {"question": "Who owns Harbor Queue?"})

    async with opened(settings=GROUNDED, puts=[QUEUE]) as sextant:
        sextant.copilot.register(drafter)
        events = await events_of(sextant.copilot, request("go", agent="drafter"))
    assert [json.loads(one.state) for one in only(events, StateChanged)] == [{"draft": 1}]


async def test_a_function_that_yields_says_one_message_in_pieces() -> None:
    async with opened() as sextant:
        sextant.copilot.register(count, weather, pay)
        events = await events_of(sextant.copilot, request("go", agent="counter"))
    assert text_of(events) == "0 of 1 1 of 1 2 of 1 "
    assert len(only(events, TextAdded)) == 3
    assert len(only(events, TextEnded)) == 1


@pytest.mark.parametrize(
    ("name", "why"), [("explode", "cannot open"), ("ghost", "no action"), ("pay", "no action")]
)
async def test_what_fails_is_not_there_or_waits_for_a_person_is_told(name: str, why: str) -> None:
    @agent
    async def caller(run: RunContext) -> str:
        return await run.call(name)

    async with opened() as sextant:
        sextant.copilot.register(caller, explode, pay)
        events = await events_of(sextant.copilot, request("go", agent="caller"))
    assert only(events, ActionReturned)[0].failed
    assert why in text_of(events)


def test_a_function_that_blocks_is_refused() -> None:
    with pytest.raises(ConfigError, match="not async"):

        @agent  # type: ignore[arg-type]
        def blocking(run: RunContext) -> str:
            return run.run_id
