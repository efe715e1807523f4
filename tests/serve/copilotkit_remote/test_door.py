"""This server as a remote endpoint: what it offers, carries out, runs and remembers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sextant.plugins import RunContext, action
from sextant.serve.caller import Role
from sextant.settings import ChatSettings
from tests.serve.agui.serving import Copiloted, copiloted, install
from tests.serve.agui.steered_model import SCHEME
from tests.serve.rest.sending import api
from tests.serve.running import small

ROOT = "/copilotkit_remote"


@action
async def lookup(term: str, run: RunContext) -> dict[str, object]:
    """Look a term up."""
    return {"term": term, "for": run.request.properties.get("team")}


@action
def explode() -> str:
    """Fail."""
    raise RuntimeError("cannot open /srv/secret/file.txt today")


@action(approval=True)
def pay(amount: int) -> str:
    """Pay somebody."""
    return f"{amount} paid"


class Planner:
    """Asks whether it may, and says what it heard."""

    name = "planner"
    description = "Plans."

    async def run(self, context: RunContext) -> None:
        if context.answer is None:
            context.change_state({"step": 1}, "drafting")
            context.interrupt("Shall I?")
        context.say(f"You said {context.answer} in {context.state}.")


@pytest.fixture
async def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Copiloted]:
    install(monkeypatch)
    async with copiloted(tmp_path, doors="rest,copilotkit-remote") as own:
        own.server.house.sextant.copilot.register(lookup, explode, pay, Planner())
        yield own


def _run(name: str, text: str, **more: Any) -> dict[str, Any]:
    message = {"id": "u1", "type": "TextMessage", "content": text, "role": "user"}
    return {
        "name": name,
        "threadId": "thread-1",
        "messages": [message],
        "state": {},
        "config": {},
        "properties": {},
        "actions": [],
        "metaEvents": [],
    } | more


async def _events(endpoint: Copiloted, body: dict[str, Any]) -> list[dict[str, Any]]:
    response = await endpoint.post(f"{ROOT}/agents/execute", body)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.content.splitlines() if line]


def _text(events: list[dict[str, Any]]) -> str:
    return "".join(one["content"] for one in events if one["type"] == "TextMessageContent")


async def test_actions_and_agents_are_offered_as_a_runtime_reads_them(endpoint: Copiloted) -> None:
    told = (await endpoint.post(f"{ROOT}/info", {"properties": {}})).json()
    assert {one["name"]: one["type"] for one in told["agents"]} == {
        "default": "crewai",
        "planner": "crewai",
    }
    own = {one["name"]: one for one in told["actions"]}
    assert own["lookup"]["parameters"] == [
        {"name": "term", "type": "string", "description": "", "required": True}
    ]
    assert "pay" not in own


async def test_an_action_is_carried_out_with_what_the_page_sent(endpoint: Copiloted) -> None:
    body = {"name": "lookup", "arguments": {"term": "graph"}, "properties": {"team": "Keel"}}
    response = await endpoint.post(f"{ROOT}/actions/execute", body)
    assert response.json() == {"result": {"term": "graph", "for": "Keel"}}


async def test_a_failing_action_is_not_worth_another_try_and_tells_no_path(
    endpoint: Copiloted,
) -> None:
    response = await endpoint.post(f"{ROOT}/actions/execute", {"name": "explode"})
    assert (response.status_code, response.json()) == (422, {"error": "cannot open … today"})


@pytest.mark.parametrize("name", ["ghost", "pay"])
async def test_what_is_not_there_or_waits_for_a_person_is_not_found(
    endpoint: Copiloted, name: str
) -> None:
    response = await endpoint.post(f"{ROOT}/actions/execute", {"name": name, "arguments": {}})
    assert response.status_code == 404
    assert f"There is no action '{name}'" in response.json()["error"]


async def test_a_run_is_lines_of_events(endpoint: Copiloted) -> None:
    events = await _events(endpoint, _run("default", "CHUNKS:3"))
    assert [one["type"] for one in events] == [
        "TextMessageStart",
        *["TextMessageContent"] * 3,
        "TextMessageEnd",
    ]
    assert _text(events) == "tok0 tok1 tok2 "


async def test_a_call_of_the_runtimes_own_action_is_left_to_it(endpoint: Copiloted) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    hello = {"name": "sayHello", "description": "Say hello", "parameters": schema}
    body = _run("default", 'TOOL:sayHello:{"name":"Ada"}', actions=[hello])
    events = await _events(endpoint, body)
    kinds = [one["type"] for one in events]
    assert kinds[0] == "ActionExecutionStart"
    assert kinds[-1] == "ActionExecutionEnd"
    arguments = "".join(one["args"] for one in events if one["type"] == "ActionExecutionArgs")
    assert json.loads(arguments) == {"name": "Ada"}
    assert endpoint.model.prompts[0].tools[-1].parameters == schema


async def test_a_call_that_is_carried_out_here_is_not_told_to_be_done_twice(
    endpoint: Copiloted,
) -> None:
    events = await _events(endpoint, _run("default", 'TOOL:lookup:{"term":"graph"}'))
    assert {one["type"] for one in events} == {
        "TextMessageStart",
        "TextMessageContent",
        "TextMessageEnd",
    }
    assert "graph" in _text(events)


async def test_a_failure_is_an_event_and_a_text_that_a_person_sees(endpoint: Copiloted) -> None:
    events = await _events(endpoint, _run("default", "ERROR:500"))
    assert events[-1]["type"] == "RunError"
    assert events[-1]["code"] == "model_unavailable"
    assert _text(events) == events[-1]["message"]
    assert "secret" not in events[-1]["message"]


async def test_an_interrupt_is_answered_in_the_next_run_and_the_state_is_found(
    endpoint: Copiloted,
) -> None:
    events = await _events(endpoint, _run("planner", "Go."))
    assert [one["type"] for one in events] == [
        "AgentStateMessage",
        "MetaEvent",
        "AgentStateMessage",
    ]
    assert (events[0]["nodeName"], events[0]["running"]) == ("drafting", True)
    assert json.loads(events[0]["state"]) == {"step": 1}
    assert (events[1]["name"], events[1]["value"]) == ("LangGraphInterruptEvent", "Shall I?")
    assert (events[2]["running"], events[2]["active"]) == (False, False)
    asked = {"properties": {}, "threadId": "thread-1", "name": "planner"}
    kept = (await endpoint.post(f"{ROOT}/agents/state", asked)).json()
    assert (kept["threadExists"], kept["state"]) == (True, {"step": 1})
    assert [one["content"] for one in kept["messages"]] == ["Go."]
    answer = {"name": "LangGraphInterruptEvent", "value": "Shall I?", "response": "yes"}
    events = await _events(endpoint, _run("planner", "Go.", metaEvents=[answer]))
    assert _text(events) == "You said yes in {'step': 1}."


async def test_an_unknown_agent_is_named_with_those_that_there_are(endpoint: Copiloted) -> None:
    for path, body in (
        ("agents/execute", _run("ghost", "hi")),
        ("agents/state", {"threadId": "t", "name": "ghost"}),
    ):
        response = await endpoint.post(f"{ROOT}/{path}", body)
        assert response.status_code == 404
        assert "default, planner" in response.json()["error"]


@pytest.mark.parametrize(
    "message",
    [
        {"id": "m1", "type": "Telepathy"},
        {"id": "m1", "type": "TextMessage", "content": 5, "role": "user"},
        {"id": "m1", "type": "ImageMessage", "format": "png", "bytes": "%", "role": "user"},
        {"id": "m1", "type": "ResultMessage", "actionExecutionId": "none", "result": "x"},
    ],
)
async def test_messages_that_cannot_be_are_refused_before_a_run_begins(
    endpoint: Copiloted, message: dict[str, Any]
) -> None:
    body = _run("default", "hi", messages=[message])
    response = await endpoint.post(f"{ROOT}/agents/execute", body)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")
    assert endpoint.model.prompts == []


async def test_a_client_that_leaves_ends_the_run_down_to_the_model(endpoint: Copiloted) -> None:
    path = f"{ROOT}/agents/execute"
    body = _run("default", "HOLD:1")
    async with endpoint.client.stream("POST", path, json=body) as response:
        assert "TextMessageStart" in await anext(response.aiter_lines())
    await endpoint.model.left.wait()


async def test_strangers_and_other_paths_are_refused_in_the_endpoints_own_form(
    endpoint: Copiloted,
) -> None:
    async with httpx2.AsyncClient(base_url=endpoint.server.url) as stranger:
        refused = await stranger.post(f"{ROOT}/info", json={})
        assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")
    assert (await endpoint.post(f"{ROOT}/else", {})).status_code == 404
    got = await endpoint.client.get(f"{ROOT}/info")
    assert (got.status_code, got.headers["allow"]) == (405, "POST")


async def test_who_may_not_search_is_not_let_in_and_nobody_names_other_tenants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    settings = small(tmp_path, llm=f"{SCHEME}:", chat=ChatSettings(grounding="off"))
    async with api(tmp_path, settings) as own:
        async with own.client("acme") as client:
            other = _run("default", "CHUNKS:1", properties={"tenantId": "other"})
            refused = await client.post(f"{ROOT}/agents/execute", json=other)
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
            told = await client.post(f"{ROOT}/agents/execute", json=_run("default", "CHUNKS:1"))
            assert "tok0" in told.text
        async with own.client("acme", frozenset({Role.WRITE})) as writer:
            refused = await writer.post(f"{ROOT}/info", json={})
            assert refused.status_code == 403


async def test_the_line_is_offered_as_an_action_where_it_is_not_off(tmp_path: Path) -> None:
    async with copiloted(
        tmp_path, {"grounding": "agent"}, llm="", doors="rest,copilotkit-remote"
    ) as own:
        told = (await own.post(f"{ROOT}/info", {})).json()
        assert [one["name"] for one in told["actions"]] == ["search_knowledge"]
        body = {"name": "search_knowledge", "arguments": {"question": "Who owns it?"}}
        result = (await own.post(f"{ROOT}/actions/execute", body)).json()["result"]
        assert result["citations"] == []


async def test_a_run_that_a_guard_ends_says_so_in_its_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    doors = "rest,copilotkit-remote"
    async with copiloted(tmp_path, request_seconds=1.0, doors=doors) as hurried:
        events = await _events(hurried, _run("default", "HOLD:1"))
    assert (events[-1]["type"], events[-1]["code"]) == ("RunError", "overloaded")
