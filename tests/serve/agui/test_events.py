"""Events of a run as AG-UI has them: all that a run can tell, checked by the protocol's models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sextant.serve.agui.events import EventWriter
from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    Interrupted,
    Json,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    StateChanged,
    TextAdded,
    TextEnded,
    TextStarted,
    Usage,
)
from tests.serve.agui.serving import checked, run_input

STARTED = RunStarted("t", "r", "default")


def told(*events: RunEvent, given: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return what a client reads of some events, in one batch or in many."""
    whole, piecewise = EventWriter(given or {}), EventWriter(given or {})
    frames = whole.write(events)
    assert frames == b"".join(piecewise.write([one]) for one in events)
    parts = frames.decode().split("\n\n")
    assert parts.pop() == ""
    return [checked(json.loads(one.removeprefix("data: "))) for one in parts]


def state(value: Json, node: str = "", *, is_running: bool = True) -> StateChanged:
    return StateChanged("s", "default", node, json.dumps(value), is_running=is_running)


def kinds(events: Sequence[dict[str, Any]]) -> list[str]:
    return [one["type"] for one in events]


def test_an_action_that_is_carried_out_here_has_a_result() -> None:
    events = told(
        STARTED,
        ActionStarted("c", "look", "m"),
        ArgumentsAdded("c", '{"a":'),
        ArgumentsAdded("c", "1}"),
        ActionEnded("c"),
        ActionReturned("c", "look", '{"found":2}'),
        RunFinished(Usage(3, 2, 1)),
    )
    assert events[1]["parentMessageId"] == "m"
    assert events[-2] == {
        "type": "TOOL_CALL_RESULT",
        "messageId": "result-c",
        "toolCallId": "c",
        "content": '{"found":2}',
        "role": "tool",
    }
    assert events[-1]["usage"][0]["totalTokens"] == 5


def test_a_state_is_told_whole_and_then_as_what_changed() -> None:
    long = {"answer": "x" * 200}
    events = told(STARTED, state({"step": "search", **long}), state({"step": "rank", **long}))
    assert kinds(events)[1:] == ["STATE_SNAPSHOT", "STATE_DELTA"]
    assert events[2]["delta"] == [{"op": "replace", "path": "/step", "value": "rank"}]


def test_a_state_is_told_whole_where_that_is_shorter_or_a_change_cannot_be_told() -> None:
    assert kinds(told(state({"a": 1}), state({"b": 2, "c": 3})))[-1] == "STATE_SNAPSHOT"
    assert kinds(told(state([1]), state([1, 2])))[-1] == "STATE_SNAPSHOT"
    events = told(state({"long": "x" * 200}), state({"long": "x" * 200, "__proto__": 1}))
    assert kinds(events)[-1] == "STATE_SNAPSHOT"


def test_a_state_that_is_as_before_is_not_told_again() -> None:
    assert kinds(told(state({"a": 1}), state({"a": 1}))) == ["STATE_SNAPSHOT"]


def test_the_node_of_a_state_is_a_step_that_ends_before_the_run_does() -> None:
    events = told(STARTED, state({}, "search"), state({"a": 1}, "rank"), RunFinished())
    steps = [(one["type"], one["stepName"]) for one in events if "stepName" in one]
    assert steps == [
        ("STEP_STARTED", "search"),
        ("STEP_FINISHED", "search"),
        ("STEP_STARTED", "rank"),
        ("STEP_FINISHED", "rank"),
    ]
    assert kinds(told(state({}, "a"), state({}, "a", is_running=False)))[-1] == "STEP_FINISHED"


def test_an_interrupt_is_an_event_for_older_clients_and_the_outcome_of_the_run_for_newer() -> None:
    asked = json.dumps({"message": "Delete it?", "file": "a.md"})
    events = told(STARTED, Interrupted("i", asked, "c"), RunFinished())
    assert events[1] == {"type": "CUSTOM", "name": "on_interrupt", "value": json.loads(asked)}
    assert events[-1]["outcome"] == {
        "type": "interrupt",
        "interrupts": [
            {
                "id": "i",
                "reason": "confirmation",
                "message": "Delete it?",
                "toolCallId": "c",
                "metadata": {"value": json.loads(asked)},
            }
        ],
    }
    plain = told(STARTED, Interrupted("i", "Which team?"), RunFinished())[-1]["outcome"]
    assert plain["interrupts"] == [
        {"id": "i", "reason": "input_required", "message": "Which team?"}
    ]


def test_a_run_that_is_stopped_leaves_nothing_open_and_nothing_to_carry_out() -> None:
    events = told(
        STARTED,
        state({}, "search"),
        ActionStarted("done", "look"),
        ActionEnded("done"),
        ActionReturned("done", "look", "1"),
        ActionStarted("whole", "paint"),
        ActionEnded("whole"),
        ActionStarted("half", "paint"),
        TextStarted("m"),
        TextAdded("m", "a"),
        RunStopped(),
    )
    assert kinds(events)[-6:] == [
        "TEXT_MESSAGE_END",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "TOOL_CALL_RESULT",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    stopped = [one for one in events if one.get("role") == "tool" and "stopped" in one["content"]]
    assert [one["toolCallId"] for one in stopped] == ["whole", "half"]
    assert "outcome" not in events[-1]
    newest = told(STARTED, RunStopped(), given=run_input("", protocolVersion="1.0"))
    assert newest[-1]["outcome"] == {"type": "cancelled"}


def test_a_failure_says_what_happened_and_what_may_help() -> None:
    failed = RunFailed("model_timeout", "The model was too slow.", "Try again.")
    assert told(STARTED, failed)[-1] == {
        "type": "RUN_ERROR",
        "message": "The model was too slow. Try again.",
        "code": "model_timeout",
    }


def test_text_is_told_as_it_is_whatever_is_in_it() -> None:
    odd = 'a\n\ndata: {"type":"RUN_ERROR"}\r\u2028\x00 "ü"'
    events = told(STARTED, TextStarted('m"1'), TextAdded('m"1', odd), TextEnded('m"1'))
    assert (events[2]["messageId"], events[2]["delta"]) == ('m"1', odd)
