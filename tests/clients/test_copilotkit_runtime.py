"""CopilotKit's own Node runtime uses this server as a remote endpoint, and a client that."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from sextant.plugins import RunContext, action
from tests.peers.fixtures import HERE
from tests.serve.agui.serving import Copiloted, copiloted, install

_RUNTIME, _CLIENT = HERE / "copilotkit_runtime", HERE / "copilotkit"
_PACKAGE = "runtime-client-gql-1.10.6"
_PATIENCE_S = 120
_QUIET = {"COPILOTKIT_TELEMETRY_DISABLED": "true", "DO_NOT_TRACK": "1"}


@action
async def lookup(term: str, run: RunContext) -> dict[str, object]:
    """Look a term up."""
    LOOKED_UP.append(term)
    return {"term": term, "team": run.request.properties.get("team")}


@action
def explode() -> str:
    """Fail."""
    raise RuntimeError("no")


LOOKED_UP: list[str] = []


class Planner:
    """Tells its state, and asks whether it may."""

    name = "planner"
    description = "Plans."

    async def run(self, context: RunContext) -> None:
        if context.answer is None:
            context.change_state({"step": 1}, "drafting")
            context.say("A draft.")
            context.interrupt("Shall I?")
        context.say(f"You said {context.answer}.")


def _data(text: str, agent: str = "", **more: Any) -> dict[str, Any]:
    now = "2026-01-01T00:00:00.000Z"
    session = {"agentSession": {"agentName": agent, "threadId": f"t-{agent}"}} if agent else {}
    return {
        "metadata": {"requestType": "Chat"},
        "frontend": {"actions": [], "url": "http://localhost/app"},
        "threadId": f"t-{agent}",
        "messages": [
            {"id": "u1", "createdAt": now, "textMessage": {"content": text, "role": "user"}}
        ],
        **session,
        **more,
    }


_ANSWER = {"name": "LangGraphInterruptEvent", "value": "Shall I?", "response": "yes"}
_CASES: dict[str, Any] = {
    "agents": {"query": "availableAgents"},
    "text": {"data": _data("CHUNKS:3", "default")},
    "own_action": {"data": _data('TOOL:lookup:{"term":"once"}', "default")},
    "failure": {"data": _data("ERROR:500", "default")},
    "interrupt": {"data": _data("Go.", "planner")},
    "state": {"query": "loadAgentState", "data": {"threadId": "t-planner", "agentName": "planner"}},
    "answer": {"data": _data("Go.", "planner", metaEvents=[_ANSWER])},
    "action": {"data": _data('TOOL:lookup:{"term":"graph"}'), "properties": {"team": "Keel"}},
    "failing_action": {"data": _data("TOOL:explode:{}")},
}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a client saw of each case."""
    node = shutil.which("node")
    has_runtime = (_RUNTIME / "node_modules" / "@copilotkit").exists()
    if node is None or not has_runtime or not (_CLIENT / "node_modules" / _PACKAGE).is_dir():
        pytest.skip("missing: npm @copilotkit/runtime; make test installs it where npm is there")
    with pytest.MonkeyPatch.context() as patched:
        install(patched)
        return asyncio.run(_drive(node, tmp_path_factory.mktemp("runtime")))


async def _drive(node: str, folder: Path) -> Any:
    async with copiloted(folder, doors="rest,copilotkit-remote") as copilot:
        copilot.server.house.sextant.copilot.register(lookup, explode, Planner())
        runtime = await _start(node, _RUNTIME, "remote_runtime.mjs", *_endpoint(copilot))
        assert runtime.stdin
        assert runtime.stdout
        try:
            async with asyncio.timeout(_PATIENCE_S):
                url = (await runtime.stdout.readline()).decode().strip()
            assert url.startswith("http://"), url
            client = await _start(node, _CLIENT, "gql_client.mjs", _PACKAGE, url, "none")
            async with asyncio.timeout(_PATIENCE_S):
                told, _ = await client.communicate(json.dumps(_CASES).encode())
            assert client.returncode == 0
            return json.loads(told)
        finally:
            runtime.stdin.close()
            await runtime.communicate()


def _endpoint(copilot: Copiloted) -> tuple[str, str]:
    return f"{copilot.server.url}/copilotkit_remote", copilot.server.token


async def _start(node: str, folder: Path, *command: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(node, *command),
        cwd=folder,
        env=os.environ | _QUIET,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )


def _messages(seen: Any, case: str) -> list[dict[str, Any]]:
    assert "error" not in seen[case], seen[case]
    last = seen[case]["seen"][-1]
    assert last["status"]["code"] == "Success"
    messages: list[dict[str, Any]] = last["messages"]
    return messages


def _texts(seen: Any, case: str) -> list[str]:
    return [one["content"] for one in _messages(seen, case) if one["type"] == "TextMessage"]


def test_the_runtime_finds_our_agents(seen: Any) -> None:
    agents = seen["agents"]["data"]["availableAgents"]["agents"]
    assert {one["name"] for one in agents} >= {"default", "planner"}


def test_an_agent_answers_through_the_runtime(seen: Any) -> None:
    assert _texts(seen, "text") == ["tok0 tok1 tok2 "]


def test_what_an_agent_carries_out_itself_is_done_once(seen: Any) -> None:
    [text] = _texts(seen, "own_action")
    assert "once" in text
    assert LOOKED_UP.count("once") == 1


def test_a_failure_is_seen_by_the_person(seen: Any) -> None:
    [text] = _texts(seen, "failure")
    assert text.startswith("The server cannot do this now.")
    assert "secret" not in text


def test_state_and_an_interrupt_come_through_and_the_answer_goes_back(seen: Any) -> None:
    messages = _messages(seen, "interrupt")
    states = [one for one in messages if one["type"] == "AgentStateMessage"]
    assert (states[0]["nodeName"], states[0]["running"]) == ("drafting", True)
    assert states[-1]["running"] is False
    [event] = seen["interrupt"]["seen"][-1]["metaEvents"]
    assert event["value"] == "Shall I?"
    kept = seen["state"]["data"]["loadAgentState"]
    assert (kept["threadExists"], json.loads(kept["state"])) == (True, {"step": 1})
    assert _texts(seen, "answer") == ["You said yes."]


def test_an_action_is_carried_out_for_the_runtime(seen: Any) -> None:
    result = _messages(seen, "action")[-1]
    assert json.loads(result["result"]) == {"term": "graph", "team": "Keel"}


def test_a_failing_action_is_told_to_the_runtime(seen: Any) -> None:
    result = _messages(seen, "failing_action")[-1]
    assert "HANDLER_ERROR" in str(result["result"])
