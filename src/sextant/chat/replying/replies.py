"""The reply of a model as events of a run, piece by piece. Knows no action and no agent."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field

from sextant.chat.context import RunContext, new_id
from sextant.errors import BrokenStream
from sextant.ports import ChatModel
from sextant.types import (
    ActionEnded,
    ActionStarted,
    Arguments,
    ArgumentsAdded,
    Called,
    Delta,
    Ended,
    Message,
    Prompt,
    Speaker,
    TextAdded,
    TextDelta,
    TextEnded,
    ToolCall,
)


async def relay_reply(
    context: RunContext, model: ChatModel, prompt: Prompt, *, tells_text: bool = True
) -> Message:
    """Let a model reply, tell every piece as it comes, and return the whole."""
    reply, log = _Reply(context, tells_text), context.log
    async with aclosing(model.stream(prompt)) as deltas:
        async for delta in deltas:
            reply.add(delta)
            if log.is_ahead:
                await log.wait_for_room()
    return reply.message


@dataclass(slots=True)
class _Reply:
    """A reply so far. Its text and its calls are told one after the other."""

    context: RunContext
    tells_text: bool
    id: str = field(default_factory=new_id)
    texts: list[str] = field(default_factory=list)
    calls: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    open_call: str = ""
    is_text_open: bool = False
    is_text_told: bool = False

    @property
    def message(self) -> Message:
        calls = (
            ToolCall(call_id, name, "".join(pieces))
            for call_id, (name, pieces) in self.calls.items()
        )
        return Message(Speaker.ASSISTANT, "".join(self.texts), calls=tuple(calls))

    def add(self, delta: Delta) -> None:
        match delta:
            case TextDelta(text):
                if text:
                    self._add_text(text)
            case Arguments(call_id, text):
                self._add_arguments(call_id, text)
            case Called(call_id, name):
                self._end_part()
                self.calls[call_id] = (name, [])
                self.open_call = call_id
                self.context.emit(ActionStarted(call_id, name, self.id))
            case Ended():
                self._end_part()
                self.context.usage += delta.usage

    def _add_text(self, text: str) -> None:
        self.texts.append(text)
        if not self.tells_text:
            return
        if not self.is_text_open:
            self._end_part()
            # What a model says after it called something is another message.
            self.id = new_id() if self.is_text_told else self.id
            self.is_text_open = self.is_text_told = True
            self.context.start_text(self.id)
        self.context.emit(TextAdded(self.id, text))

    def _add_arguments(self, call_id: str, text: str) -> None:
        if call_id != self.open_call:
            raise BrokenStream("The model mixed the arguments of its calls.", "Try again.")
        self.calls[call_id][1].append(text)
        self.context.emit(ArgumentsAdded(call_id, text))

    def _end_part(self) -> None:
        if self.is_text_open:
            self.is_text_open = False
            self.context.emit(TextEnded(self.id))
        elif self.open_call:
            self.context.emit(ActionEnded(self.open_call))
            self.open_call = ""
