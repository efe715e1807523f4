"""What an agent elsewhere tells, put into a run of ours: checked, under ids that are free here.

An event that cannot be at its place ends the run; what has begun until then is ended before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sextant.chat.context import RunContext, new_id
from sextant.errors import PeerError
from sextant.ports import RemoteEvent
from sextant.types import (
    ActionEnded,
    ActionMessage,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    Interrupted,
    RemoteState,
    ResultMessage,
    TextAdded,
    TextEnded,
    TextStarted,
    ToolCall,
)

_RUNS = "Whoever runs it has to mend that."


@dataclass(slots=True)
class Relay:
    """One run of an agent elsewhere: what is open, and under which ids it is told here."""

    context: RunContext
    whose: str
    thread_id: str
    taken: set[str]
    """Ids that are in use in this thread."""
    own_ids: dict[str, str] = field(default_factory=dict)
    """Ours, by the ids that the agent gave."""
    open_texts: dict[str, None] = field(default_factory=dict)
    calls: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    """Names and pieces of arguments, by our ids."""
    open_calls: dict[str, None] = field(default_factory=dict)
    returned: set[str] = field(default_factory=set)
    earlier_calls: dict[str, str] = field(default_factory=dict)
    """Names of the calls of earlier runs that have no result yet, by their ids."""
    run_id: str = ""

    def __post_init__(self) -> None:
        for one in self.context.messages:
            if isinstance(one, ActionMessage):
                self.earlier_calls[one.id] = one.name
            elif isinstance(one, ResultMessage):
                self.earlier_calls.pop(one.call_id, None)

    @property
    def unanswered(self) -> tuple[ToolCall, ...]:
        """The calls that the agent did not carry out itself."""
        return tuple(
            ToolCall(own, name, "".join(pieces))
            for own, (name, pieces) in self.calls.items()
            if own not in self.returned
        )

    def add(self, event: RemoteEvent) -> None:
        """Tell an event, if it may come now."""
        match event:
            case TextAdded(given, text):
                own = self._open(given, self.open_texts)
                self.context.emit(event if own == given else TextAdded(own, text))
            case TextStarted(given):
                own = self._begin(given)
                self.open_texts[own] = None
                self.context.start_text(own)
            case TextEnded(given):
                own = self._open(given, self.open_texts)
                del self.open_texts[own]
                self.context.emit(TextEnded(own))
            case RemoteState():
                self._change_state(event)
            case Interrupted():
                self.context.wait_for_person(event.value, remote_id=event.interrupt_id)
            case _:
                self._add_of_call(event)

    def _add_of_call(
        self, event: ActionStarted | ArgumentsAdded | ActionEnded | ActionReturned
    ) -> None:
        emit = self.context.emit
        match event:
            case ActionStarted(given, name, parent):
                own = self._begin(given)
                self.context.called.add(own)
                self.calls[own], self.open_calls[own] = (name, []), None
                emit(ActionStarted(own, name, self.own_ids.get(parent, "")))
            case ArgumentsAdded(given, text):
                own = self._open(given, self.open_calls)
                self.calls[own][1].append(text)
                emit(ArgumentsAdded(own, text))
            case ActionEnded(given):
                own = self._open(given, self.open_calls)
                del self.open_calls[own]
                emit(ActionEnded(own))
            case ActionReturned(given, _, result, failed) if name := self.earlier_calls.pop(
                given, ""
            ):
                emit(ActionReturned(given, name, result, failed))
            case ActionReturned(given, _, result, failed):
                own = self.own_ids.get(given, "")
                if own not in self.calls or own in self.open_calls or own in self.returned:
                    raise self._wrong("the result of a call that is not made, or not any more")
                self.returned.add(own)
                emit(ActionReturned(own, self.calls[own][0], result, failed))

    def end(self) -> None:
        """Check that nothing is left open at the end of the stream."""
        if self.open_texts or self.open_calls:
            self.close_open()
            raise PeerError(f"{self.whose} ended in the middle of a message.", _RUNS)

    def close_open(self) -> None:
        """End what has begun, as the run ends here."""
        for own in self.open_texts:
            self.context.emit(TextEnded(own))
        for own in self.open_calls:
            self.context.emit(ActionEnded(own))
        self.open_texts.clear()
        self.open_calls.clear()

    def _begin(self, given: str) -> str:
        if given in self.own_ids:
            raise self._wrong("two messages of one id")
        own = new_id() if given in self.taken else given
        self.own_ids[given] = own
        self.taken.add(own)
        return own

    def _open(self, given: str, opened: dict[str, None]) -> str:
        own = self.own_ids.get(given, "")
        if own not in opened:
            raise self._wrong("a piece of a message that has not begun, or has ended")
        return own

    def _change_state(self, event: RemoteState) -> None:
        self.run_id = self.run_id or event.run_id
        if event.thread_id != self.thread_id or event.run_id != self.run_id:
            raise self._wrong("the state of another run")
        self.context.change_state(event.state, event.node, is_running=event.is_running)

    def _wrong(self, what: str) -> PeerError:
        return PeerError(f"{self.whose} sent {what}.", _RUNS)
