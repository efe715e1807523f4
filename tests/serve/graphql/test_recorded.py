"""Beside the Node runtime: the same requests come to the same view, ids and times aside.

What differs on purpose: an action of the server is followed by what the model makes of its result,
where the Node runtime leaves that to the client's next request; failures have words of ours and
no stack trace; wrong variables are an error over 200, not 400; the interrupt of an agent is its
last event.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from sextant.settings import ChatSettings
from tests.serve.graphql.recorded_peers import SCHEME, install
from tests.serve.graphql.recordings import node_runtime
from tests.serve.graphql.scripted import CLIENT
from tests.serve.graphql.urql import put_together
from tests.serve.running import served, small

_RUN = "generateCopilotResponse"
_CLOUD_KEY = "X-CopilotCloud-Public-API-Key"
_SAME = [
    *("chat_text", "chat_slow5", "chat_instant20", "chat_properties"),
    *("tool_frontend", "tool_result_followup"),
    *("error_upstream_401", "error_upstream_500", "error_cut_mid_stream"),
    *("remote_agent_run", "guardrails_allowed"),
]


@pytest.fixture(scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of a server with the recorded peers."""
    folder = tmp_path_factory.mktemp("recorded")
    settings = small(folder, llm=f"{SCHEME}:", chat=ChatSettings(grounding="off"))
    with pytest.MonkeyPatch.context() as patched:
        install(patched)
        async with served(settings, audit=False) as server, server.client(accept=CLIENT) as own:
            yield own


async def _ask(client: httpx2.AsyncClient, case: str) -> httpx2.Response:
    told = node_runtime()
    asked = told["cases"][case]
    body = {"query": told["queries"][asked["query"]], "variables": asked["variables"]}
    headers = {_CLOUD_KEY: "ck_pub_test"} if case.startswith("guardrails") else {}
    return await client.post("/copilotkit", json=body, headers=headers)


async def _run(client: httpx2.AsyncClient, case: str) -> list[Any]:
    response = await _ask(client, case)
    assert response.status_code == 200
    assert response.headers["content-type"] == node_runtime()["cases"][case]["contentType"]
    parts = response.content.split(b"\r\n---")
    return [json.loads(one.partition(b"\r\n\r\n")[2]) for one in parts if b"\r\n\r\n" in one]


def _recorded(case: str) -> list[Any]:
    parts: list[Any] = node_runtime()["cases"][case]["parts"]
    return parts


def _view(parts: list[Any]) -> dict[str, Any]:
    """Return what a client has in the end, without ids, times and words."""
    whole = put_together([json.dumps(one).encode() for one in _ended(parts)])[_RUN]
    whole["messages"] = [_message(one) for one in whole["messages"]]
    details = whole["status"].get("details") or {}
    if original := details.get("originalError"):
        kept = ("code", "statusCode", "severity", "visibility")
        whole["status"]["details"] = {name: original[name] for name in kept}
    return whole  # type: ignore[no-any-return]


def _ended(parts: list[Any]) -> list[Any]:
    """Return the parts, the last of which says so: the recording may lack what came behind."""
    return [*parts[:-1], {**parts[-1], "hasNext": False}]


def _message(told: dict[str, Any]) -> dict[str, Any]:
    aside = {"id", "createdAt", "parentMessageId", "runId", "actionExecutionId"}
    kept = {name: own for name, own in told.items() if name not in aside}
    for name in ("content", "arguments"):
        if name in kept:
            kept[name] = "".join(kept[name])
    if "state" in kept:
        kept["state"] = json.loads(kept["state"])
    kept.get("status", {}).pop("reason", None)
    return kept


def _kinds(parts: list[Any]) -> dict[str, list[str]]:
    """Return in which order things come for each path: an item, its pieces, its status."""
    found: dict[str, list[str]] = {}
    for patch in (one for part in parts for one in part.get("incremental", ())):
        way = patch["path"]
        is_list = "items" in patch
        place = way[1:3] if len(way) > 2 else way[:1]
        kind = str(way[-2]) if is_list else "status"
        kinds = found.setdefault(str(place), [])
        if kinds[-1:] != [kind]:
            kinds.append(kind)
    return found


@pytest.mark.parametrize("case", _SAME)
async def test_a_run_comes_to_the_same_view(client: httpx2.AsyncClient, case: str) -> None:
    own, theirs = await _run(client, case), _recorded(case)
    assert _view(own) == _view(theirs)
    assert _kinds(own) == _kinds(theirs)


@pytest.mark.parametrize("case", ["action_server", "action_server_failing"])
async def test_an_action_of_the_server_has_its_result_and_then_the_reply(
    client: httpx2.AsyncClient, case: str
) -> None:
    own, theirs = _view(await _run(client, case)), _view(_recorded(case))
    call, result, *rest = own["messages"]
    assert [call, result] == theirs["messages"]
    assert [one["__typename"] for one in rest] == ["TextMessageOutput"]
    assert rest[0]["content"] == f"Tool said: {result['result']}"
    assert own["status"] == theirs["status"]


async def test_a_thread_that_is_not_named_gets_a_name(client: httpx2.AsyncClient) -> None:
    own, theirs = _view(await _run(client, "chat_no_thread")), _view(_recorded("chat_no_thread"))
    assert own.pop("threadId") != theirs.pop("threadId")
    assert own == theirs


@pytest.mark.parametrize("case", ["hello_raw", "remote_loadAgentState"])
async def test_a_query_has_the_same_answer(client: httpx2.AsyncClient, case: str) -> None:
    answer = (await _ask(client, case)).json()
    (theirs,) = _recorded(case)
    if case == "remote_loadAgentState":
        assert answer["data"]["loadAgentState"].keys() == theirs["data"]["loadAgentState"].keys()
    else:
        assert answer == theirs


async def test_agents_are_told_with_the_same_fields(client: httpx2.AsyncClient) -> None:
    answer = (await _ask(client, "remote_availableAgents")).json()["data"]["availableAgents"]
    (theirs,) = _recorded("remote_availableAgents")
    (research,) = theirs["data"]["availableAgents"]["agents"]
    own = next(one for one in answer["agents"] if one["name"] == "research")
    assert own | {"id": ""} == research | {"id": ""}


@pytest.mark.parametrize(
    "case", ["agent_unknown", "loadAgentState_unknown", "error_validation", "error_bad_variables"]
)
async def test_an_error_has_the_same_code_over_200(client: httpx2.AsyncClient, case: str) -> None:
    response = await _ask(client, case)
    assert response.status_code == 200
    own, theirs = response.json()["errors"][0], _recorded(case)[0]["errors"][0]
    wanted = theirs.get("extensions", {})
    for name in ("code", "severity", "visibility"):
        assert own["extensions"][name] == wanted.get(name, own["extensions"][name])


async def test_the_key_of_the_cloud_is_asked_for(client: httpx2.AsyncClient) -> None:
    own = (await _ask(client, "cloud_without_key")).json()["errors"][0]
    assert own["message"].startswith(_recorded("cloud_without_key")[0]["errors"][0]["message"])


async def test_a_denied_message_is_cut_and_says_why(client: httpx2.AsyncClient) -> None:
    own, theirs = await _run(client, "guardrails_denied"), _recorded("guardrails_denied")
    assert _view(own) == _view(theirs)
    told = [json.dumps(_status_of_message(parts)) for parts in (own, theirs)]
    assert told[0] == told[1]


def _status_of_message(parts: list[Any]) -> Any:
    whole = put_together([json.dumps(one).encode() for one in _ended(parts)])[_RUN]
    return dict(sorted(whole["messages"][0]["status"].items()))
