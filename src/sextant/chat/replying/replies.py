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
    given_id: str = ""
    """What the model calls the open call."""
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
        if isinstance(delta, TextDelta):  # most are, and a match would cost more than the rest
            if delta.text:
                self._add_text(delta.text)
            return
        match delta:
            case Arguments(call_id, text):
                self._add_arguments(call_id, text)
            case Called(call_id, name):
                self._end_part()
                self._begin_call(call_id, name)
            case Ended():
                self._end_part()
                self.context.usage += delta.usage

    def _begin_call(self, given: str, name: str) -> None:
        """Begin a call under its id, or another one where the thread has that already.

        Some servers of models number the calls of each reply anew.
        """
        taken = {one.id for one in self.context.messages} | self.context.called
        own = new_id() if given in taken else given
        self.context.called.add(own)
        self.calls[own] = (name, [])
        self.given_id, self.open_call = given, own
        self.context.emit(ActionStarted(own, name, self.id))

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
        if not self.open_call or call_id != self.given_id:
            raise BrokenStream("The model mixed the arguments of its calls.", "Try again.")
        self.calls[self.open_call][1].append(text)
        self.context.emit(ArgumentsAdded(self.open_call, text))

    def _end_part(self) -> None:
        if self.is_text_open:
            self.is_text_open = False
            self.context.emit(TextEnded(self.id))
        elif self.open_call:
            self.context.emit(ActionEnded(self.open_call))
            self.open_call = ""
