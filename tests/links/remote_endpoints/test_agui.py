"""Agents of AG-UI elsewhere: run over SSE, carried on, and refused if they tell something odd."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from ag_ui.core import (
    AssistantMessage,
    BaseEvent,
    CustomEvent,
    FunctionCall,
    Interrupt,
    MessagesSnapshotEvent,
    ReasoningStartEvent,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunStartedEvent,
    StateDeltaEvent,
    StateSnapshotEvent,
    StepFinishedEvent,
    StepStartedEvent,
    TextMessageChunkEvent,
    TextMessageContentEvent,
    ToolCall,
    ToolCallChunkEvent,
    ToolCallResultEvent,
    ToolMessage,
    UserMessage,
)

from sextant.errors import AgentNotFound, ConfigError
from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    ClientAction,
    ContextItem,
    InterruptAnswer,
    Interrupted,
    RemoteCall,
    RunEvent,
    RunFailed,
    RunFinished,
    StateChanged,
    TextEnded,
    TextStarted,
)
from tests.chat.running import ANN, events_of, only, opened, request, text_of
from tests.chat.test_actions import weather
from tests.links.remote_endpoints.agui_agent import (
    Tell,
    agent,
    call,
    encoded,
    kind_settings,
    text,
    whole,
)
from tests.loopback import Answer


async def _run(tell: Tell, chat: dict[str, Any] | None = None, **more: Any) -> list[RunEvent]:
    with agent(tell) as own:
        async with opened(settings=own.settings(**(chat or {}))) as sextant:
            return await events_of(sextant.copilot, request("go", agent="notes", **more))


async def _told(*events: BaseEvent, **more: Any) -> list[RunEvent]:
    """Return what comes of a run of these events, which ends well."""
    found = await _run(lambda asked: whole(asked, *events), **more)
    assert isinstance(found[-1], RunFinished), found[-1]
    return found


def _delta(*operations: Any) -> StateDeltaEvent:
    return StateDeltaEvent(delta=list(operations))


PAGE = Answer(body=b"<html>Hello.", headers={"content-type": "text/html; charset=utf-8"})


async def test_a_page_is_no_agent_and_not_listed_as_one() -> None:
    with agent(whole, reached=PAGE) as own:
        async with opened(settings=own.settings()) as sextant:
            assert [one.name for one in await sextant.copilot.agents(ANN)] == ["default"]
            *_, notes = await sextant.copilot.parts(ANN, tried=True)
    assert "notes answered with text/html, so it is no agent of AG-UI." in notes.fault


async def test_a_page_that_says_of_itself_that_it_is_not_found_may_stand_before_an_agent() -> None:
    with agent(whole, reached=replace(PAGE, status=404)) as own:
        async with opened(settings=own.settings()) as sextant:
            assert len(await sextant.copilot.agents(ANN)) == 2


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json"])
async def test_a_run_that_is_answered_with_something_else_says_with_what(kind: str) -> None:
    events = await _run(lambda _: replace(PAGE, headers={"content-type": kind}))
    assert isinstance(events[-1], RunFailed)
    media_type = kind.partition(";")[0]
    assert f"answered with {media_type}, so it is no agent of AG-UI" in events[-1].message


async def test_an_agent_is_listed_by_the_name_and_description_of_the_settings() -> None:
    with agent(whole) as own:
        async with opened(settings=own.settings()) as sextant:
            cards = await sextant.copilot.agents(ANN)
    assert [(one.name, one.description) for one in cards][1:] == [("notes", "Keeps notes.")]


@pytest.mark.parametrize("status", [401, 502])
async def test_an_agent_that_is_down_or_closed_is_not_listed(status: int) -> None:
    with agent(whole, reached=status) as own:
        async with opened(settings=own.settings()) as sextant:
            assert len(await sextant.copilot.agents(ANN)) == 1
            with pytest.raises(AgentNotFound) as refused:
                await sextant.copilot.start(ANN, request(agent="notes"))
    assert "notes offers nothing now" in refused.value.hint


async def test_a_kind_that_is_not_known_is_refused() -> None:
    with pytest.raises(ConfigError, match="kind of the remote notes") as refused:
        async with opened(settings=kind_settings("soap", "https://lab.example")):
            pass
    assert "copilotkit, agui, langserve" in refused.value.hint


async def test_text_and_state_are_told_with_the_step_as_the_node() -> None:
    events = await _told(
        StepStartedEvent(step_name="search"),
        StateSnapshotEvent(snapshot={"found": 1, "words": ["a"]}),
        ReasoningStartEvent(message_id="r1"),
        *text("m1", "Found ", "three."),
        StepFinishedEvent(step_name="search"),
        StepStartedEvent(step_name="write"),
        _delta(
            {"op": "replace", "path": "/found", "value": 3},
            {"op": "add", "path": "/words/-", "value": "b"},
        ),
    )
    assert text_of(events) == "Found three."
    states = [(one.node, json.loads(one.state)) for one in only(events, StateChanged)]
    last = {"found": 3, "words": ["a", "b"]}
    assert states[1] == ("search", {"found": 1, "words": ["a"]})
    assert states[-2:] == [("write", last), ("", last)]
    assert [one.is_running for one in only(events, StateChanged)][-2:] == [True, False]


async def test_chunks_are_messages_and_calls_that_begin_and_end() -> None:
    events = await _told(
        TextMessageChunkEvent(message_id="m1", role="assistant", delta="One "),
        TextMessageChunkEvent(delta="two."),
        TextMessageChunkEvent(message_id="m2", delta="Three."),
        ToolCallChunkEvent(tool_call_id="c1", tool_call_name="paint", delta='{"a":'),
        ToolCallChunkEvent(tool_call_id="c1", delta="1}"),
        actions=(ClientAction("paint"),),
    )
    assert [one.message_id for one in only(events, TextEnded)] == ["m1", "m2"]
    assert text_of(events) == "One two.Three."
    assert "".join(one.text for one in only(events, ArgumentsAdded)) == '{"a":1}'
    assert [one.call_id for one in only(events, ActionEnded)] == ["c1"]


async def test_messages_that_come_only_as_a_whole_are_told_once() -> None:
    made = ToolCall(id="c1", function=FunctionCall(name="look", arguments="{}"))
    events = await _told(
        *text("m1", "Hello."),
        MessagesSnapshotEvent(
            messages=[
                AssistantMessage(id="old", content="Long ago."),
                UserMessage(id="u1", content="go"),
                AssistantMessage(id="m1", content="Hello."),
                AssistantMessage(id="m2", content="Looked.", tool_calls=[made]),
                ToolMessage(id="t1", tool_call_id="c1", content="seen"),
            ]
        ),
    )
    assert text_of(events) == "Hello.Looked."
    assert [one.name for one in only(events, ActionStarted)] == ["look"]
    assert [one.result for one in only(events, ActionReturned)] == ["seen"]


async def test_an_agent_is_given_the_thread_the_actions_and_what_the_page_knows() -> None:
    def tell(asked: RunAgentInput) -> Answer:
        last = asked.messages[-1]
        if isinstance(last, ToolMessage):
            return whole(asked, *text("m2", f"It said {last.content}"))
        return whole(asked, *call("c1", "weather", '{"city":"Oslo"}'))

    with agent(tell) as own:
        async with opened(settings=own.settings()) as sextant:
            sextant.copilot.register(weather)
            asked = request(
                "go",
                agent="notes",
                actions=(ClientAction("paint", "Paints.", {"type": "object"}),),
                context=(ContextItem("The page", "Invoices"),),
                properties={"team": "Keel", "count": 0},
            )
            events = await events_of(sextant.copilot, asked)
        first, second = own.asked
    assert "Oslo" in text_of(events)
    assert {one.name for one in first.tools or ()} == {"weather", "paint"}
    assert [(one.description, one.value) for one in first.context or ()] == [
        ("The page", "Invoices")
    ]
    assert first.forwarded_props == {"team": "Keel", "count": 0}
    assert [one.role for one in second.messages] == ["user", "assistant", "tool"]
    assert own.headers[0]["accept"] == "text/event-stream"


async def test_a_question_of_an_agent_is_answered_under_its_own_id() -> None:
    question = Interrupt(id="q-7", reason="input_required", message="Shall I?")

    def tell(asked: RunAgentInput) -> Answer:
        if asked.resume:
            return whole(asked, *text("m1", f"You said {asked.resume[0].payload}."))
        outcome = RunFinishedInterruptOutcome(type="interrupt", interrupts=[question])
        return whole(asked, CustomEvent(name="on_interrupt", value="Shall I?"), outcome=outcome)

    with agent(tell) as own:
        async with opened(settings=own.settings()) as sextant:
            asked = request("go", agent="notes", thread_id="t1")
            [waiting] = only(await events_of(sextant.copilot, asked), Interrupted)
            assert waiting.value == "Shall I?"
            answer = InterruptAnswer("yes", waiting.interrupt_id)
            again = await events_of(sextant.copilot, replace(asked, messages=(), answers=(answer,)))
        [entry] = own.asked[1].resume or []
    assert text_of(again) == "You said yes."
    assert (entry.interrupt_id, entry.status) == ("q-7", "resolved")


async def test_an_older_agent_is_answered_as_it_asked() -> None:
    def tell(asked: RunAgentInput) -> Answer:
        if command := (asked.forwarded_props or {}).get("command"):
            return whole(asked, *text("m1", f"You said {command['resume']}."))
        return whole(asked, CustomEvent(name="on_interrupt", value={"ask": "Shall I?"}))

    with agent(tell) as own:
        async with opened(settings=own.settings()) as sextant:
            asked = request("go", agent="notes", thread_id="t1")
            [waiting] = only(await events_of(sextant.copilot, asked), Interrupted)
            assert json.loads(waiting.value) == {"ask": "Shall I?"}
            answer = InterruptAnswer('{"go":"on"}')
            again = await events_of(sextant.copilot, replace(asked, messages=(), answers=(answer,)))
    assert text_of(again) == "You said {'go': 'on'}."


def _begun(asked: RunAgentInput) -> RunStartedEvent:
    return RunStartedEvent(thread_id=asked.thread_id, run_id=asked.run_id)


def _as(asked: RunAgentInput, outcome: bytes) -> bytes:
    """Return a run that ends with something odd."""
    body = whole(asked).body or b""
    return body.replace(b'"type":"RUN_FINISHED"', b'"type":"RUN_FINISHED",' + outcome)


_MORE = TextMessageContentEvent(message_id="m1", delta="x")
_RESULT = ToolCallResultEvent(message_id="t1", tool_call_id="c9", content="x")
_ODD: list[tuple[Tell, str]] = [
    (lambda asked: encoded(_begun(asked), *text("m1", "x")), "before its run was over"),
    (lambda asked: Answer(body=encoded(_begun(asked)).body[:-9]), "middle of a line"),  # type: ignore[index]
    (lambda _: encoded(_MORE), "before its run began"),
    (lambda asked: encoded(_begun(asked), _begun(asked)), "before its run began"),
    (lambda asked: Answer(body=(whole(asked).body or b"") + b'data: {"type":"RAW"}\n\n'), "ended"),
    (lambda asked: whole(asked, _MORE), "has not begun"),
    (lambda asked: whole(asked, *text("m1", "x"), _MORE), "has ended"),
    (lambda asked: whole(asked, *text("m1", "x")[:-1]), "middle of a message"),
    (lambda asked: whole(asked, _RESULT), "not made"),
    (
        lambda _: encoded(RunStartedEvent(thread_id="other", run_id="other")),
        "events of another run",
    ),
    (
        lambda asked: encoded(_begun(asked), RunFinishedEvent(thread_id="other", run_id="r")),
        "end of another run",
    ),
    (
        lambda asked: whole(asked, _delta({"op": "remove", "path": "/a/b"})),
        "wrong shape",
    ),
    (lambda asked: whole(asked, StateSnapshotEvent(snapshot=[1])), "wrong shape"),
    (
        lambda asked: whole(
            asked,
            StateSnapshotEvent(snapshot={"text": "x" * (1 << 20)}),
            *[StepStartedEvent(step_name="again")] * 20,
        ),
        "states of more than 16,777,216 bytes",
    ),
    (lambda asked: Answer(body=_as(asked, b'"outcome":[1]')), "wrong shape"),
    (lambda asked: whole(asked, outcome={"type": "cancelled"}), "was stopped"),
    (lambda asked: encoded(_begun(asked), RunErrorEvent(message="no luck")), "failed: no luck"),
    (lambda _: Answer(body=b"data: {\n\n"), "not JSON"),
    (lambda _: Answer(body=b"data: []\n\n"), "no event"),
    (lambda _: Answer(body=b"<html>\n"), "before its run was over"),
    (lambda _: Answer(body=b"x" * (1 << 20), pieces=3), "a line of more than"),
    (lambda _: Answer(body=b": ping\n\n" * (1 << 17), pieces=100), "16,777,216 bytes"),
    (lambda _: Answer(403), "does not let us in"),
    (lambda _: Answer(503), "status 503"),
    (lambda _: Answer(422, b'{"detail":"no such thread"}'), "no such thread"),
]


@pytest.mark.parametrize(("tell", "why"), _ODD)
async def test_an_odd_run_ends_and_says_why(tell: Tell, why: str) -> None:
    events = await _run(tell)
    failed = events[-1]
    assert isinstance(failed, RunFailed)
    assert why in failed.message
    assert "notes" in failed.message
    assert len(only(events, TextStarted)) == len(only(events, TextEnded))


async def test_what_came_before_an_odd_event_is_told() -> None:
    events = await _run(lambda asked: whole(asked, *text("m1", "Hello."), _MORE))
    assert text_of(events) == "Hello."


async def test_an_agent_that_says_nothing_is_given_up() -> None:
    events = await _run(lambda _: Answer(body=None), {"remote_seconds": 0.05})
    assert isinstance(events[-1], RunFailed)
    assert "took longer than 0.05 s" in events[-1].message


async def test_an_agent_that_never_ends_is_given_up() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"GET"):
            writer.write(b"HTTP/1.1 405 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        else:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while not writer.is_closing():
                writer.write(b": ping\n")
                await asyncio.sleep(0)
        writer.close()

    async with await asyncio.start_server(drip, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/agent"
        settings = kind_settings("agui", url, remote_seconds=0.2)
        async with opened(settings=settings) as sextant:
            events = await events_of(sextant.copilot, request("go", agent="notes"))
    assert isinstance(events[-1], RunFailed)
    assert "took longer than 0.2 s" in events[-1].message


async def test_after_some_failures_an_agent_is_left_alone() -> None:
    with agent(lambda _: Answer(503)) as own:
        async with opened(settings=own.settings()) as sextant:
            asked = request("go", agent="notes")
            runs = [await events_of(sextant.copilot, asked) for _ in range(6)]
        assert len(own.asked) == 5
    assert isinstance(runs[-1][-1], RunFailed)
    assert "left alone" in runs[-1][-1].message


async def test_a_token_of_its_own_and_headers_of_a_hook_go_with_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEXTANT_CHAT_REMOTES_NOTES_TOKEN", "sesame-0123456789")

    def hook(made: RemoteCall) -> dict[str, str]:
        return {"x-user": made.scope.user or "" if made.scope else ""}

    with agent(whole) as own:
        async with opened(settings=own.settings()) as sextant:
            sextant.copilot.add_remote_headers(hook)
            await events_of(sextant.copilot, request("go", agent="notes"))
    assert own.headers[0]["authorization"] == "Bearer sesame-0123456789"
    assert own.headers[0]["x-user"] == "ann"
