"""What a run waits for a person with, and how the person's answer is read. Knows no store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sextant.errors import InterruptNotFound
from sextant.types import InterruptAnswer

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
    """Return which question each answer is for; one without an id is for the last question."""
    known = {one.id: one for one in pending}
    found: dict[str, Answered] = {}
    for answer in answers:
        wanted = answer.interrupt_id or (pending[-1].id if pending else "")
        if wanted not in known:
            raise InterruptNotFound(
                "Nothing in this thread waits for that answer.",
                "It was answered before, or the thread went on without it.",
            )
        found[wanted] = Answered(known[wanted], answer.response)
    return tuple(found.values())


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


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
