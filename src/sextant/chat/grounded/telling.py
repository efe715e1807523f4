"""What the line says while it works, as events of a run: steps as state, text with links."""

from __future__ import annotations

from dataclasses import dataclass, field

from sextant.chat.context import RunContext, new_id
from sextant.chat.grounded.citations import Linker, citations_json
from sextant.chat.grounded.status import status_of_names, status_of_step
from sextant.retrieval.events import Event, SourcesChosen, StepBegan, StepEnded, Text
from sextant.types import Answer, Citation, Json, Step, TextAdded, TextEnded, Usage


@dataclass(slots=True)
class Teller:
    """Listens to the line, and tells the readers of a run."""

    context: RunContext
    tells_text: bool = True
    linker: Linker = field(default_factory=Linker)
    steps: list[str] = field(default_factory=list)
    status: str = ""
    message_id: str = ""

    def hear(self, event: Event) -> None:
        """Tell what concerns a reader."""
        match event:
            case StepBegan(_, name):
                self._begin(name)
            case StepEnded(_, step, failed=False):
                self._look_up(step)
            case SourcesChosen(addresses):
                self.linker.choose(addresses)
            case Citation():
                self.linker.learn({event.label: event.url})
            case Text(text):
                self._say(self.linker.feed(text))
            case _:
                pass

    def end(self, answer: Answer) -> None:
        """Tell the rest of an answer, and what it rests on."""
        self._say(self.linker.end())
        if self.message_id:
            self.context.emit(TextEnded(self.message_id))
        self.context.usage += _usage_of(answer)
        citations = citations_json(answer.citations, self.linker.numbers)
        verdict = answer.verdict
        ended: dict[str, Json] = {
            "answerState": answer.state.value,
            "sufficient": verdict.sufficient,
            "confidence": round(verdict.confidence, 4),
            "missing": list(verdict.missing),
        }
        state = {**self._state("", citations), **ended}
        self.context.change_state(state, is_running=False)

    def break_off(self) -> None:
        """Tell that nothing is being done any more, where the answer does not come to its end."""
        if self.status:
            self.context.change_state(self._state("", []), is_running=False)

    def _begin(self, name: str) -> None:
        status = status_of_step(name)
        if status and status != self.status:
            self.steps.append(name)
            self._tell_status(status)

    def _look_up(self, step: Step) -> None:
        """Tell whom the question names, once that is known."""
        if status := status_of_names(step):
            self._tell_status(status)

    def _tell_status(self, status: str) -> None:
        self.status = status
        self.context.change_state(self._state(status, []), status)

    def _state(self, status: str, citations: list[Json]) -> dict[str, Json]:
        return {"status": status, "steps": list(self.steps), "citations": citations}

    def _say(self, text: str) -> None:
        if not text or not self.tells_text:
            return
        if not self.message_id:
            self.message_id = new_id()
            self.context.start_text(self.message_id)
        # Its links are those of its citations, and no other sign of a source does anything.
        self.context.log.append(TextAdded(self.message_id, text))


def _usage_of(answer: Answer) -> Usage:
    step = answer.trace.step("model")
    facts = step.facts if step else {}
    read, written = facts.get("read"), facts.get("written")
    return Usage(read if isinstance(read, int) else 0, written if isinstance(written, int) else 0)
