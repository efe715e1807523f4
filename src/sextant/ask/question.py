"""What is asked: the question with all that may come with it, and the means to answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sextant.ports import Embedder, Store
from sextant.query import Filter
from sextant.settings import Settings
from sextant.types import Answer, Citation, Step, Turn, Weights


@dataclass(frozen=True, slots=True)
class Budget:
    """How much an answer may cost; 0 is no bound. What does not fit is left out, openly."""

    milliseconds: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the turns before it, and how the asker wants it answered."""

    text: str
    history: tuple[Turn, ...] = ()
    filter: Filter | None = None
    weights: Weights | None = None
    profile: str = ""
    k: int = 10
    now: datetime | None = None
    budget: Budget = Budget()
    at_least: int = 0


@dataclass(frozen=True, slots=True)
class Means:
    """What the line works with; the clock only times steps and bounds them."""

    store: Store
    embedder: Embedder
    settings: Settings
    clock: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer, in order."""

    text: str


Event = Step | Text | Citation | Answer
Emit = Callable[[Event], None]


def ignore(_: Event) -> None:
    """Listen to nothing."""
