"""What a run waits for a person with, and how the person's answer is read. Knows no store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sextant.errors import InterruptNotFound
from sextant.types import InterruptAnswer

HANDED_QUESTION = "__copilotkit_interrupt_value__"
"""Where an agent's value has the question, if it hands messages over with it."""
_YES = frozenset({"approve", "approved", "accept", "accepted", "yes", "true", "ok"})


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that waits for a person: an agent's own, or whether a call may be carried out."""

    id: str
    agent: str
    value: str
    call_id: str = ""
    action: str = ""
    arguments: str = ""
    remote_id: str = ""
    """How an agent elsewhere calls its question, if it does."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that waited, and what the person said."""

    pending: Pending
    response: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a call may be carried out, and with which arguments where the person changed them."""

    is_approved: bool
    arguments: str | None = None


class Paused(Exception):
    """Ends the work of an agent that waits for a person."""


def match_answers(
    pending: Sequence[Pending], answers: Sequence[InterruptAnswer]
) -> tuple[Answered, ...]:
    """Return which question each answer is for; one that names none is for the first that waits."""
    waiting, found = list(pending), list[Answered]()
    # Who names a question gets it before those that take what is left.
    for answer in sorted(answers, key=lambda one: (not one.interrupt_id, not one.value)):
        wanted = next((one for one in waiting if _is_for(answer, one)), None)
        if wanted is None:
            raise InterruptNotFound(
                "Nothing in this thread waits for that answer.",
                "It was answered before, or the thread went on without it.",
            )
        waiting.remove(wanted)
        found.append(Answered(wanted, answer.response))
    return tuple(found)


def read_decision(response: str) -> Decision:
    """Read a yes, alone or as JSON with changed arguments; everything else is a no."""
    value = _parsed(response)
    if isinstance(value, Mapping):
        said = value.get("approved", value.get("approve"))
        arguments = value.get("arguments")
        changed = json.dumps(arguments) if isinstance(arguments, Mapping) else None
        return Decision(said is True, changed)
    return Decision(value is True or str(value).strip().lower() in _YES)


def approval_question(action: str, arguments: str) -> str:
    """Return what a person is asked before an action is carried out, as JSON for the client."""
    return json.dumps(
        {"type": "approval", "action": action, "arguments": _parsed(arguments)}, ensure_ascii=False
    )


def _is_for(answer: InterruptAnswer, question: Pending) -> bool:
    if answer.interrupt_id:
        return answer.interrupt_id == question.id
    return not answer.value or _has_value(question, answer.value)


def _has_value(question: Pending, value: str) -> bool:
    """Whether a question has a value, which clients in JavaScript may have read and written anew.

    One that was handed over with messages is known to its client by the question alone.
    """
    own = _as_javascript(question.value)
    handed = own.get(HANDED_QUESTION, own) if isinstance(own, Mapping) else own
    return value in (question.value, handed) or _as_javascript(value) in (own, handed)


def _as_javascript(text: str) -> Any:
    """Return a text as the value that JavaScript makes of it, where every number is a float."""
    try:
        return json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return text


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
