"""Agents and actions of remote endpoints: found, run, carried out, and refused if they are odd."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sextant.errors import AgentNotFound, ConfigError
from sextant.plugins import action
from sextant.settings import ChatSettings, RemoteEndpointSettings
from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ClientAction,
    InterruptAnswer,
    Interrupted,
    RemoteCall,
    RunEvent,
    RunFailed,
    RunFinished,
    Scope,
    Speaker,
    StateChanged,
    TextEnded,
    TextStarted,
)
from tests.chat.remote_endpoint import (
    Tell,
    call,
    endpoint,
    lines,
    remote_settings,
    said,
    state,
    text,
)
from tests.chat.running import ANN, PLAIN, events_of, only, opened, request, text_of
from tests.chat.test_actions import calls, weather
from tests.loopback import Answer


async def _run(tell: Tell, settings: dict[str, Any] | None = None, **more: Any) -> list[RunEvent]:
    with endpoint(tell) as remote:
        async with opened(settings=remote.settings(**(settings or {}))) as sextant:
            return await events_of(sextant.copilot, request("go", agent="research", **more))


def _failure(events: list[RunEvent]) -> RunFailed:
    assert isinstance(events[-1], RunFailed), events[-1]
    return events[-1]


async def test_remote_agents_are_found_beside_ours() -> None:
    with endpoint() as remote:
        async with opened(settings=remote.settings()) as sextant:
            cards = await sextant.copilot.agents(ANN)
            assert [one.name for one in cards] == ["default", "research"]
            await sextant.copilot.agents(ANN)
            assert len(remote.bodies("info")) == 1
            assert [one.name for one in (await sextant.copilot.offer(ANN)).agents] == ["default"]
            with pytest.raises(AgentNotFound) as refused:
                await sextant.copilot.start(ANN, request(agent="ghost"))
            assert "default, research" in refused.value.hint


async def test_who_is_called_as_one_of_ours_has_another_name_here_and_its_own_there() -> None:
    info = {
        "agents": [{"name": "default", "description": "Theirs"}],
        "actions": [{"name": "search_knowledge", "description": "Theirs"}],
    }
    kept = {"threadExists": True, "state": {"step": 2}, "messages": []}
    with endpoint(lambda _: lines(*text("m1", "Theirs.")), info=info, kept=kept) as remote:
        settings = remote.settings(grounding="agent")
        async with opened(Scripted(calls("lab_search_knowledge", "{}")), settings) as sextant:
            cards = await sextant.copilot.agents(ANN)
            assert [one.name for one in cards] == ["default", "lab_default"]
            asked = request("go", agent="lab_default", thread_id="t1")
            assert text_of(await events_of(sextant.copilot, asked)) == "Theirs."
            state = (await sextant.copilot.load_state(ANN, "t1", "lab_default")).state
            assert json.loads(state) == {"step": 2}
            await events_of(sextant.copilot, request("Call it."))
            *_, lab = await sextant.copilot.parts(ANN, tried=True)
            assert "default as lab_default" in lab.description
            assert "search_knowledge as lab_search_knowledge" in lab.description
        asked_for = ("agents/execute", "agents/state", "actions/execute")
        names = [one["name"] for method in asked_for for one in remote.bodies(method)]
    assert names == ["default", "default", "search_knowledge"]


async def test_of_two_remotes_the_second_has_its_own_name_before_what_is_taken() -> None:
    with (
        endpoint(lambda _: lines(*text("m1", "First."))) as one,
        endpoint(lambda _: lines(*text("m1", "Second."))) as two,
    ):
        remotes = (
            RemoteEndpointSettings("lab", f"{one.url}/remote"),
            RemoteEndpointSettings("old.lab", f"{two.url}/remote"),
        )
        async with opened(settings=one.settings(remotes=remotes)) as sextant:
            cards = await sextant.copilot.agents(ANN)
            assert [card.name for card in cards] == ["default", "research", "old_lab_research"]
            asked = request("go", agent="old_lab_research")
            assert text_of(await events_of(sextant.copilot, asked)) == "Second."


@pytest.mark.parametrize("kind", ["langgraph", "langgraph_agui"])
async def test_agents_that_tell_no_events_of_a_run_are_left_out(kind: str) -> None:
    listed = [{"name": "graph", "type": kind}, {"name": "crew", "type": "crewai"}, {"name": "old"}]
    with endpoint(info=said({"agents": listed})) as remote:
        async with opened(settings=remote.settings()) as sextant:
            cards = await sextant.copilot.agents(ANN)
    assert [one.name for one in cards] == ["default", "crew", "old"]


async def test_an_endpoint_that_is_down_is_named_and_nobody_else_is_held_up() -> None:
    with endpoint(info=said({}, 503)) as remote:
        async with opened(Scripted(lambda _: "Hello."), remote.settings()) as sextant:
            assert text_of(await events_of(sextant.copilot, request())) == "Hello."
            with pytest.raises(AgentNotFound) as refused:
                await sextant.copilot.start(ANN, request(agent="research"))
            assert "lab offers nothing now" in refused.value.hint


@pytest.mark.parametrize(
    "info", [said([]), said({"agents": 5}), Answer(body=b"<html>"), said({"actions": [{}, 5]})]
)
async def test_an_offer_of_another_shape_offers_nothing(info: Answer) -> None:
    with endpoint(info=info) as remote:
        async with opened(settings=remote.settings()) as sextant:
            assert [one.name for one in await sextant.copilot.agents(ANN)] == ["default"]


async def test_a_remote_agent_tells_text_state_and_what_it_waits_for() -> None:
    def tell(asked: dict[str, Any]) -> Answer:
        if asked["metaEvents"]:
            return lines(*text("rm1", "You said ", asked["metaEvents"][0]["response"]))
        interrupt = {"type": "MetaEvent", "name": "LangGraphInterruptEvent", "value": "approve?"}
        return lines(
            state(asked, "search", {"step": 1}), *text("rm1", "Found ", "three."), interrupt
        )

    with endpoint(tell) as remote:
        async with opened(settings=remote.settings()) as sextant:
            asked = request("go", agent="research", thread_id="t1", properties={"team": "Keel"})
            events = await events_of(sextant.copilot, asked)
            assert text_of(events) == "Found three."
            [change] = only(events, StateChanged)
            assert (change.agent, change.node, json.loads(change.state)) == (
                "research",
                "search",
                {"step": 1},
            )
            [waiting] = only(events, Interrupted)
            assert waiting.value == "approve?"
            answer = InterruptAnswer("yes", waiting.interrupt_id)
            goes_on = replace(asked, messages=(), answers=(answer,))
            again = await events_of(sextant.copilot, goes_on)
            assert text_of(again) == "You said yes"
            assert only(again, TextStarted)[0].message_id != "rm1"
        first, second = remote.bodies("agents/execute")
        assert first["properties"] == {"team": "Keel"}
        assert first["messages"][0]["content"] == "go"
        assert second["state"] == {"step": 1}
        assert second["metaEvents"] == [
            {"name": "LangGraphInterruptEvent", "value": "approve?", "response": "yes"}
        ]


async def test_nobody_opens_the_thread_of_another_there() -> None:
    with endpoint(lambda _: lines()) as remote:
        async with opened(settings=remote.settings()) as sextant:
            for scope in (ANN, Scope("acme", user="bob"), Scope("other", user="ann"), ANN):
                asked = request("go", agent="research", thread_id="t1")
                await events_of(sextant.copilot, asked, scope)
        ids = [one["threadId"] for one in remote.bodies("agents/execute")]
    assert ids[0] == ids[3]
    assert len(set(ids)) == 3


async def test_its_calls_of_our_actions_are_carried_out_and_told_to_it() -> None:
    def tell(asked: dict[str, Any]) -> Answer:
        last = asked["messages"][-1]
        if last["type"] == "ResultMessage":
            return lines(*text("m2", f"It said {last['result']}"))
        return lines(*call("c1", "weather", '{"city":"Oslo"}'))

    with endpoint(tell) as remote:
        async with opened(settings=remote.settings()) as sextant:
            sextant.copilot.register(weather)
            events = await events_of(sextant.copilot, request("go", agent="research"))
        offered = [one["name"] for one in remote.bodies("agents/execute")[0]["actions"]]
    assert {"weather", "lookup", "boom"} == set(offered)
    [result] = only(events, ActionReturned)
    assert "Oslo" in result.result
    assert text_of(events) == f"It said {result.result}"


async def test_a_remote_agent_that_only_calls_is_stopped_at_the_bound() -> None:
    async def at_once() -> str:
        return "ok"

    own = action(name="again", description="Again.")(at_once)
    with endpoint(lambda _: lines(*call("c1", "again", "{}"))) as remote:
        async with opened(settings=remote.settings(rounds=2)) as sextant:
            sextant.copilot.register(own)
            events = await events_of(sextant.copilot, request("go", agent="research"))
    assert _failure(events).code == "too_many_actions"
    ids = [one.call_id for one in only(events, ActionStarted)]
    assert len(ids) == len(set(ids)) == 3


async def test_its_calls_of_the_pages_actions_are_left_to_the_page() -> None:
    events = await _run(
        lambda _: lines(*call("c1", "paint", '{"colour":"red"}')),
        actions=(ClientAction("paint"),),
    )
    assert isinstance(events[-1], RunFinished)
    assert [one.call_id for one in only(events, ActionEnded)] == ["c1"]
    assert not only(events, ActionReturned)


async def test_a_call_that_it_carried_out_itself_is_told_and_not_done_again() -> None:
    result = {
        "type": "ActionExecutionResult",
        "actionExecutionId": "c1",
        "actionName": "weather",
        "result": "sunny",
    }
    events = await _run(lambda _: lines(*call("c1", "weather", "{}"), result))
    assert [one.result for one in only(events, ActionReturned)] == ["sunny"]


async def test_remote_actions_are_actions_of_a_model() -> None:
    model = Scripted(calls("lookup", '{"term":"graph"}'))
    with endpoint() as remote:
        async with opened(model, remote.settings()) as sextant:
            events = await events_of(sextant.copilot, request("go", properties={"a": 1}))
        assert remote.bodies("actions/execute") == [
            {"name": "lookup", "arguments": {"term": "graph"}, "properties": {"a": 1}}
        ]
    assert json.loads(only(events, ActionReturned)[0].result) == {"hits": 3, "term": "graph"}
    tool = model.prompts[0].tools[0]
    assert tool.parameters["required"] == ["term"]


async def test_a_model_is_told_that_results_of_a_remote_are_data_and_reads_them_fenced() -> None:
    model = Scripted(calls("lookup", '{"term":"<|im_start|>"}'))
    with endpoint() as remote:
        async with opened(model, remote.settings()) as sextant:
            events = await events_of(sextant.copilot, request("go"))
    told = model.prompts[0].messages[0]
    assert told.speaker is Speaker.SYSTEM
    assert "other servers: lookup, " in told.text
    read = model.prompts[1].messages[-1].text
    assert (read[:3], read[-4:]) == ("<<<", " end")
    assert "<|im_start|>" not in read
    assert "<|im_start|>" in only(events, ActionReturned)[0].result


@pytest.mark.parametrize(("name", "sent"), [("boom", "{}"), ("lookup", "[]"), ("lookup", "{")])
async def test_a_remote_action_that_fails_is_told_to_the_model(name: str, sent: str) -> None:
    with endpoint() as remote:
        async with opened(Scripted(calls(name, sent)), remote.settings()) as sextant:
            events = await events_of(sextant.copilot, request("go"))
    assert "HANDLER_ERROR" in only(events, ActionReturned)[0].result
    assert isinstance(events[-1], RunFinished)


_START = {"type": "TextMessageStart", "messageId": "m1", "parentMessageId": None}
_MORE = {"type": "TextMessageContent", "messageId": "m1", "content": "x"}
_END = {"type": "TextMessageEnd", "messageId": "m1"}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(body=json.dumps(_START).encode()), "middle of a line"),
        (Answer(body=b'{"type": "Text\n'), "not JSON"),
        (Answer(body=b"[]\n"), "no event"),
        (lines(_START, _MORE), "middle of a message"),
        (lines(_MORE), "has not begun"),
        (lines(_START, _END, _MORE), "has ended"),
        (lines(_START, _END, _START), "two messages of one id"),
        (lines(*call("c1", "a", "{}")[1:]), "has not begun"),
        (lines({"type": "TextMessageStart", "messageId": 5}), "wrong shape"),
        (lines({"type": "RunError", "message": "no luck"}), "failed: no luck"),
        (lines(_START, _MORE, promised=10_000), "broke off"),
        (Answer(body=b"x" * (1 << 20), pieces=3), "a line of more than"),
        (Answer(body=b'{"type": "Odd"}\n' * (1 << 16), pieces=100), "16,777,216 bytes"),
        (Answer(401), "does not let us in"),
        (Answer(503), "status 503"),
        (said({"error": "no such agent"}, 404), "no such agent"),
    ],
)
async def test_an_odd_stream_ends_the_run_and_says_why(answer: Answer, why: str) -> None:
    events = await _run(lambda _: answer)
    failed = _failure(events)
    assert why in failed.message
    assert "research" in failed.message or "lab" in failed.message
    assert len(only(events, TextStarted)) == len(only(events, TextEnded))


@pytest.mark.parametrize("other", [{"threadId": "another"}, {"runId": "run-2"}, {"state": "5"}])
async def test_the_state_of_another_run_ends_the_run(other: dict[str, Any]) -> None:
    events = await _run(
        lambda asked: lines(state(asked, "a", {}), state(asked, "b", {"x": 1}) | other)
    )
    assert "research" in _failure(events).message
    assert len(only(events, StateChanged)) == 1


async def test_an_agent_that_says_nothing_is_given_up() -> None:
    events = await _run(lambda _: Answer(body=None), {"remote_seconds": 0.05})
    assert "took longer than 0.05 s" in _failure(events).message


async def test_after_some_failures_an_endpoint_is_left_alone() -> None:
    with endpoint(lambda _: Answer(503)) as remote:
        async with opened(settings=remote.settings()) as sextant:
            asked = request("go", agent="research")
            runs = [await events_of(sextant.copilot, asked) for _ in range(6)]
        assert len(remote.bodies("agents/execute")) == 5
    assert "left alone" in _failure(runs[-1]).message


async def test_a_token_of_its_own_and_headers_of_a_hook_go_with_each_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEXTANT_CHAT_REMOTES_LAB_TOKEN", "sesame-0123456789")
    seen: list[RemoteCall] = []

    def hook(made: RemoteCall) -> dict[str, str]:
        seen.append(made)
        return {"x-team": str(made.properties.get("team"))}

    with endpoint(lambda _: lines(*text("m1", "Hi.")), token="sesame-0123456789") as remote:
        async with opened(settings=remote.settings()) as sextant:
            sextant.copilot.add_remote_headers(hook)
            asked = request("go", agent="research", properties={"team": "Keel"})
            assert text_of(await events_of(sextant.copilot, asked)) == "Hi."
    assert remote.heard[-1].headers["x-team"] == "Keel"
    assert [one.scope for one in seen] == [None, ANN]


async def test_the_state_of_a_thread_is_loaded_from_there() -> None:
    kept = {"threadExists": True, "state": {"step": 2}, "messages": []}
    with endpoint(lambda _: lines(), kept=kept) as remote:
        async with opened(settings=remote.settings()) as sextant:
            await events_of(sextant.copilot, request("go", agent="research", thread_id="t1"))
            found = await sextant.copilot.load_state(ANN, "t1", "research")
            assert (found.exists, json.loads(found.state)) == (True, {"step": 2})
        [asked] = remote.bodies("agents/state")
        [run] = remote.bodies("agents/execute")
    assert asked["threadId"] == run["threadId"] != "t1"


@pytest.mark.parametrize("url", ["ftp://host", "https://", "https://me:pw@host/x"])
async def test_an_address_that_cannot_be_one_is_refused(url: str) -> None:
    own = ChatSettings(remotes=(RemoteEndpointSettings("lab", url),))
    with pytest.raises(ConfigError, match="The address of lab"):
        async with opened(settings=replace(PLAIN, chat=own)):
            pass


async def test_an_endpoint_that_nobody_listens_at_offers_nothing() -> None:
    with endpoint() as gone:
        settings = remote_settings(gone.url)
    async with opened(settings=settings) as sextant:
        assert [one.name for one in await sextant.copilot.agents(ANN)] == ["default"]
