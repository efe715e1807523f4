"""What a listener hears while a question is worked on, in order. Knows no step and no door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sextant.types import Answer, Citation, Step


@dataclass(frozen=True, slots=True)
class StepBegan:
    """A step has begun; its id is the same when it ends, and no other step of the run has it."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class StepEnded:
    """A step has ended: the part of the trace that it became, or how far it came if it failed."""

    id: int
    step: Step
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer, in order."""

    text: str


@dataclass(frozen=True, slots=True)
class SourcesChosen:
    """The sources that a model's answer may cite: their labels, each with an address or nothing.

    Those of before count no more; none are chosen where the model's answer is not taken.
    """

    addresses: Mapping[str, str]


Event = StepBegan | StepEnded | SourcesChosen | Text | Citation | Answer
Emit = Callable[[Event], None]


def ignore(_: Event) -> None:
    """Listen to nothing."""
