"""GraphQL over HTTP: queries and runs, in parts, as events and whole, and every error over 200."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from sextant.types import (
    RunEvent,
    RunFinished,
    RunStarted,
    TextAdded,
    TextEnded,
    TextStarted,
)
from tests.serve.graphql.recordings import client_documents, node_runtime
from tests.serve.graphql.scripted import CLIENT, Answered, ScriptedCopilot, ScriptedRun, answer
from tests.serve.graphql.urql import put_together

_RUN = "generateCopilotResponse"
_HELLO: list[list[RunEvent]] = [
    [RunStarted("thread-1", "run-1"), TextStarted("m")],
    [TextAdded("m", "Hel"), TextAdded("m", "lo")],
    [TextEnded("m"), RunFinished()],
]
_DATA = node_runtime()["cases"]["chat_text"]["variables"]["data"]


def _body(query: str = "", **data: Any) -> dict[str, Any]:
    query = query or node_runtime()["queries"][_RUN]
    return {"query": query, "variables": {"data": {**_DATA, **data}}}


def _talk() -> ScriptedCopilot:
    return ScriptedCopilot(ScriptedRun(_HELLO))


def _errors(answered: Answered) -> Any:
    assert answered.status == 200
    assert "json" in answered.content_type
    told = answered.json
    assert not told.get("data")
    for error in told["errors"]:
        assert error["extensions"].keys() >= {"code", "severity", "visibility"}
        assert "Traceback" not in json.dumps(error)
        assert ".py" not in json.dumps(error)
    return told["errors"]


def test_somebody_is_there() -> None:
    answered = answer(ScriptedCopilot(), {"query": "{ hello }"}, "*/*")
    assert answered.json == {"data": {"hello": "Hello World"}}
    assert answered.content_type == "application/json; charset=utf-8"


@pytest.mark.parametrize(
    "release", [one for one, own in client_documents().items() if "availableAgents" in own]
)
def test_every_client_finds_agents_and_the_state_of_a_thread(release: str) -> None:
    documents = client_documents()[release]
    body: dict[str, Any] = {"query": documents["availableAgents"], "variables": {}}
    found = answer(ScriptedCopilot(), body)
    assert found.content_type == "application/graphql-response+json; charset=utf-8"
    agent = {"name": "research", "id": "research", "description": "Research agent"}
    assert found.json == {"data": {"availableAgents": {"agents": [agent]}}}
    wanted = {"threadId": "known", "agentName": "research"}
    body = {"query": documents["loadAgentState"], "variables": {"data": wanted}}
    state = answer(ScriptedCopilot(), body).json["data"]["loadAgentState"]
    assert (state["threadExists"], state["state"]) == (True, '{"a": 1}')
    (message,) = json.loads(state["messages"])
    assert (message["role"], message["content"]) == ("user", "hi")


@pytest.mark.parametrize("release", client_documents())
def test_every_client_hears_a_run_in_parts(release: str) -> None:
    copilot = _talk()
    answered = answer(copilot, _body(client_documents()[release][_RUN]))
    data = put_together(answered.payloads)[_RUN]
    assert data["messages"][0]["content"] == ["Hel", "lo"]
    assert data["status"] == {"code": "Success"}
    assert copilot.run.is_closed


def test_a_batch_is_one_payload_with_all_its_pieces() -> None:
    first, item, pieces, end = (json.loads(one) for one in answer(_talk(), _body()).payloads)
    assert first["data"][_RUN]["messages"] == []
    assert item["incremental"][0]["items"][0]["content"] == []
    path = [_RUN, "messages", 0, "content", 0]
    assert pieces["incremental"] == [{"items": ["Hel", "lo"], "path": path}]
    assert [one["path"] for one in end["incremental"]] == [[_RUN, "messages", 0], [_RUN]]


def test_a_run_comes_as_events_to_whoever_takes_nothing_else() -> None:
    in_parts = put_together(answer(_talk(), _body()).payloads)
    as_events = put_together(answer(_talk(), _body(), "text/event-stream").events)
    assert _timeless(in_parts) == _timeless(as_events)


def test_a_run_comes_whole_to_whoever_takes_json_alone() -> None:
    in_parts = put_together(answer(_talk(), _body()).payloads)
    whole = answer(_talk(), _body(), "application/json")
    assert whole.content_type == "application/json; charset=utf-8"
    assert _timeless(whole.json["data"]) == _timeless(in_parts)


def test_a_run_comes_whole_where_nothing_may_come_later() -> None:
    query = node_runtime()["queries"][_RUN].replace("@stream", "").replace("@defer", "")
    answered = answer(_talk(), _body(query))
    assert answered.content_type.startswith("application/graphql-response+json")
    in_parts = put_together(answer(_talk(), _body()).payloads)
    assert _timeless(answered.json["data"]) == _timeless(in_parts)


def test_a_query_comes_as_an_event_to_whoever_takes_nothing_else() -> None:
    query = "{ availableAgents { agents @stream { id } ... @defer { __typename } } }"
    (event,) = answer(ScriptedCopilot(), {"query": query}, "text/event-stream").events
    agents = {"agents": [{"id": "research"}], "__typename": "AgentsResponse"}
    assert json.loads(event) == {"data": {"availableAgents": agents}}


def test_the_id_of_a_run_and_extensions_are_sent_back_as_they_came() -> None:
    sent = {"openaiAssistantAPI": {"runId": "r", "threadId": "t"}}
    told = answer(_talk(), _body(runId="mine", extensions=sent), "application/json").json
    response = told["data"][_RUN]
    assert response["runId"] == "mine"
    own = response["extensions"]["openaiAssistantAPI"]
    assert (own["runId"], own["threadId"]) == ("r", "t")
    assert answer(_talk(), _body(), "application/json").json["data"][_RUN]["runId"] is None


def test_an_agent_that_is_not_there_is_told_as_the_client_knows_it() -> None:
    (error,) = _errors(answer(_talk(), _body(agentSession={"agentName": "nope"})))
    extensions = error["extensions"]
    assert extensions["code"] == "AGENT_NOT_FOUND"
    assert (extensions["severity"], extensions["visibility"]) == ("critical", "banner")
    assert "'nope'" in error["message"]
    query = client_documents()["1.10.6"]["loadAgentState"]
    wanted = {"data": {"threadId": "t", "agentName": "nope"}}
    (error,) = _errors(answer(_talk(), {"query": query, "variables": wanted}))
    assert (error["extensions"]["code"], error["path"]) == ("AGENT_NOT_FOUND", ["loadAgentState"])


@pytest.mark.parametrize(
    "body",
    [
        {"query": "mutation { nope }"},
        {"query": "{ hello"},
        {"query": 5},
        {"query": None},
        {"query": "{ hello }", "operationName": 5},
        {"query": "{ hello }", "operationName": "other"},
        {"query": "{ hello }", "variables": [1]},
        {"query": "query ($a: String!) { hello @skip(if: false) __typename @include(if: $a) }"},
        {"query": node_runtime()["queries"][_RUN], "variables": {}},
        {"query": node_runtime()["queries"][_RUN], "variables": {"data": {"messages": []}}},
        {"query": "mutation { __typename }"},
        {"query": "x" * 100_000},
        _body(messages=[{"id": "m", "createdAt": "2026-01-01T00:00:00Z"}]),
        _body(messages=[{"id": "m"} for _ in range(1_000)]),
        _body(cloud={"guardrails": {"inputValidationRules": {}}}),
    ],
)
def test_what_is_wrong_with_a_request_is_an_error_over_200(body: Any) -> None:
    copilot = _talk()
    assert len(json.dumps(_errors(answer(copilot, body)))) < 10_000
    assert copilot.asked == []


def test_an_operation_starts_one_run_and_no_more() -> None:
    query = (
        "mutation ($data: GenerateCopilotResponseInput!) {"
        " a: generateCopilotResponse(data: $data) { threadId }"
        " b: generateCopilotResponse(data: $data) { threadId } }"
    )
    copilot = _talk()
    (error,) = _errors(answer(copilot, _body(query)))
    assert "one run" in error["message"]
    assert copilot.asked == []


def test_introspection_is_a_setting() -> None:
    query = {"query": "{ __schema { queryType { name } } }"}
    told = answer(ScriptedCopilot(), query).json
    assert told["data"]["__schema"]["queryType"]["name"] == "Query"
    assert _errors(answer(ScriptedCopilot(), query, graphql_introspection=False))


class _Breaking(ScriptedRun):
    async def events(self, after: int = 0) -> AsyncGenerator[Sequence[RunEvent], None]:
        for batch in self.batches[after:2]:
            yield batch
        raise RuntimeError("/home/secret")


@pytest.mark.parametrize("accept", [CLIENT, "application/json"])
def test_a_run_that_breaks_off_ends_as_failed_and_tells_nothing_of_the_inside(accept: str) -> None:
    answered = answer(ScriptedCopilot(_Breaking(_HELLO)), _body(), accept)
    assert b"secret" not in answered.body
    data = put_together(answered.payloads) if accept == CLIENT else answered.json["data"]
    assert data[_RUN]["status"]["reason"] == "UNKNOWN_ERROR"
    assert data[_RUN]["messages"][0]["status"]["code"] == "Failed"


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(own) for key, own in value.items() if key != "createdAt"}
    return [_timeless(own) for own in value] if isinstance(value, list) else value
