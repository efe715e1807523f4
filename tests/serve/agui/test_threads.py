"""Threads over AG-UI: what a client is given that comes anew, also while something waits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sextant.chat.actions.action import action
from sextant.chat.threads.keeping import Threads
from sextant.types import Scope, Speaker, TextMessage
from tests.serve.agui.serving import RUN, Copiloted, copiloted, install, run_input
from tests.serve.graphql.recordings import client_documents

pytestmark = pytest.mark.anyio
CONNECT = "/copilotkit/agent/default/connect"
CALL = 'TOOL:wipe_disk:{"disk":"a"}'


def outcome(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how a run ended whose last event says so."""
    found: dict[str, Any] = events[-1]["outcome"]
    return found


async def test_a_thread_is_given_as_its_client_left_it(copilot: Copiloted) -> None:
    call = {"id": "c-1", "type": "function", "function": {"name": "paint", "arguments": "{}"}}
    png = {"type": "url", "value": "https://docs.example.com/a.png"}
    messages = [
        {"id": "s-1", "role": "system", "content": "Be brief."},
        {
            "id": "u-1",
            "role": "user",
            "content": [{"type": "text", "text": "Paint this."}, {"type": "image", "source": png}],
        },
        {"id": "a-1", "role": "assistant", "content": "Gladly.", "toolCalls": [call]},
        {"id": "t-1", "role": "tool", "toolCallId": "c-1", "content": "Painted."},
    ]
    given = run_input("", messages=messages, threadId="as-left", state={"colour": "blue"})
    await copilot.events(RUN, given)
    events = await copilot.events(CONNECT, run_input("", threadId="as-left", messages=[]))
    kept = next(one for one in events if one["type"] == "MESSAGES_SNAPSHOT")["messages"]
    assert kept[:-1] == messages
    assert kept[-1]["content"] == "Tool said: Painted."
    assert {"type": "STATE_SNAPSHOT", "snapshot": {"colour": "blue"}} in events


async def test_a_run_that_did_not_end_is_told_as_a_failure_of_its_thread(
    copilot: Copiloted,
) -> None:
    threads = Threads(copilot.server.house.sextant.store, "default")
    asked = (TextMessage("u-1", Speaker.USER, "Are you there?"),)
    await threads.begin(Scope("default", user="ann"), "killed", asked, "run-0")
    ann = {"aadObjectId": "ann"}
    connect = run_input("", threadId="killed", messages=[], forwardedProps=ann)
    events = await copilot.events(CONNECT, connect)
    assert [one["type"] for one in events] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_ERROR"]
    assert events[1]["messages"][0]["content"] == "Are you there?"
    assert events[2]["code"] == "run_not_ended"
    state = {
        "query": client_documents()["1.10.6"]["loadAgentState"],
        "variables": {"data": {"threadId": "killed", "agentName": "default"}},
    }
    loaded = (await copilot.post("/copilotkit?aadObjectId=ann", state)).json()["data"]
    question, note = json.loads(loaded["loadAgentState"]["messages"])
    assert (question["content"], note["role"]) == ("Are you there?", "assistant")
    assert "did not end" in note["content"]
    await copilot.events(RUN, run_input("CHUNKS:1", threadId="killed", forwardedProps=ann))
    assert (await copilot.events(CONNECT, connect))[-1]["type"] == "RUN_FINISHED"


async def test_an_action_that_waits_for_a_person_is_asked_for_again_and_then_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    wiped: list[str] = []

    @action(approval=True)
    async def wipe_disk(disk: str) -> str:
        """Wipe a disk."""
        wiped.append(disk)
        return "wiped"

    async with copiloted(tmp_path) as first:
        first.server.house.sextant.copilot.register(wipe_disk)
        asked = outcome(await first.events(RUN, run_input(CALL)))["interrupts"][0]
        assert asked["reason"] == "confirmation"
        assert asked["metadata"]["value"]["action"] == "wipe_disk"
    async with copiloted(tmp_path) as second:
        second.server.house.sextant.copilot.register(wipe_disk)
        again = outcome(await second.events(CONNECT, run_input("", messages=[])))
        assert again["interrupts"] == [asked]
        answer = {"interruptId": asked["id"], "status": "resolved", "payload": {"approved": True}}
        events = await second.events(RUN, run_input(CALL, resume=[answer]))
        assert wiped == ["a"]
        assert "wiped" in next(one["content"] for one in events if one.get("role") == "tool")
        refused = await second.post(RUN, run_input(CALL, resume=[answer]))
        assert (refused.status_code, refused.json()["code"]) == (404, "interrupt_not_found")


@pytest.mark.parametrize(
    ("more", "is_done"),
    [
        ({"forwardedProps": {"command": {"resume": {"approved": True}}}}, True),
        ({"forwardedProps": {"command": {"resume": "no"}}}, False),
        ({"status": "cancelled"}, False),
    ],
)
async def test_an_answer_is_read_as_older_clients_send_it_and_none_is_a_no(
    copilot: Copiloted, more: dict[str, Any], is_done: bool
) -> None:
    wiped: list[str] = []

    @action(approval=True, name=f"wipe_{len(str(more))}")
    async def wipe(disk: str) -> str:
        """Wipe a disk."""
        wiped.append(disk)
        return "wiped"

    copilot.server.house.sextant.copilot.register(wipe)
    given = run_input(CALL.replace("wipe_disk", f"wipe_{len(str(more))}"), threadId=str(more))
    asked = outcome(await copilot.events(RUN, given))["interrupts"][0]
    if "status" in more:
        more = {"resume": [{"interruptId": asked["id"], **more}]}
    await copilot.events(RUN, given | more)
    assert bool(wiped) is is_done


@pytest.mark.parametrize("names_it", [True, False])
async def test_of_two_that_wait_an_older_client_answers_the_one_that_it_names_or_the_first(
    copilot: Copiloted, names_it: bool
) -> None:
    dropped: list[str] = []
    name = f"drop_{names_it}"

    @action(approval=True, name=name)
    async def drop(table: str) -> str:
        """Drop a table."""
        dropped.append(table)
        return "dropped"

    copilot.server.house.sextant.copilot.register(drop)
    calls = ";".join(f'TOOL:{name}:{{"table":"{one}"}}' for one in "ab")
    given = run_input(calls, threadId=name)
    events = await copilot.events(RUN, given)
    told = [one["value"] for one in events if one["type"] == "CUSTOM"]
    command = {"resume": "yes"} | ({"interruptEvent": told[-1]} if names_it else {})
    events = await copilot.events(RUN, given | {"forwardedProps": {"command": command}})
    assert dropped == (["b"] if names_it else ["a"])
    assert len(outcome(events)["interrupts"]) == 1
