"""What a client asks for: every part of it reaches the run, and what cannot be taken is refused."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import pytest
from graphql.execution.values import get_argument_values

from sextant.errors import InvalidInput
from sextant.serve.graphql.arguments import extensions_of, run_request_of
from sextant.serve.graphql.documents import Documents, Rejected
from sextant.serve.graphql.schema import copilot_schema
from sextant.types import (
    ActionMessage,
    ActionPlace,
    AgentState,
    ClientAction,
    ContextItem,
    Image,
    ImageMessage,
    InterruptAnswer,
    ModelWishes,
    ResultMessage,
    RunKind,
    RunRequest,
    Speaker,
    StateMessage,
    TextMessage,
    TopicRules,
)

_MUTATION = """
mutation ($data: GenerateCopilotResponseInput!, $properties: JSONObject) {
  generateCopilotResponse(data: $data, properties: $properties) { threadId }
}
"""
_WHEN = "2026-01-01T00:00:00.000Z"
_AT = datetime(2026, 1, 1, tzinfo=UTC)
_PNG = b"\x89PNG\r\n\x1a\n and so on"
_DOCUMENTS = Documents(copilot_schema(), can_introspect=True)


def _given(properties: Any = None, **data: Any) -> dict[str, Any]:
    """Return arguments as the library coerces them."""
    whole = {"metadata": {}, "messages": [], "frontend": {"actions": []}, **data}
    document = _DOCUMENTS.find(_MUTATION, "")
    variables = document.variables({"data": whole, "properties": properties})
    plan = document.plan(variables, in_parts=False)
    mutation = copilot_schema().mutation_type
    assert mutation
    return get_argument_values(mutation.fields["generateCopilotResponse"], plan.node, variables)


def _request(properties: Any = None, **data: Any) -> RunRequest:
    return run_request_of(_given(properties, **data))


def _message(**more: Any) -> dict[str, Any]:
    return {"id": "m1", "createdAt": _WHEN, **more}


def test_the_least_that_a_client_can_send_is_an_empty_chat() -> None:
    assert _request() == RunRequest()


def test_every_kind_of_message_is_read() -> None:
    state: dict[str, Any] = {"threadId": "t", "agentName": "a", "role": "assistant", "state": "{}"}
    state |= {"running": True, "nodeName": "n", "runId": "r", "active": False}
    action = {"name": "act", "arguments": '{"a": 1}', "parentMessageId": "p", "scope": "client"}
    result = {"actionExecutionId": "c", "actionName": "act", "result": "done"}
    image = {"format": "png", "bytes": base64.b64encode(_PNG).decode(), "role": "user"}
    read = _request(
        messages=[
            _message(textMessage={"content": "hi", "role": "developer", "parentMessageId": "p"}),
            _message(actionExecutionMessage=action),
            _message(resultMessage=result),
            _message(agentStateMessage=state),
            _message(imageMessage=image),
        ]
    )
    assert read.messages == (
        TextMessage("m1", Speaker.DEVELOPER, "hi", "p", _AT),
        ActionMessage("m1", "act", '{"a": 1}', "p", _AT),
        ResultMessage("m1", "c", "act", "done", _AT),
        StateMessage("m1", "a", "{}", "n", "r", is_active=False, is_running=True, at=_AT),
        ImageMessage("m1", Speaker.USER, Image("image/png", _PNG), "", _AT),
    )


@pytest.mark.parametrize(
    ("available", "place"),
    [
        ("enabled", ActionPlace.CLIENT),
        (None, ActionPlace.CLIENT),
        ("remote", ActionPlace.REMOTE),
        ("disabled", ActionPlace.NOWHERE),
    ],
)
def test_it_is_known_who_carries_out_an_action(available: str | None, place: ActionPlace) -> None:
    action = {"name": "act", "description": "Acts", "jsonSchema": '{"type": "object"}'}
    read = _request(frontend={"actions": [{**action, "available": available}], "url": "http://x/y"})
    assert read.actions == (ClientAction("act", "Acts", {"type": "object"}, place),)
    assert read.page_url == "http://x/y"


def test_all_that_steers_a_run_is_read() -> None:
    read = _request(
        {"tenant": "acme", "deep": {"a": [1]}},
        metadata={"requestType": "Task"},
        threadId="t",
        runId="r",
        agentSession={"agentName": "a", "threadId": "other", "nodeName": "n"},
        agentState={"agentName": "b", "state": '{"c": 2}'},
        agentStates=[{"agentName": "a", "state": '{"b": 1}', "config": '{"d": 3}'}],
        forwardedParameters={
            "model": "large",
            "maxTokens": 100.0,
            "stop": ["end"],
            "toolChoice": "function",
            "toolChoiceFunctionName": "act",
            "temperature": 0.5,
        },
        context=[{"description": "the page", "value": "prices"}],
        metaEvents=[
            {"name": "LangGraphInterruptEvent", "value": "May I?", "response": "yes"},
            {"name": "CopilotKitLangGraphInterruptEvent", "value": "Go on?", "response": ""},
            {"name": "LangGraphInterruptEvent", "value": "not answered"},
        ],
    )
    assert read == RunRequest(
        thread_id="t",
        run_id="r",
        kind=RunKind.TASK,
        agent="a",
        node="n",
        states=(AgentState("a", {"b": 1}, {"d": 3}), AgentState("b", {"c": 2}, {})),
        wishes=ModelWishes("large", 100, ("end",), "act", 0.5),
        context=(ContextItem("the page", "prices"),),
        answers=(InterruptAnswer("yes", value="May I?"), InterruptAnswer("", value="Go on?")),
        properties={"tenant": "acme", "deep": {"a": [1]}},
    )


def test_the_thread_of_an_agent_counts_where_no_other_is_given() -> None:
    assert _request(agentSession={"agentName": "a", "threadId": "t"}).thread_id == "t"


def test_extensions_are_sent_back() -> None:
    sent = {"openaiAssistantAPI": {"runId": "r", "threadId": "t"}}
    told = extensions_of(_given(extensions=sent))
    assert told is not None
    own = told["openaiAssistantAPI"]
    assert (own["runId"], own["threadId"]) == ("r", "t")
    assert extensions_of(_given(extensions={})) is None
    assert extensions_of(_given()) is None


_TEXT = {"content": "hi", "role": "user"}
_IMAGE = {"format": "png", "role": "user"}
_ACTION = {"name": "act", "description": ""}


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"messages": [_message()]}, "no kind"),
        ({"messages": [_message(textMessage=_TEXT, imageMessage={**_IMAGE, "bytes": ""})]}, "two"),
        ({"messages": [_message(imageMessage={**_IMAGE, "bytes": "%%%"})]}, "image"),
        ({"frontend": {"actions": [{**_ACTION, "jsonSchema": "{"}]}}, "'act'"),
        ({"frontend": {"actions": [{**_ACTION, "jsonSchema": "[]"}]}}, "'act'"),
        ({"frontend": {"actions": [{**_ACTION, "jsonSchema": "[" * 100_000}]}}, "'act'"),
        ({"agentState": {"agentName": "a", "state": "no"}}, "state of the agent 'a'"),
        ({"agentState": {"agentName": "a", "state": "{}", "config": "1"}}, "configuration"),
    ],
)
def test_what_cannot_be_taken_is_named(data: dict[str, Any], what: str) -> None:
    with pytest.raises(InvalidInput, match=what) as refused:
        _request(**data)
    assert refused.value.hint


@pytest.mark.parametrize(
    "data",
    [
        {"messages": [{"id": "m", "createdAt": "yesterday"}]},
        {"messages": [{"id": "m", "createdAt": 5}]},
        {"messages": [{"id": "m", "createdAt": _WHEN, "poem": {}}]},
        {"messages": [_message(textMessage={"content": "hi", "role": "king"})]},
        {"messages": "hi"},
        {"frontend": None},
        {"metadata": {"requestType": "Poem"}},
        {"forwardedParameters": {"maxTokens": "many"}},
    ],
)
def test_variables_of_another_shape_are_rejected(data: dict[str, Any]) -> None:
    with pytest.raises(Rejected):
        _request(**data)


def test_properties_have_to_be_an_object() -> None:
    with pytest.raises(Rejected):
        _request(["tenant"])


def test_a_client_of_the_cloud_says_who_it_is_there() -> None:
    rules = {"inputValidationRules": {"allowList": ["weather"]}}
    assert run_request_of(_given()).topics is None
    with pytest.raises(InvalidInput, match="X-CopilotCloud-Public-API-Key header is required"):
        run_request_of(_given(cloud={"guardrails": rules}))


def test_topics_of_a_client_are_taken_with_its_key() -> None:
    rules = {"inputValidationRules": {"allowList": ["weather"], "denyList": ["politics"]}}
    request = run_request_of(_given(cloud={"guardrails": rules}), "ck_pub_test")
    assert request.topics == TopicRules(("weather",), ("politics",))
    assert request.cloud_key == "ck_pub_test"
    assert "ck_pub_test" not in repr(request)
    assert run_request_of(_given(cloud={}), "key").topics is None
