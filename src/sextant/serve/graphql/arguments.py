"""The arguments of `generateCopilotResponse` as a request for a run. Knows no transport.

They come coerced by the schema, so that every field is there that has to be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sextant.errors import InvalidInput
from sextant.serve.graphql.messages import messages_of
from sextant.text.codec.decode import loads
from sextant.types import (
    ActionPlace,
    AgentState,
    ClientAction,
    ContextItem,
    InterruptAnswer,
    ModelWishes,
    RunKind,
    RunRequest,
    TopicRules,
)

_PLACES = {
    "enabled": ActionPlace.CLIENT,
    "remote": ActionPlace.REMOTE,
    "disabled": ActionPlace.NOWHERE,
}
_ONE_FUNCTION = "function"
CLOUD_KEY = "x-copilotcloud-public-api-key"


def run_request_of(given: Mapping[str, Any], cloud_key: str = "") -> RunRequest:
    """Return what a client asks for, or say what of it cannot be taken."""
    _check_cloud(given, cloud_key)
    data: Mapping[str, Any] = given["data"]
    session: Mapping[str, Any] = data.get("agentSession") or {}
    frontend: Mapping[str, Any] = data["frontend"]
    return RunRequest(
        messages=messages_of(data["messages"]),
        thread_id=data.get("threadId") or session.get("threadId") or "",
        run_id=data.get("runId") or "",
        kind=RunKind(data["metadata"].get("requestType") or RunKind.CHAT),
        agent=session.get("agentName") or "",
        node=session.get("nodeName") or "",
        actions=tuple(_action_of(one) for one in frontend["actions"]),
        states=_states_of(data),
        wishes=_wishes_of(data.get("forwardedParameters") or {}),
        context=tuple(
            ContextItem(one["description"], one["value"]) for one in data.get("context") or ()
        ),
        answers=_answers_of(data),
        properties=given.get("properties") or {},
        page_url=frontend.get("url") or "",
        topics=_topics_of(data),
        cloud_key=cloud_key,
    )


def extensions_of(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the extensions that a client sent, as they are sent back."""
    own = (given["data"].get("extensions") or {}).get("openaiAssistantAPI")
    if own is None:
        return None
    told = {
        "__typename": "OpenAIApiAssistantAPIResponse",
        "runId": own.get("runId"),
        "threadId": own.get("threadId"),
    }
    return {"__typename": "ExtensionsResponse", "openaiAssistantAPI": told}


def _check_cloud(given: Mapping[str, Any], cloud_key: str) -> None:
    """Refuse what is wanted of the cloud by somebody who does not say who pays for it there."""
    if given["data"].get("cloud") is not None and not cloud_key:
        raise InvalidInput(
            "X-CopilotCloud-Public-API-Key header is required.", "Send it, or leave out `cloud`."
        )


def _action_of(given: Mapping[str, Any]) -> ClientAction:
    name = given["name"]
    return ClientAction(
        name,
        given["description"],
        _object_in(given["jsonSchema"], f"The schema of the action {name[:80]!r}"),
        _PLACES[given.get("available") or "enabled"],
    )


def _states_of(data: Mapping[str, Any]) -> tuple[AgentState, ...]:
    single = data.get("agentState")
    given = [*(data.get("agentStates") or ()), *([single] if single else ())]
    return tuple(
        AgentState(
            one["agentName"],
            _object_in(one["state"], f"The state of the agent {one['agentName'][:80]!r}"),
            _object_in(
                one.get("config") or "{}",
                f"The configuration of the agent {one['agentName'][:80]!r}",
            ),
        )
        for one in given
    )


def _topics_of(data: Mapping[str, Any]) -> TopicRules | None:
    """Return the topics that a client wants its user's messages checked for, if it does."""
    guardrails = (data.get("cloud") or {}).get("guardrails")
    if guardrails is None:
        return None
    rules = guardrails["inputValidationRules"]
    return TopicRules(_texts(rules.get("allowList")), _texts(rules.get("denyList")))


def _texts(given: Sequence[str | None] | None) -> tuple[str, ...]:
    return tuple(one for one in given or () if one)


def _wishes_of(given: Mapping[str, Any]) -> ModelWishes:
    choice = given.get("toolChoice") or ""
    if choice == _ONE_FUNCTION:
        choice = given.get("toolChoiceFunctionName") or ""
    return ModelWishes(
        given.get("model") or "",
        max(0, int(given.get("maxTokens") or 0)),
        tuple(given.get("stop") or ()),
        choice,
        given.get("temperature"),
    )


def _answers_of(data: Mapping[str, Any]) -> tuple[InterruptAnswer, ...]:
    given = data.get("metaEvents") or ()
    return tuple(
        InterruptAnswer(one["response"], value=one["value"])
        for one in given
        if one.get("response") is not None
    )


def _object_in(text: str, what: str) -> dict[str, Any]:
    try:
        value = loads(text)
    except InvalidInput as error:
        raise InvalidInput(f"{what} is not JSON: {error.message}.", "Send an object.") from None
    if not isinstance(value, dict):
        raise InvalidInput(f"{what} is not a JSON object.", "Send an object.")
    return value
