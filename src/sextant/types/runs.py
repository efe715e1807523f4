"""What happens in a run, event by event, in order. Knows no protocol and no agent."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from sextant.types.talking import Speaker, Usage


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The first event: which thread and run it is."""

    thread_id: str
    run_id: str
    agent: str = ""


@dataclass(frozen=True, slots=True)
class TextStarted:
    """A message begins."""

    message_id: str
    speaker: Speaker = Speaker.ASSISTANT
    parent_id: str = ""


@dataclass(frozen=True, slots=True)
class TextAdded:
    """A piece of a message that has begun."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class TextEnded:
    """A message is whole."""

    message_id: str


@dataclass(frozen=True, slots=True)
class ActionStarted:
    """Somebody wants an action carried out; its arguments follow."""

    call_id: str
    name: str
    parent_id: str = ""


@dataclass(frozen=True, slots=True)
class ArgumentsAdded:
    """A piece of the arguments of an action, which are JSON in the end."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ActionEnded:
    """The arguments of an action are whole. Without a result before the end, it is the client's."""

    call_id: str


@dataclass(frozen=True, slots=True)
class ActionReturned:
    """What an action that was carried out here returned, as text that is usually JSON."""

    call_id: str
    name: str
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class StateChanged:
    """How the agent stands now; the node is the step that it is at, the state is JSON."""

    message_id: str
    agent: str
    node: str
    state: str
    is_active: bool = True
    is_running: bool = True


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The run waits for a person: what is asked, as JSON or text, and for which action, if any.

    An agent that hands over messages beside its question has them written in the value, as JSON.
    """

    interrupt_id: str
    value: str
    call_id: str = ""


class FailureReason(StrEnum):
    """Why a run failed, as far as clients tell it apart."""

    GUARDRAIL = "guardrail"
    CUT_OFF = "cut_off"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The last event of a run that failed: a code of ours, what to say, and what may help."""

    code: str
    message: str
    hint: str = ""
    reason: FailureReason = FailureReason.UNKNOWN
    status: int = 0
    """What the model's server answered, if that was it."""
    severity: str = "error"
    visibility: str = "user"
    """As the error tree has them; a message for the operator is not told to others."""


@dataclass(frozen=True, slots=True)
class RunStopped:
    """The last event of a run that somebody stopped; what has begun stays as it is."""


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The last event of a run that went well, and what the model counted."""

    usage: Usage = field(default_factory=Usage)


RunEvent: TypeAlias = (
    RunStarted
    | TextStarted
    | TextAdded
    | TextEnded
    | ActionStarted
    | ArgumentsAdded
    | ActionEnded
    | ActionReturned
    | StateChanged
    | Interrupted
    | RunFailed
    | RunStopped
    | RunFinished
)


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run came to, for whoever counts: no text, and nobody's name.

    The code is that of its failure, if it failed; a run without text has no seconds to its first.
    """

    kind: str
    outcome: str
    code: str
    seconds: float
    first_text_seconds: float | None
    usage: Usage
    messages: int = 0
    actions: int = 0
    """How many the client sent."""


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """What a run came to, and when, for analytics."""

    at: datetime
    run: RunReport


RunEnd: TypeAlias = RunFailed | RunStopped | RunFinished
"""What a run ends with: exactly one of these, and nothing after it."""
