"""The events of AG-UI as those of a run here: in the order of the protocol, of the run asked for.

What is no part of a run's own events, such as reasoning, is passed over. Knows no connection.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sextant.errors import PeerError
from sextant.links.remote_endpoints.agui.chunks import Chunks
from sextant.links.remote_endpoints.agui.patching import apply_patch
from sextant.links.remote_endpoints.agui.snapshots import new_messages, text_of
from sextant.links.remote_endpoints.connection import LARGEST, NOT_OURS
from sextant.links.remote_endpoints.decoding import (
    WRONG_SHAPE,
    decode_event,
    id_in,
    run_failure,
    text_in,
    wrong_shape,
)
from sextant.ports import RemoteEvent
from sextant.text.codec.json_bytes import written
from sextant.types import (
    ActionEnded,
    ActionMessage,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    Interrupted,
    RemoteRun,
    RemoteState,
    ResultMessage,
    TextAdded,
    TextEnded,
    TextStarted,
)

Event = Mapping[str, Any]
_INTERRUPT = "on_interrupt"
"""The custom event by which agents before AG-UI 1.0 ask a person."""


class RunReader:
    """Reads one run: how far it is, its state, and what it has told so far."""

    def __init__(self, whose: str, run: RemoteRun, run_id: str) -> None:
        self._whose, self._thread_id, self._run_id = whose, run.thread_id, run_id
        self._is_begun = self._is_over = self._is_state_told = False
        self._state: Mapping[str, Any] = run.state
        self._state_bytes, self._step = 0, ""
        self._questions: list[Interrupted] = []
        self._chunks = Chunks()
        self._sent = _ids_of(run)
        self._known = {one.id for one in run.messages if isinstance(one, ActionMessage)}
        """The messages and calls that were told, and the calls that were sent."""
        self._make: Mapping[str, Callable[[Event], Iterable[RemoteEvent]]] = {
            "TEXT_MESSAGE_START": self._start_text,
            "TEXT_MESSAGE_CONTENT": _add_text,
            "TEXT_MESSAGE_END": lambda event: (TextEnded(id_in(event, "messageId")),),
            "TOOL_CALL_START": self._start_call,
            "TOOL_CALL_ARGS": _add_arguments,
            "TOOL_CALL_END": lambda event: (ActionEnded(id_in(event, "toolCallId")),),
            "TOOL_CALL_RESULT": self._return_call,
            "MESSAGES_SNAPSHOT": self._add_messages,
            "STATE_SNAPSHOT": lambda event: self._change_state(event["snapshot"]),
            "STATE_DELTA": lambda event: self._change_state(
                apply_patch(self._state, event["delta"])
            ),
            "STEP_STARTED": self._start_step,
            "STEP_FINISHED": self._finish_step,
            "CUSTOM": self._note_question,
            "RUN_STARTED": self._start,
            "RUN_FINISHED": self._finish,
        }

    def read(self, data: bytes) -> Iterable[RemoteEvent]:
        """Return the events that an event of AG-UI stands for, or say why it cannot be there."""
        kind, event = decode_event(data, self._whose)
        if kind == "RUN_ERROR":
            raise run_failure(self._whose, event)
        if self._is_over or self._is_begun == (kind == "RUN_STARTED"):
            raise self._wrong(f"{kind[:80]} before its run began, or after it ended")
        try:
            if self._chunks.concern(kind):
                expanded = self._chunks.expand(kind, event)
                return [made for one in expanded for made in self._made(*one)]
            return self._made(kind, event)
        except WRONG_SHAPE:
            raise wrong_shape(self._whose, kind) from None

    def check_end(self) -> None:
        """Check that the run was over when its events ended."""
        if not self._is_over:
            raise PeerError(f"{self._whose} broke off before its run was over.", NOT_OURS)

    def _made(self, kind: str, event: Event) -> Iterable[RemoteEvent]:
        make = self._make.get(kind)
        return make(event) if make else ()

    def _start(self, event: Event) -> Iterable[RemoteEvent]:
        if event["threadId"] != self._thread_id or event["runId"] != self._run_id:
            raise self._wrong("the events of another run")
        self._is_begun = True
        return ()

    def _start_text(self, event: Event) -> Iterable[RemoteEvent]:
        self._known.add(own := id_in(event, "messageId"))
        return (TextStarted(own),)

    def _start_call(self, event: Event) -> Iterable[RemoteEvent]:
        self._known.add(own := id_in(event, "toolCallId"))
        parent = event.get("parentMessageId")
        name = id_in(event, "toolCallName")
        return (ActionStarted(own, name, parent if isinstance(parent, str) else ""),)

    def _return_call(self, event: Event) -> Iterable[RemoteEvent]:
        own = id_in(event, "toolCallId")
        self._sent.add(own)
        return (ActionReturned(own, "", text_of(event["content"])),)

    def _add_messages(self, event: Event) -> Iterable[RemoteEvent]:
        found = new_messages(event["messages"], self._sent, self._known)
        return [made for one in found for made in self._made(*one)]

    def _change_state(self, state: Any, *, is_running: bool = True) -> Iterable[RemoteEvent]:
        if not isinstance(state, dict):
            raise TypeError("state")
        self._state, self._is_state_told = state, True
        self._state_bytes += len(written(state))
        if self._state_bytes > LARGEST:
            raise self._wrong(f"states of more than {LARGEST:,} bytes in all")
        return (RemoteState(self._thread_id, self._run_id, self._step, state, is_running),)

    def _start_step(self, event: Event) -> Iterable[RemoteEvent]:
        self._step = text_in(event, "stepName")
        return self._change_state(self._state)

    def _finish_step(self, event: Event) -> Iterable[RemoteEvent]:
        if event.get("stepName") == self._step:
            self._step = ""
        return ()

    def _note_question(self, event: Event) -> Iterable[RemoteEvent]:
        if event["name"] == _INTERRUPT:
            self._questions.append(Interrupted("", _as_text(event.get("value"))))
        return ()

    def _finish(self, event: Event) -> Iterable[RemoteEvent]:
        if event["threadId"] != self._thread_id:
            raise self._wrong("the end of another run")
        outcome = event.get("outcome") or {}
        if outcome.get("type") == "cancelled":
            raise PeerError(f"{self._whose} was stopped.", "Try again, or ask whoever runs it.")
        self._is_over, self._step = True, ""
        asked = [_question(one) for one in outcome.get("interrupts") or ()]
        state = self._change_state(self._state, is_running=False) if self._is_state_told else ()
        return (*(asked or self._questions), *state)

    def _wrong(self, what: str) -> PeerError:
        return PeerError(f"{self._whose} sent {what}.", NOT_OURS)


def _add_text(event: Event) -> Iterable[RemoteEvent]:
    return (TextAdded(id_in(event, "messageId"), text_in(event, "delta")),)


def _add_arguments(event: Event) -> Iterable[RemoteEvent]:
    return (ArgumentsAdded(id_in(event, "toolCallId"), text_in(event, "delta")),)


def _question(interrupt: Event) -> Interrupted:
    """Return what a person is asked: the value of the agent, or else its sentence, or all of it."""
    metadata = interrupt.get("metadata")
    value = metadata.get("value") if isinstance(metadata, dict) else None
    own = interrupt.get("message") or interrupt if value is None else value
    return Interrupted(id_in(interrupt, "id"), _as_text(own))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _ids_of(run: RemoteRun) -> set[str]:
    """Return the ids of all that was sent: messages, those that calls are parts of, and results."""
    parents = {one.parent_id for one in run.messages if isinstance(one, ActionMessage)}
    results = {one.call_id for one in run.messages if isinstance(one, ResultMessage)}
    return {one.id for one in run.messages} | parents | results
