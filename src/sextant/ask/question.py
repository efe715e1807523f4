"""What is asked: the question with all that may come with it, and the means to answer it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sextant.errors import InvalidInput
from sextant.limits import (
    Limits,
    check_candidates,
    check_conversation,
    check_locale,
    check_moment,
    check_query,
    check_turns,
    check_vector,
)
from sextant.ports import Embedder, Knowledge, Orchestrator
from sextant.query import Filter, Query
from sextant.retrieval.late_vectors import NoteUnembedded, ignore_unembedded
from sextant.retrieval.recorder import UNBOUNDED, Budget
from sextant.retrieval.tuning import SHIPPED, Tuning
from sextant.settings import Settings
from sextant.text.words import Words
from sextant.types import Preferences, Turn, Weights

if TYPE_CHECKING:
    from sextant.ask.model_steps.chat import Chat


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the turns before it, and how the asker wants it answered.

    Rephrased, it is also looked for in other words; reranked, a search ends with the model's order.
    A conversation is remembered under its name. The vector is what the caller made of the whole
    question; candidates are how many passages are found at first and ranked, 0 as usual. Weights
    that are left open are those of the profile, or the usual ones.
    """

    text: str
    history: tuple[Turn, ...] = ()
    filter: Filter | None = None
    weights: Weights | Preferences | None = None
    profile: str = ""
    k: int = 10
    now: datetime | None = None
    budget: Budget = UNBOUNDED
    at_least: int = 0
    rephrase: bool = False
    rerank: bool = False
    conversation: str = ""
    locale: str = ""
    vector: NDArray[np.float32] | None = field(default=None, compare=False)
    candidates: int = 0


ANY = Question("")
"""What other questions are asked like: with nothing else to them."""


def as_question(question: str | Question) -> Question:
    """Return a plain text as a question with nothing else to it."""
    return question if isinstance(question, Question) else Question(question)


def check_question(question: Question, limits: Limits, width: int = 0) -> None:
    """Refuse a question that is empty, too long, or wants what cannot be.

    Its vector must be as wide as the embedder's; 0 if that is not known.
    """
    check_query(
        Query(question.text, filter=question.filter, k=question.k, at_least=question.at_least),
        limits,
    )
    if not question.text.strip():
        raise InvalidInput("The question is empty.", "Ask something.")
    check_turns(question.history, limits)
    check_moment("now", question.now)
    if not isinstance(question.budget, Budget):
        raise InvalidInput(
            f"The budget is a {type(question.budget).__name__}.",
            "Pass a Budget, such as Budget(milliseconds=500).",
        )
    if min(question.budget.milliseconds, question.budget.tokens) < 0:
        raise InvalidInput("A budget is less than nothing.", "Use 0 for no bound.")
    check_conversation(question.conversation, limits)
    check_locale(question.locale)
    check_candidates(question.candidates, limits)
    if question.vector is not None:
        check_vector(question.vector, width or np.size(question.vector))


@dataclass(frozen=True, slots=True)
class Means:
    """What the line works with; the clock only times steps and bounds them.

    The tuning is what passages are found by; others than that which is shipped are for measuring.
    Which documents a question met without vectors is noted, so that they get theirs first.
    """

    store: Knowledge
    embedder: Embedder
    settings: Settings
    words: Words
    clock: Callable[[], float] = time.perf_counter
    tuning: Tuning = SHIPPED
    chat: Chat | None = None
    orchestrator: Orchestrator | None = None
    note_unembedded: NoteUnembedded = ignore_unembedded
