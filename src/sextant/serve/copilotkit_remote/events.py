"""The events of a run as lines of JSON, as a CopilotKit runtime reads them. Knows no socket.

Such a runtime carries out every call that it hears of and knows an action for. So what is carried
out here, and was offered to it as well, is not told: it would be done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sextant.text.codec.json_bytes import written
from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    Interrupted,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    StateChanged,
    TextAdded,
    TextEnded,
    TextStarted,
)

_INTERRUPT = "LangGraphInterruptEvent"


class LineWriter:
    """Writes the events of one run; actions that were offered are those not to be told of."""

    def __init__(self, offered: Collection[str]) -> None:
        self._offered = offered
        self._silent: set[str] = set()
        self._thread_id = self._run_id = ""
        self._open_text = ""
        self._state: StateChanged | None = None
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
            RunStopped: self._over,
            RunFinished: self._over,
        }

    def write(self, batch: Sequence[RunEvent]) -> bytes:
        """Return a batch of events as it is sent."""
        return b"".join([self._write[type(event)](event) for event in batch])

    def _started(self, event: RunStarted) -> bytes:
        self._thread_id, self._run_id = event.thread_id, event.run_id
        return b""

    def _text_started(self, event: TextStarted) -> bytes:
        self._open_text = event.message_id
        return line(
            "TextMessageStart",
            messageId=event.message_id,
            parentMessageId=event.parent_id or None,
        )

    def _text_added(self, event: TextAdded) -> bytes:
        return line("TextMessageContent", messageId=event.message_id, content=event.text)

    def _text_ended(self, event: TextEnded) -> bytes:
        self._open_text = ""
        return line("TextMessageEnd", messageId=event.message_id)

    def _action_started(self, event: ActionStarted) -> bytes:
        if event.name in self._offered:
            self._silent.add(event.call_id)
            return b""
        return line(
            "ActionExecutionStart",
            actionExecutionId=event.call_id,
            actionName=event.name,
            parentMessageId=event.parent_id or None,
        )

    def _arguments_added(self, event: ArgumentsAdded) -> bytes:
        return self._of_call("ActionExecutionArgs", event.call_id, args=event.text)

    def _action_ended(self, event: ActionEnded) -> bytes:
        return self._of_call("ActionExecutionEnd", event.call_id)

    def _action_returned(self, event: ActionReturned) -> bytes:
        return self._of_call(
            "ActionExecutionResult", event.call_id, actionName=event.name, result=event.result
        )

    def _of_call(self, kind: str, call_id: str, **fields: Any) -> bytes:
        if call_id in self._silent:
            return b""
        return line(kind, actionExecutionId=call_id, **fields)

    def _state_changed(self, event: StateChanged) -> bytes:
        self._state = event
        return self._told_state(event, is_running=event.is_running)

    def _told_state(self, event: StateChanged, *, is_running: bool) -> bytes:
        return line(
            "AgentStateMessage",
            threadId=self._thread_id,
            agentName=event.agent,
            nodeName=event.node,
            runId=self._run_id,
            active=event.is_active and is_running,
            role="assistant",
            state=event.state,
            running=is_running,
        )

    def _interrupted(self, event: Interrupted) -> bytes:
        return line("MetaEvent", name=_INTERRUPT, value=event.value)

    def _failed(self, event: RunFailed) -> bytes:
        """Return why a run failed: as text as well, since runtimes do not show the event."""
        end, message = self._over(event), f"{event.message} {event.hint}".strip()
        own = f"error-{self._run_id}"
        return b"".join(
            (
                end,
                line("TextMessageStart", messageId=own, parentMessageId=None),
                line("TextMessageContent", messageId=own, content=message),
                line("TextMessageEnd", messageId=own),
                line("RunError", code=event.code, message=message),
            )
        )

    def _over(self, _: RunEvent) -> bytes:
        """Return the end of what is open, and that the agent no longer runs."""
        text = line("TextMessageEnd", messageId=self._open_text) if self._open_text else b""
        if self._state is None or not self._state.is_running:
            return text
        return text + self._told_state(self._state, is_running=False)


def line(kind: str, **fields: Any) -> bytes:
    """Return an event as it is sent; JSON has no line breaks that could end it early."""
    told: Mapping[str, Any] = {"type": kind, **fields}
    return written(told) + b"\n"
