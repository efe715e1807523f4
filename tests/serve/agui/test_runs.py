"""Runs over AG-UI: what a client hears, as the recorded runtime tells it, and when it leaves."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from pathlib import Path

import pytest

from sextant.settings import GuardrailSettings
from tests.serve.agui.serving import RUN, Copiloted, copiloted, install, run_input

pytestmark = pytest.mark.anyio
TOOL = {
    "name": "sayHello",
    "description": "Say hello",
    "parameters": {"type": "object", "properties": {}},
}


async def test_a_reply_is_told_piece_by_piece(copilot: Copiloted) -> None:
    given = run_input("CHUNKS:3")
    events = await copilot.events(RUN, given)
    assert [one["type"] for one in events] == [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        *["TEXT_MESSAGE_CONTENT"] * 3,
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]
    assert events[0]["input"] == given
    assert "".join(one["delta"] for one in events[2:5]) == "tok0 tok1 tok2 "
    assert (events[-1]["threadId"], events[-1]["runId"]) == ("thread-1", "run-1")
    assert events[-1]["usage"][0]["outputTokens"] == 5


async def test_an_action_of_the_page_is_called_and_left_to_it(copilot: Copiloted) -> None:
    given = run_input('TOOL:sayHello:{"name":"Ada"}', tools=[TOOL])
    events = await copilot.events(RUN, given)
    kinds = [one["type"] for one in events]
    assert kinds[1] == "TOOL_CALL_START"
    assert kinds[-2:] == ["TOOL_CALL_END", "RUN_FINISHED"]
    assert "".join(one["delta"] for one in events if "delta" in one) == '{"name":"Ada"}'
    assert copilot.model.prompts[0].tools[0].name == "sayHello"


async def test_the_result_of_an_action_comes_back_with_the_next_run(copilot: Copiloted) -> None:
    call = {
        "id": "c-1",
        "type": "function",
        "function": {"name": "sayHello", "arguments": '{"name":"Ada"}'},
    }
    messages = [
        {"id": "u-1", "role": "user", "content": "Say hello."},
        {"id": "a-1", "role": "assistant", "toolCalls": [call]},
        {"id": "t-1", "role": "tool", "toolCallId": "c-1", "content": "Hello Ada"},
    ]
    events = await copilot.events(RUN, run_input("", messages=messages, tools=[TOOL]))
    said = "".join(one["delta"] for one in events if "delta" in one)
    assert said == "Tool said: Hello Ada"


async def test_a_failure_has_a_code_and_its_request_and_nothing_of_the_inside(
    copilot: Copiloted,
) -> None:
    asked = run_input("ERROR:500", threadId="fails")
    answer = await copilot.client.post(RUN, json=asked, headers={"x-request-id": "asked-1"})
    events = await copilot.events("/copilotkit/agent/default/connect", asked)
    assert answer.text.endswith(f"data: {json.dumps(events[-1], separators=(',', ':'))}\n\n")
    assert [one["type"] for one in events[-2:]] == ["RUN_STARTED", "RUN_ERROR"]
    assert events[-1]["code"] == "model_unavailable"
    assert "secret" not in events[-1]["message"]
    assert events[-1]["message"].endswith("The request id is asked-1.")
    assert events[-1]["metadata"] == {"requestId": "asked-1"}


async def test_stopping_ends_what_has_begun_and_the_run(copilot: Copiloted) -> None:
    stop = "/copilotkit/agent/default/stop/thread-1"
    kinds = []
    async with aclosing(copilot.stream(RUN, run_input("HOLD:1"))) as events:
        async for event in events:
            kinds.append(event["type"])
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                other = await copilot.post(stop, {"runId": "another"})
                assert other.json()["stopped"] is False
                stopped = await copilot.post(stop, {"runId": "run-1"})
                assert stopped.json()["stopped"] is True
    assert kinds[-2:] == ["TEXT_MESSAGE_END", "RUN_FINISHED"]
    assert (await copilot.post(stop, None)).json()["stopped"] is False


async def test_a_client_of_the_newest_protocol_hears_that_a_run_was_cancelled(
    copilot: Copiloted,
) -> None:
    last = {}
    given = run_input("HOLD:1", protocolVersion="1.0")
    async with aclosing(copilot.stream(RUN, given)) as events:
        async for last in events:
            if last["type"] == "RUN_STARTED":
                assert last["protocolVersion"] == "1.0"
            if last["type"] == "TEXT_MESSAGE_CONTENT":
                await copilot.client.post("/copilotkit/agent/default/stop/thread-1")
    assert last["outcome"] == {"type": "cancelled"}


async def test_who_leaves_ends_the_run_down_to_the_model(copilot: Copiloted) -> None:
    async with aclosing(copilot.stream(RUN, run_input("HOLD:1", threadId="left"))) as events:
        async for event in events:
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                break
    async with asyncio.timeout(30):
        await copilot.model.left.wait()


async def test_who_connects_while_a_run_is_under_way_reads_along(copilot: Copiloted) -> None:
    async with aclosing(copilot.stream(RUN, run_input("HOLD:2", threadId="read-along"))) as events:
        async for event in events:
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                break
        connect = "/copilotkit/agent/default/connect"
        async with aclosing(
            copilot.stream(connect, run_input("", threadId="read-along"))
        ) as others:
            read = []
            async for event in others:
                read.append(event)
                if event.get("delta") == "tok1 ":
                    copilot.model.go_on.set()
    assert [one["type"] for one in read][-2:] == ["TEXT_MESSAGE_END", "RUN_FINISHED"]
    assert "".join(one["delta"] for one in read if "delta" in one) == "tok0 tok1 end"
    # What was kept of the thread as the run began may be told before it.
    started = [one for one in read if one["type"] == "RUN_STARTED"][-1]
    assert started["input"]["messages"] == [{"id": "u-1", "role": "user", "content": "HOLD:2"}]


async def test_a_thread_that_nobody_wrote_in_is_empty(copilot: Copiloted) -> None:
    given = run_input("", threadId="nobody-wrote-here")
    assert await copilot.events("/copilotkit/agent/default/connect", given) == []


async def test_suggestions_are_asked_of_the_model_alone(copilot: Copiloted) -> None:
    choice = {"type": "function", "function": {"name": "copilotkitSuggest"}}
    given = run_input(
        'TOOL:copilotkitSuggest:{"suggestions":[]}',
        tools=[TOOL | {"name": "copilotkitSuggest"}],
        forwardedProps={"toolChoice": choice},
    )
    for path in (RUN, "/copilotkit/agent/default/suggest"):
        events = await copilot.events(path, given)
        assert events[1]["toolCallName"] == "copilotkitSuggest"
        assert copilot.model.prompts[-1].tool_choice == "copilotkitSuggest"


async def test_a_run_that_takes_too_long_ends_with_an_error_that_clients_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    async with copiloted(tmp_path, request_seconds=1.0) as hurried:
        events = await hurried.client.post(RUN, json=run_input("HOLD:1"))
        last = json.loads(events.text.rstrip().rpartition("data: ")[2])
        assert (last["type"], last["code"]) == ("RUN_ERROR", "overloaded")
        assert last["metadata"] == {"requestId": events.headers["x-request-id"]}
        async with asyncio.timeout(30):
            await hurried.model.left.wait()


async def test_a_run_that_is_detached_goes_on_without_its_client(copilot: Copiloted) -> None:
    given = run_input("HOLD:1", threadId="detached", forwardedProps={"detached": True})
    async with aclosing(copilot.stream(RUN, given)) as events:
        async for event in events:
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                break
    read = []
    async for event in copilot.stream("/copilotkit/agent/default/connect", given):
        read.append(event)
        copilot.model.go_on.set()
    assert "".join(one["delta"] for one in read if "delta" in one) == "tok0 end"
    assert not copilot.model.left.is_set()


async def test_a_denial_is_an_error_with_the_reason_and_nothing_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    rules = GuardrailSettings(deny=("politics",))
    async with copiloted(tmp_path, guardrails=rules) as copilot:
        events = await copilot.events(RUN, run_input("All about politics"))
        assert copilot.model.prompts == []
    assert [one["type"] for one in events] == ["RUN_STARTED", "RUN_ERROR"]
    assert events[-1]["code"] == "guardrails_validation_failed"
    assert events[-1]["message"].startswith("Topic 'politics' is not allowed.")
