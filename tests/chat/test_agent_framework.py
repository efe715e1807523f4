"""Agents of Microsoft Agent Framework: with a scripted model, as agents and as actions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from sextant.errors import ConfigError
from sextant.plugins import from_agent_framework
from sextant.settings import ChatSettings
from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    ClientAction,
    InterruptAnswer,
    Interrupted,
    RunFailed,
    RunFinished,
    RunRequest,
    StateChanged,
    TextEnded,
    TextStarted,
)
from tests.chat.running import (
    ANN,
    GROUNDED,
    PLAIN,
    QUEUE,
    events_of,
    only,
    opened,
    request,
    text_of,
)
from tests.chat.test_actions import calls, weather

pytest.importorskip("agent_framework")
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationContext,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)

Script = Callable[[Sequence[Message]], Iterator[Content]]


class ScriptedClient(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """A model of the framework that says what a script tells it to."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script
        self.tools: list[str] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any
    ) -> ResponseStream[ChatResponseUpdate, ChatResponse]:
        assert stream
        self.tools = [one.name for one in options.get("tools") or ()]

        async def updates() -> AsyncIterator[ChatResponseUpdate]:
            for content in self.script(messages):
                yield ChatResponseUpdate(role="assistant", contents=[content], message_id="m1")

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates)


@tool(approval_mode="never_require")
def add(a: int, b: int, ctx: FunctionInvocationContext) -> int:
    """Add two numbers."""
    if ctx.session:
        ctx.session.state["sum"] = a + b
    return a + b


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay somebody."""
    return f"{amount} paid"


def results(messages: Sequence[Message]) -> list[str]:
    """Return what calls returned so far."""
    contents = (content for message in messages for content in message.contents)
    return [str(one.result) for one in contents if one.type == "function_result"]


def calling(name: str, arguments: str) -> Script:
    """Return a script that calls something once, in two pieces, and says what it returned."""

    def script(messages: Sequence[Message]) -> Iterator[Content]:
        if told := results(messages):
            yield Content.from_text("It is ")
            yield Content.from_text(told[-1])
            return
        yield Content.from_text("Let me see.")
        half = len(arguments) // 2
        yield Content.from_function_call("c1", name, arguments=arguments[:half])
        yield Content.from_function_call("c1", "", arguments=arguments[half:])

    return script


def planner(script: Script, *tools: Any) -> tuple[Any, ScriptedClient]:
    """Return an agent, and its model."""
    client = ScriptedClient(script)
    agent = Agent(client=client, name="planner", description="Plans.", tools=list(tools))
    return from_agent_framework(agent), client


async def test_text_calls_and_state_of_its_own_functions_are_told() -> None:
    agent, _ = planner(calling("add", '{"a":1,"b":2}'), add)
    async with opened() as sextant:
        sextant.copilot.register(agent)
        cards = await sextant.copilot.agents(ANN)
        assert [(one.name, one.description) for one in cards][1:] == [("planner", "Plans.")]
        events = await events_of(sextant.copilot, request("go", agent="planner"))
    assert isinstance(events[-1], RunFinished)
    assert text_of(events) == "Let me see.It is 3"
    assert len(only(events, TextStarted)) == len(only(events, TextEnded)) == 2
    assert "".join(one.text for one in only(events, ArgumentsAdded)) == '{"a":1,"b":2}'
    [result] = only(events, ActionReturned)
    assert (result.name, result.result) == ("add", "3")
    states = only(events, StateChanged)
    assert [one.node for one in states if one.node] == ["add"]
    assert json.loads(states[-1].state) == {"sum": 3}
    assert states[-1].is_running is False


async def test_its_functions_are_actions_of_everybody_else() -> None:
    agent, _ = planner(calling("add", "{}"), add)
    model = Scripted(calls("add", '{"a":2,"b":3}'))
    async with opened(model) as sextant:
        sextant.copilot.register(agent)
        events = await events_of(sextant.copilot, request("go"))
    assert only(events, ActionReturned)[0].result == "5"
    [described] = model.prompts[0].tools
    assert (described.name, described.description) == ("add", "Add two numbers.")
    assert described.parameters["required"] == ["a", "b"]


async def test_all_other_actions_and_the_line_are_its_functions_but_never_itself() -> None:
    agent, client = planner(calling("search_knowledge", '{"question":"Who owns it?"}'), add)
    async with opened(settings=GROUNDED, puts=[QUEUE]) as sextant:
        sextant.copilot.register(agent, weather)
        asked = request("go", agent="planner", actions=(ClientAction("paint"),))
        events = await events_of(sextant.copilot, asked)
    assert sorted(client.tools) == ["add", "paint", "search_knowledge", "weather"]
    [result] = only(events, ActionReturned)
    assert "citations" in result.result
    assert result.result.partition("citations")[0] in text_of(events)


async def test_a_call_of_the_page_ends_the_run_and_its_result_comes_with_the_next() -> None:
    agent, _ = planner(calling("paint", '{"colour":"red"}'))
    paint = ClientAction("paint")
    async with opened() as sextant:
        sextant.copilot.register(agent)
        asked = request("go", agent="planner", thread_id="t1", actions=(paint,))
        events = await events_of(sextant.copilot, asked)
    assert [one.name for one in only(events, ActionStarted)] == ["paint"]
    assert not only(events, ActionReturned)
    assert text_of(events) == "Let me see."


async def test_a_function_that_needs_approval_waits_for_a_person() -> None:
    agent, _ = planner(calling("pay", '{"amount":5}'), pay)
    async with opened() as sextant:
        sextant.copilot.register(agent)
        asked = request("go", agent="planner", thread_id="t1")
        events = await events_of(sextant.copilot, asked)
        [waiting] = only(events, Interrupted)
        assert json.loads(waiting.value)["action"] == "pay"
        assert not only(events, ActionReturned)
        answer = RunRequest(thread_id="t1", answers=(InterruptAnswer("yes", waiting.interrupt_id),))
        again = await events_of(sextant.copilot, answer)
    assert [one.result for one in only(again, ActionReturned)] == ["5 paid"]
    assert text_of(again) == "It is 5 paid"


async def test_a_name_that_is_taken_or_missing_is_refused() -> None:
    with pytest.raises(ConfigError, match="no name"):
        from_agent_framework(Agent(client=ScriptedClient(calling("add", "{}"))))
    agent, _ = planner(calling("add", "{}"), add)
    async with opened() as sextant:
        sextant.copilot.register(agent)
        with pytest.raises(ConfigError, match="planner"):
            sextant.copilot.register(agent)


async def test_an_agent_that_only_calls_is_stopped_at_the_bound() -> None:
    def script(_: Sequence[Message]) -> Iterator[Content]:
        yield Content.from_function_call("c1", "weather", arguments='{"city":"Oslo"}')

    agent, _ = planner(script)
    settings = ChatSettings(grounding="off", rounds=2)
    async with opened(settings=replace(PLAIN, chat=settings)) as sextant:
        sextant.copilot.register(agent, weather)
        events = await events_of(sextant.copilot, request("go", agent="planner"))
    assert isinstance(events[-1], RunFailed)
    assert events[-1].code == "too_many_actions"
