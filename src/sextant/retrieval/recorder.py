"""What the line tells while it works, and how much it may still spend. Knows no step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from sextant.retrieval.events import Emit, StepBegan, StepEnded
from sextant.spans import Facts, span
from sextant.types import Json, Reordered, Rephrased, Step, Trace

COSTS = {"reading": 400.0, "follow-up": 30.0, "queries": 20.0, "walk": 12.0, "meaning": 8.0}
"""What can be left out, in this order, and about how many milliseconds each takes."""

_KEPT_S = 0.5
"""Of a budget so much, or half of it, is kept for what needs nobody else."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much an answer may cost; 0 is no bound. What does not fit is left out, openly."""

    milliseconds: int = 0
    tokens: int = 0


UNBOUNDED = Budget()


@dataclass(slots=True)
class Notes:
    """What a step has to say of itself while it runs."""

    facts: dict[str, Json] = field(default_factory=dict)
    fallback: str = ""

    def modelled(self, said: Rephrased | Reordered) -> None:
        """Tell which model did this, or why none did."""
        if said.model:
            self.facts["model"] = said.model
        self.fallback = said.fallback


@dataclass(slots=True)
class Recorder:
    """Times steps, passes them on to whoever listens, and keeps them for the trace.

    Steps are numbered from the count of those that have begun before.
    """

    emit: Emit
    clock: Callable[[], float]
    budget: Budget
    steps: list[Step] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    begun: int = 0
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @contextmanager
    def step(self, name: str) -> Iterator[Notes]:
        """Run a step; what it notes becomes part of the trace, unless it fails."""
        self.begun += 1
        notes, began, step_id, failed = Notes(), self.clock(), self.begun, True
        self.emit(StepBegan(step_id, name))
        try:
            with span(f"sextant.{name}") as told:
                yield notes
                if told.is_heard:
                    told.note(_counted(notes))
            failed = False
        finally:
            took = round((self.clock() - began) * 1000, 3)
            step = Step(name, notes.facts, notes.fallback, took)
            if not failed:
                self.steps.append(step)
            self.emit(StepEnded(step_id, step, failed))

    def affords(self, what: str) -> bool:
        """Whether the budget still allows for this; what it does not is left out, and noted."""
        allowed = self.budget.milliseconds
        spent = (self.clock() - self.started) * 1000
        if not allowed or spent + COSTS[what] <= allowed:
            return True
        self.leave_out(what)
        return False

    def left(self, seconds: float) -> float:
        """Return how many of these seconds, and of the budget's, are left."""
        spent = self.clock() - self.started
        allowed = self.budget.milliseconds / 1000
        return max(0.0, (min(seconds, allowed) if allowed else seconds) - spent)

    def left_for_others(self, seconds: float) -> float:
        """Return how many seconds somebody else may take, so that our own steps have theirs."""
        return max(0.0, self.left(seconds) - min(_KEPT_S, self.budget.milliseconds / 2000))

    def leave_out(self, what: str) -> None:
        """Note that the budget did not allow for something."""
        if what not in self.left_out:
            self.left_out.append(what)

    def trace(self, now: datetime, commit: int, more: Iterable[Step] = ()) -> Trace:
        """Return the whole way so far, and what the budget left out of it."""
        steps = [*self.steps, *more]
        if self.left_out:
            steps.append(Step("budget", {"left_out": list(self.left_out)}))
        return Trace(now.isoformat(), commit, tuple(steps))


def estimated_tokens(texts: Iterable[str]) -> int:
    """Return about how many tokens texts are; four characters make one."""
    return sum(map(len, texts)) // 4


def _counted(notes: Notes) -> Facts:
    """Return what may be told of a step to whoever runs the server: numbers, and no text."""
    told: dict[str, bool | int | float] = {"sextant.fallback": bool(notes.fallback)}
    for name, fact in notes.facts.items():
        if isinstance(fact, bool | int | float):
            told[f"sextant.{name}"] = fact
        elif isinstance(fact, list | tuple):
            told[f"sextant.{name}.count"] = len(fact)
    return told
