"""The events of a run as AG-UI tells them: server-sent events of JSON. Knows no socket."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sextant.serve.agui.patches import state_patch
from sextant.serve.errors import in_one_text
from sextant.text.codec.json_bytes import written
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

PROTOCOL = "1.0"
STOPPED = {"status": "stopped", "reason": "stop_requested", "message": "Run stopped by user"}
"""What a call is answered with whose run was stopped, so that no page carries it out."""
_INTERRUPT = "on_interrupt"
"""How clients before AG-UI 1.0 hear of an interrupt."""


def framed(kind: str, **fields: Any) -> bytes:
    """Return an event as it is sent; JSON has no line breaks that could end it early."""
    return b"data: %b\n\n" % written({"type": kind, **fields})


class EventWriter:
    """Writes the events of one run. It knows what is open, so that whatever begins also ends.

    The input is told again as the run starts. A client that does not say which version of the
    protocol it speaks is older than 1.0, and knows no run that was cancelled. A failure is told
    with the id of the request that started the run, under which the log has it.
    """

    def __init__(self, given: Mapping[str, Json], request_id: str = "") -> None:
        self._input, self._request_id = given, request_id
        self._is_older = not given.get("protocolVersion")
        self._thread_id = self._run_id = self._step = ""
        self._texts: dict[str, bytes] = {}
        self._arguments: dict[str, bytes] = {}
        self._unanswered: dict[str, bool] = {}
        self._interrupts: list[Mapping[str, Json]] = []
        self._state: Json = None
        self._write: dict[type, Callable[[Any], bytes]] = {
            RunStarted: self._started,
            TextStarted: self._text_started,
            TextAdded: self._text_added,
            TextEnded: self._text_ended,
            ActionStarted: self._action_started,
            ArgumentsAdded: self._arguments_added,
            ActionEnded: self._action_ended,
            ActionReturned: self._action_returned,
            StateChanged: self._state_changed,
            Interrupted: self._interrupted,
            RunFailed: self._failed,
            RunStopped: self._stopped,
            RunFinished: self._finished,
        }

    def write(self, batch: Sequence[RunEvent]) -> bytes:
        """Return a batch of events as it is sent."""
        return b"".join([self._write[type(event)](event) for event in batch])

    def _started(self, event: RunStarted) -> bytes:
        self._thread_id, self._run_id = event.thread_id, event.run_id
        told: dict[str, Any] = {} if self._is_older else {"protocolVersion": PROTOCOL}
        if self._input:
            told["input"] = self._input
        return self._of_run("RUN_STARTED", **told)

    def _text_started(self, event: TextStarted) -> bytes:
        self._texts[event.message_id] = _opening(
            "TEXT_MESSAGE_CONTENT", "messageId", event.message_id
        )
        return framed("TEXT_MESSAGE_START", messageId=event.message_id, role=event.speaker)

    def _text_added(self, event: TextAdded) -> bytes:
        return b"%b%b}\n\n" % (self._texts[event.message_id], written(event.text))

    def _text_ended(self, event: TextEnded) -> bytes:
        del self._texts[event.message_id]
        return framed("TEXT_MESSAGE_END", messageId=event.message_id)

    def _action_started(self, event: ActionStarted) -> bytes:
        self._arguments[event.call_id] = _opening("TOOL_CALL_ARGS", "toolCallId", event.call_id)
        self._unanswered[event.call_id] = True
        parent = {"parentMessageId": event.parent_id} if event.parent_id else {}
        return framed(
            "TOOL_CALL_START", toolCallId=event.call_id, toolCallName=event.name, **parent
        )

    def _arguments_added(self, event: ArgumentsAdded) -> bytes:
        return b"%b%b}\n\n" % (self._arguments[event.call_id], written(event.text))

    def _action_ended(self, event: ActionEnded) -> bytes:
        del self._arguments[event.call_id]
        return framed("TOOL_CALL_END", toolCallId=event.call_id)

    def _action_returned(self, event: ActionReturned) -> bytes:
        self._unanswered.pop(event.call_id, None)
        return _result(event.call_id, event.result)

    def _state_changed(self, event: StateChanged) -> bytes:
        step = self._step_to(event.node if event.is_running else "")
        state: Json = json.loads(event.state)
        old, self._state = self._state, state
        patch = state_patch(old, state)
        if patch == []:
            return step
        whole = framed("STATE_SNAPSHOT", snapshot=state)
        change = framed("STATE_DELTA", delta=patch) if patch else whole
        return step + min(change, whole, key=len)

    def _interrupted(self, event: Interrupted) -> bytes:
        value = _value(event.value)
        self._interrupts.append(_interrupt(event, value))
        return framed("CUSTOM", name=_INTERRUPT, value=value)

    def _failed(self, event: RunFailed) -> bytes:
        return run_error(event.message, event.hint, event.code, self._request_id)

    def _stopped(self, _: RunStopped) -> bytes:
        texts = [framed("TEXT_MESSAGE_END", messageId=one) for one in self._texts]
        calls = [framed("TOOL_CALL_END", toolCallId=one) for one in self._arguments]
        results = [_result(one, json.dumps(STOPPED)) for one in self._unanswered]
        outcome = {} if self._is_older else {"outcome": {"type": "cancelled"}}
        end = self._step_to("") + self._of_run("RUN_FINISHED", **outcome)
        return b"".join([*texts, *calls, *results, end])

    def _finished(self, event: RunFinished) -> bytes:
        told: dict[str, Any] = {}
        if self._interrupts:
            told["outcome"] = {"type": "interrupt", "interrupts": self._interrupts}
        if event.usage != Usage():
            told["usage"] = [_usage(event.usage)]
        return self._step_to("") + self._of_run("RUN_FINISHED", **told)

    def _of_run(self, kind: str, **fields: Any) -> bytes:
        return framed(kind, threadId=self._thread_id, runId=self._run_id, **fields)

    def _step_to(self, step: str) -> bytes:
        """Return that the step before has ended and this one has begun, if it is another one."""
        if step == self._step:
            return b""
        ended = framed("STEP_FINISHED", stepName=self._step) if self._step else b""
        begun = framed("STEP_STARTED", stepName=step) if step else b""
        self._step = step
        return ended + begun


def run_error(sentence: str, hint: str, code: str, request_id: str) -> bytes:
    """Return the event of a run that failed."""
    message = in_one_text(sentence, hint, request_id)
    known = {"metadata": {"requestId": request_id}} if request_id else {}
    return framed("RUN_ERROR", message=message, code=code, **known)


def result_id(call_id: str) -> str:
    """Return the id of the message that says what a call returned."""
    return f"result-{call_id}"


def _opening(kind: str, name: str, value: str) -> bytes:
    """Return what every piece of a text has before its text: it is written 200 times a reply."""
    return b'data: {"type":"%b","%b":%b,"delta":' % (kind.encode(), name.encode(), written(value))


def _result(call_id: str, content: str) -> bytes:
    return framed(
        "TOOL_CALL_RESULT",
        messageId=result_id(call_id),
        toolCallId=call_id,
        content=content,
        role="tool",
    )


def _interrupt(event: Interrupted, value: Json) -> Mapping[str, Json]:
    """Return what the run waits for.

    An approval is no "tool_call": for that reason clients write a result of the call themselves.
    """
    told: dict[str, Json] = {
        "id": event.interrupt_id,
        "reason": "confirmation" if event.call_id else "input_required",
    }
    message = value.get("message") if isinstance(value, Mapping) else value
    if isinstance(message, str):
        told["message"] = message
    if event.call_id:
        told["toolCallId"] = event.call_id
    if not isinstance(value, str):
        told["metadata"] = {"value": value}
    return told


def _value(text: str) -> Json:
    """Return the value of a text that is JSON, or else the text."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value


def _usage(usage: Usage) -> Mapping[str, Json]:
    return {
        "inputTokens": usage.read,
        "outputTokens": usage.written,
        "totalTokens": usage.read + usage.written,
        "cachedInputTokens": usage.cached,
    }
