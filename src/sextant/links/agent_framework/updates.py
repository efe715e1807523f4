"""The updates of Agent Framework as events of a run, piece by piece. Knows no agent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from agent_framework import AgentResponseUpdate, Content

from sextant.ports import RemoteEvent
from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    TextAdded,
    TextEnded,
    TextStarted,
)


@dataclass(slots=True)
class UpdateReader:
    """Reads the updates of one run; what begins also ends."""

    text_id: str = ""
    message_id: str | None = None
    names: dict[str, str] = field(default_factory=dict)
    """Of all calls so far, by their ids."""
    open_calls: dict[str, None] = field(default_factory=dict)

    def read(self, update: AgentResponseUpdate) -> Iterator[RemoteEvent]:
        """Yield the events that an update stands for."""
        for content in update.contents:
            if content.type == "text" and content.text:
                yield from self._text(content.text, update.message_id)
            elif content.type == "function_call":
                yield from self._call(content)
            elif content.type == "function_approval_request":
                whole = content.function_call
                if whole and whole.call_id not in self.names:
                    yield from self._call(whole)
            elif content.type == "function_result" and content.call_id in self.names:
                yield from self._result(content)

    def end(self) -> Iterator[RemoteEvent]:
        """Yield the end of what is open."""
        if self.text_id:
            yield TextEnded(self.text_id)
            self.text_id = ""
        yield from (ActionEnded(one) for one in self.open_calls)
        self.open_calls.clear()

    def _text(self, text: str, message_id: str | None) -> Iterator[RemoteEvent]:
        if not self.text_id or message_id != self.message_id:
            yield from self.end()
            self.text_id, self.message_id = str(uuid4()), message_id
            yield TextStarted(self.text_id)
        yield TextAdded(self.text_id, text)

    def _call(self, content: Content) -> Iterator[RemoteEvent]:
        """Yield a piece of a call; the framework tells one that is left to others once more."""
        call_id, arguments = content.call_id or "", content.arguments
        if call_id not in self.names:
            if self.text_id:
                yield from self.end()
            self.names[call_id] = content.name or ""
            self.open_calls[call_id] = None
            yield ActionStarted(call_id, content.name or "")
        if call_id in self.open_calls and arguments:
            text = json.dumps(dict(arguments)) if isinstance(arguments, Mapping) else arguments
            yield ArgumentsAdded(call_id, text)

    def _result(self, content: Content) -> Iterator[RemoteEvent]:
        yield from self.end()
        call_id = content.call_id or ""
        result = content.result if isinstance(content.result, str) else json.dumps(content.result)
        yield ActionReturned(call_id, self.names[call_id], result, content.exception is not None)
