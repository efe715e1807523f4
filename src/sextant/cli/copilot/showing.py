"""A run in the terminal: its text on stdout; its steps, actions and questions on stderr."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.text import Text

from sextant.cli.shared.console import err
from sextant.cli.shared.rendering import line, show_piece
from sextant.text.markdown import printable
from sextant.types import (
    ActionReturned,
    ArgumentsAdded,
    InterruptAnswer,
    Interrupted,
    RunEvent,
    RunFailed,
    RunStarted,
    StateChanged,
    TextAdded,
    TextEnded,
)

_LONGEST = 300  # characters of a result that are shown


@dataclass(slots=True)
class RunShower:
    """Shows one run, event by event."""

    _waiting: list[str] = field(default_factory=list)
    _step: str = ""
    _state: Any = None
    _arguments: dict[str, str] = field(default_factory=dict)

    def show(self, event: RunEvent) -> None:
        """Show what concerns a person."""
        match event:
            case TextAdded():
                show_piece(event.text)
            case TextEnded():
                line()
            case StateChanged():
                self._show_state(event)
            case ArgumentsAdded():
                before = self._arguments.get(event.call_id, "")
                self._arguments[event.call_id] = before + event.text
            case ActionReturned():
                self._show_result(event)
            case Interrupted():
                self._waiting.append(event.interrupt_id)
                _aside(f"? {event.value}", "yellow")
            case RunFailed():
                _aside(f"error: {event.message} {event.hint}".rstrip(), "red")
            case _:
                pass

    def show_way_on(self, thread_id: str, *, is_kept: bool) -> None:
        """Show how each question is answered that the run left open, or how the thread goes on."""
        way = f"sextant chat --thread {thread_id}"
        for own in self._waiting:
            named = "" if len(self._waiting) == 1 else f" --answer-to {own}"
            _aside(f"It waits for you: {way} --answer yes{named}", "")
        if is_kept and not self._waiting:
            _aside(f"Go on: {way} …", "dim")

    def _show_result(self, event: ActionReturned) -> None:
        # A call that waited for a person was told, with its arguments, by the run before.
        sent = self._arguments.get(event.call_id)
        called = event.name if sent is None else f"{event.name}({sent})"
        _aside(f"{called} → {event.result[:_LONGEST]}", "red" if event.failed else "cyan")

    def _show_state(self, event: StateChanged) -> None:
        if event.is_running and event.node and event.node != self._step:
            self._step = event.node
            _aside(event.node, "dim")
        if not event.is_running:
            self._state = json.loads(event.state)

    def finish(self) -> None:
        """Show what the answer rests on, behind all of its text."""
        _show_sources(self._state)


def show_answers(answers: Sequence[InterruptAnswer], waiting: Sequence[Interrupted]) -> None:
    """Show which question each answer is for."""
    questions = {one.interrupt_id: one.value for one in waiting}
    for answer in answers:
        if question := questions.get(answer.interrupt_id):
            _aside(f"{answer.response} ← {question}", "yellow")


def run_fields(events: Sequence[RunEvent]) -> dict[str, Any]:
    """Return what a run came to, for programs."""
    started = next(one for one in events if isinstance(one, RunStarted))
    states = [json.loads(one.state) for one in events if isinstance(one, StateChanged)]
    failed = events[-1] if isinstance(events[-1], RunFailed) else None
    return {
        "thread": started.thread_id,
        "run": started.run_id,
        "agent": started.agent,
        "text": "".join(one.text for one in events if isinstance(one, TextAdded)),
        "state": states[-1] if states else None,
        "actions": [asdict(one) for one in events if isinstance(one, ActionReturned)],
        "waits": [asdict(one) for one in events if isinstance(one, Interrupted)],
        "error": {"code": failed.code, "message": failed.message, "hint": failed.hint}
        if failed
        else None,
    }


def _show_sources(state: Any) -> None:
    """Print what an answer rests on, where the agent's state says it."""
    citations = state.get("citations") if isinstance(state, Mapping) else None
    if not isinstance(citations, list) or not citations:
        return
    line()
    line(("Sources", "bold"))
    for one in citations:
        label = one.get("number") or one.get("label")
        line((f"[{label}]", "cyan"), f" {one.get('title')}  ", (str(one.get("chunkId")), "dim"))
        line(f"“{' '.join(str(one.get('quote')).split())}”", indent=4)
    if "confidence" in state:
        line()
        line(f"{state.get('answerState')}, confidence {state['confidence']:.2f}")


def _aside(text: str, style: str) -> None:
    err.print(Text(printable(text), style), highlight=False, soft_wrap=True)
