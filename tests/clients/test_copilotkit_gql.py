"""CopilotKit's own GraphQL client, an old and the newest release, sees what it saw of Node."""

from __future__ import annotations

import asyncio
import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sextant.settings import ChatSettings
from tests.peers.fixtures import HERE
from tests.serve.graphql.recorded_peers import SCHEME, install
from tests.serve.graphql.recordings import node_runtime
from tests.serve.running import served, small

_FOLDER = HERE / "copilotkit"
_RELEASES = ("1.10.6", "1.74.0")
_SAME = [
    *("chat_text", "chat_slow5", "chat_instant20", "chat_no_thread", "chat_properties"),
    *("tool_frontend", "tool_result_followup", "error_upstream_401", "error_upstream_500"),
    *("error_cut_mid_stream", "remote_agent_run", "guardrails_allowed"),
]
_DENIED = "guardrails_denied"
_ACTIONS = ["action_server", "action_server_failing"]
_REFUSED = ["agent_unknown", "cloud_without_key", "error_bad_variables"]
_QUERIES = {
    "availableAgents": {"query": "availableAgents"},
    "loadAgentState": {
        "query": "loadAgentState",
        "data": {"threadId": "unknown", "agentName": "research"},
    },
    "loadAgentState_unknown": {
        "query": "loadAgentState",
        "data": {"threadId": "unknown", "agentName": "nope"},
    },
}


@pytest.fixture(scope="module", params=_RELEASES)
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What one release of the client saw in every case."""
    node = shutil.which("node")
    package = f"runtime-client-gql-{request.param}"
    if node is None or not (_FOLDER / "node_modules" / package).is_dir():
        pytest.skip(f"missing: npm {package}; make test installs it where npm is there")
    with pytest.MonkeyPatch.context() as patched:
        install(patched)
        return asyncio.run(_drive(node, package, tmp_path_factory.mktemp("copilotkit")))


async def _drive(node: str, package: str, folder: Path) -> Any:
    """Serve, and let the client go through all cases."""
    recorded = node_runtime()["cases"]
    cases = {name: recorded[name]["variables"] for name in (*_SAME, *_ACTIONS, *_REFUSED, _DENIED)}
    for name in ("guardrails_allowed", _DENIED):
        cases[name] = {**cases[name], "publicApiKey": "ck_pub_test"}
    settings = small(folder, llm=f"{SCHEME}:", chat=ChatSettings(grounding="off"))
    async with served(settings, audit=False) as server:
        command = ("gql_client.mjs", package, f"{server.url}/copilotkit", server.token)
        process = await asyncio.create_subprocess_exec(
            node,
            *command,
            cwd=_FOLDER,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        told, _ = await process.communicate(json.dumps(cases | _QUERIES).encode())
    assert process.returncode == 0
    return json.loads(told)


def _normal(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    aside = {"id", "createdAt", "parentMessageId", "runId", "actionExecutionId"}
    kept = [{name: own for name, own in one.items() if name not in aside} for one in messages]
    for one in kept:
        one["status"] = one["status"]["code"]
    return kept


def _last_states(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages as the recording shows them: of states of one agent in a row, the last."""
    states = [one for one in messages if one["type"] == "AgentStateMessage"]
    others = [one for one in messages if one["type"] != "AgentStateMessage"]
    return [*states[-1:], *others]


@pytest.mark.parametrize("case", _SAME)
def test_a_run_looks_as_it_did_behind_node(seen: Any, case: str) -> None:
    told = seen[case]
    assert "error" not in told
    messages = told["seen"][-1]["messages"]
    recorded = node_runtime()["cases"][case]["messages"]
    assert _normal(_last_states(messages)) == _normal(recorded)


def test_text_comes_piece_by_piece(seen: Any) -> None:
    texts = [one["messages"][0]["content"] for one in seen["chat_text"]["seen"] if one["messages"]]
    assert len(set(texts)) > 2
    assert all(later.startswith(sooner) for sooner, later in pairwise(texts))
    assert seen["chat_text"]["seen"][-1]["status"]["code"] == "Success"


@pytest.mark.parametrize("case", _ACTIONS)
def test_an_action_of_the_server_is_followed_by_a_reply(seen: Any, case: str) -> None:
    call, result, reply = _normal(seen[case]["seen"][-1]["messages"])
    assert [call, result] == _normal(node_runtime()["cases"][case]["messages"])
    assert reply["content"] == f"Tool said: {result['result']}"


def test_an_interrupt_reaches_the_client(seen: Any) -> None:
    (event,) = seen["remote_agent_run"]["seen"][-1]["metaEvents"]
    assert (event["name"], event["value"]) == ("LangGraphInterruptEvent", "approve?")


@pytest.mark.parametrize("case", ["error_upstream_401", "error_upstream_500"])
def test_a_failure_of_the_model_has_a_code_that_the_client_knows(seen: Any, case: str) -> None:
    status = seen[case]["seen"][-1]["status"]
    code = {"error_upstream_401": "AUTHENTICATION_ERROR", "error_upstream_500": "NETWORK_ERROR"}
    assert status["reason"] == "UNKNOWN_ERROR"
    assert status["details"]["originalError"]["code"] == code[case]


@pytest.mark.parametrize("case", _REFUSED)
def test_a_refusal_is_an_error_of_graphql_and_not_of_the_network(seen: Any, case: str) -> None:
    assert seen[case]["seen"] == []
    assert "[GraphQL]" in seen[case]["error"]


def test_a_denial_reaches_the_client_with_its_reason(seen: Any) -> None:
    last = seen[_DENIED]["seen"][-1]
    reason = "Topic 'politics' is not allowed."
    assert last["status"]["reason"] == "GUARDRAILS_VALIDATION_FAILED"
    assert last["status"]["details"] == {"guardrailsReason": reason}
    (message,) = last["messages"]
    assert (message["content"], message["status"]["code"]) == ("", "Failed")
    assert message["status"]["reason"].endswith(f"Reason: {reason}")


def test_agents_and_threads_are_found(seen: Any) -> None:
    agents = seen["availableAgents"]["data"]["availableAgents"]["agents"]
    assert "research" in {one["name"] for one in agents}
    state = seen["loadAgentState"]["data"]["loadAgentState"]
    assert (state["threadExists"], state["messages"]) == (False, "[]")
    assert "[GraphQL]" in seen["loadAgentState_unknown"]["error"]
