"""Events of a run as payloads of the older incremental format, which CopilotKit's clients read.

The first payload has `data`, the others have `incremental`: items for lists by path and index, and
data for objects by path. What follows an item comes behind it. Knows no transport.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sextant.serve.graphql.incremental.lists import StreamedList, fill, label_of
from sextant.serve.graphql.incremental.selection import RunPlan
from sextant.serve.graphql.incremental.values import (
    INTERRUPTED_RUN,
    RUN_SUCCESS,
    SUCCESS,
    Value,
    action_value,
    failed_message,
    failed_run,
    interrupt_value,
    result_value,
    state_value,
    stopped_message,
    text_value,
    time_text,
)
from sextant.text.codec.json_bytes import written
from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    FailureReason,
    Interrupted,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStopped,
    StateChanged,
    TextAdded,
    TextEnded,
    TextStarted,
)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run before its first event; the run's id is the client's own, if any."""

    thread_id: str
    run_id: str
    echoed_run_id: str | None = None
    extensions: Value | None = None
    request_id: str = ""


class Writer:
    """Writes one run; events come in batches, and each batch makes at most two payloads."""

    def __init__(
        self, plan: RunPlan, facts: RunFacts, clock: Callable[[], datetime] = _now
    ) -> None:
        self._plan, self._facts, self._clock = plan, facts, clock
        self._patches: list[bytes] = []
        self._is_begun = self.is_ended = False
        self._open: dict[str, Value] = {}
        self._response: Value = {
            "__typename": "CopilotResponse",
            "threadId": facts.thread_id,
            "runId": facts.echoed_run_id,
            "extensions": facts.extensions,
            "status": None,
            "messages": [],
            "metaEvents": [],
        }
        self._lists = {
            name: [
                StreamedList(plan.key, stream, self._patches)
                for stream in plan.parts.streams
                if stream.name == name
            ]
            for name in ("messages", "metaEvents")
        }

    def payloads(self, events: Sequence[RunEvent]) -> list[bytes]:
        """Return what a batch of events comes to; nothing as long as the first has to wait."""
        for event in events:
            if isinstance(event, TextAdded):
                self._add_piece(event.message_id, "content", event.text)
            elif isinstance(event, ArgumentsAdded):
                self._add_piece(event.call_id, "arguments", event.text)
            else:
                self._hear(event)
        for value in self._open.values():
            self._flush(value)
        made: list[bytes] = []
        if not self._is_begun and (self.is_ended or not self._plan.parts.waits):
            self._is_begun = True
            made.append(self._first())
        if self._is_begun and self._plan.is_in_parts and (self._patches or self.is_ended):
            made.append(self._next())
        return made

    def _hear(self, event: RunEvent) -> None:
        match event:
            case TextStarted(message_id):
                self._begin(message_id, text_value(event, self._time()))
            case ActionStarted(call_id):
                self._begin(call_id, action_value(event, self._time()))
            case TextEnded(own_id) | ActionEnded(own_id):
                if value := self._open.pop(own_id, None):
                    self._end(value, SUCCESS)
            case ActionReturned():
                self._add(result_value(event, self._time()))
            case StateChanged():
                facts = self._facts
                self._add(state_value(event, self._time(), facts.thread_id, facts.run_id))
            case Interrupted():
                self._add(interrupt_value(event, self._time()), "metaEvents")
            case _:
                self._hear_end(event)

    def _hear_end(self, event: RunEvent) -> None:
        match event:
            case RunFinished():
                self._finish(RUN_SUCCESS, SUCCESS)
            case RunFailed():
                self._begin_denied(event)
                self._finish(failed_run(event, self._facts.request_id), failed_message(event))
            case RunStopped():
                self._finish(INTERRUPTED_RUN, stopped_message())
            case _:
                pass

    def _begin_denied(self, failed: RunFailed) -> None:
        """Let a denied run have the message that was cut: in it clients look for the reason."""
        if failed.reason is FailureReason.GUARDRAIL and not self._open:
            denied = TextStarted(f"denied-{self._facts.run_id}")
            self._begin(denied.message_id, text_value(denied, self._time()))

    def _add_piece(self, own_id: str, name: str, text: str) -> None:
        value = self._open.get(own_id)
        if value is not None and name in value:
            value[name].append(text)

    def _time(self) -> str:
        return time_text(self._clock())

    def _begin(self, own_id: str, value: Value) -> None:
        if own_id in self._open:
            return
        self._open[own_id] = value
        self._response["messages"].append(value)
        for one in self._lists["messages"]:
            one.begin(value)

    def _flush(self, value: Value) -> None:
        for one in self._lists["messages"]:
            one.flush(value)

    def _end(self, value: Value, status: Value) -> None:
        value["status"] = status
        for one in self._lists["messages"]:
            one.end(value)

    def _add(self, value: Value, name: str = "messages") -> None:
        """Add what is whole at once."""
        self._response[name].append(value)
        for one in self._lists[name]:
            one.begin(value)
            one.end(value)

    def _finish(self, status: Value, of_messages: Value) -> None:
        for value in self._open.values():
            self._end(value, of_messages)
        self._open.clear()
        self._response["status"] = status
        self.is_ended = True

    def _first(self) -> bytes:
        plan = self._plan
        data: dict[str, Any] = {field.key: "Mutation" for field in plan.beside}
        data[plan.key] = fill(plan.parts, self._response)
        if not plan.is_in_parts:
            return written({"data": data})
        at_once = [self._deferred(n) for n, one in enumerate(plan.parts.deferred) if not one.waits]
        self._patches[:0] = at_once
        return written({"data": data, "hasNext": True})

    def _next(self) -> bytes:
        if self.is_ended:
            late = enumerate(self._plan.parts.deferred)
            self._patches += [self._deferred(n) for n, one in late if one.waits]
        has_next = b"false" if self.is_ended else b"true"
        if not self._patches:
            return b'{"hasNext":%b}' % has_next
        payload = b'{"incremental":[%b],"hasNext":%b}' % (b",".join(self._patches), has_next)
        self._patches.clear()
        return payload

    def _deferred(self, number: int) -> bytes:
        deferred = self._plan.parts.deferred[number]
        data = written(fill(deferred, self._response))
        path = written([self._plan.key])
        return b'{"data":%b,"path":%b%b}' % (data, path, label_of(deferred))
