"""What a model can do, found out by asking it: answer, stream, call a tool, obey a JSON schema.

Knows the port, no provider. One trial that fails does not stop the others, unless nobody is there.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import perf_counter

from sextant.errors import (
    BrokenStream,
    InvalidReply,
    ModelAuthentication,
    ModelError,
    ModelNotFound,
    ModelUnreachable,
)
from sextant.ports import ChatModel
from sextant.prompting.reply import whole
from sextant.prompting.spending import Spending, metered
from sextant.prompting.structured import structured
from sextant.types import Message, Prompt, Reason, Schema, Speaker, TextDelta, ToolSpec, Usage

_ENOUGH = 1_000
"""Tokens for a reply; models that think before they speak need more than the words take."""


class Outcome(StrEnum):
    """How a trial went."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"
    UNTRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried: how it went, why not better, how long it took, for how much."""

    name: str
    outcome: Outcome
    why: str = ""
    milliseconds: float = 0.0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Probe:
    """All trials, and what ended them early, if anything did."""

    model: str
    trials: tuple[Trial, ...]
    error: ModelError | None = None

    @property
    def answers(self) -> bool:
        """Whether the model answers at all."""
        return self.trials[0].outcome in (Outcome.YES, Outcome.PARTLY)


async def probe(model: ChatModel) -> Probe:
    """Try everything in turn."""
    trials: list[Trial] = []
    ended: ModelError | None = None
    for name, attempt in _TRIALS.items():
        if ended:
            trials.append(Trial(name, Outcome.UNTRIED))
            continue
        trial, error = await _tried(name, attempt, model)
        trials.append(trial)
        ended = error if _is_the_end(error) else None
    return Probe(str(model.identity), tuple(trials), ended)


async def _tried(name: str, attempt: _Attempt, model: ChatModel) -> tuple[Trial, ModelError | None]:
    spending, began, failed = Spending(), perf_counter(), None
    try:
        outcome, why = await attempt(metered(model, spending))
    except ModelError as error:
        failed = error
        outcome, why = Outcome.NO, "" if _is_the_end(error) else str(error)
    took = (perf_counter() - began) * 1_000
    return Trial(name, outcome, why, took, spending.usage), failed


def _is_the_end(error: ModelError | None) -> bool:
    """Whether the other trials would only say the same."""
    gone = ModelAuthentication | ModelNotFound | ModelUnreachable
    return isinstance(error, gone) and not isinstance(error, BrokenStream)


def _prompt(text: str) -> Prompt:
    return Prompt((Message(Speaker.USER, text),), max_tokens=_ENOUGH)


async def _answers(model: ChatModel) -> tuple[Outcome, str]:
    reply = await whole(model, _prompt("Reply with the one word: ready"))
    if reply.ended.reason is Reason.REFUSED:
        return Outcome.PARTLY, "It declined to answer."
    if not reply.text.strip():
        return Outcome.PARTLY, "It answered, with nothing."
    return Outcome.YES, ""


async def _streams(model: ChatModel) -> tuple[Outcome, str]:
    pieces = 0
    prompt = _prompt("Count from one to twenty in words, separated by commas.")
    async with aclosing(model.stream(prompt)) as deltas:
        async for delta in deltas:
            pieces += isinstance(delta, TextDelta) and bool(delta.text)
    if pieces > 1:
        return Outcome.YES, f"It came in {pieces} pieces."
    return Outcome.PARTLY, "It came in one piece." if pieces else "It answered, with nothing."


_ADD = ToolSpec(
    "add",
    "Add two whole numbers.",
    {
        "type": "object",
        "properties": {"first": {"type": "integer"}, "second": {"type": "integer"}},
        "required": ["first", "second"],
        "additionalProperties": False,
    },
)


async def _calls_tools(model: ChatModel) -> tuple[Outcome, str]:
    asked = _prompt("What is 2 plus 3? Use the tool.")
    reply = await whole(model, replace(asked, tools=(_ADD,), tool_choice=_ADD.name))
    if not reply.calls:
        return Outcome.NO, "It was told to call a tool, and called none."
    call = reply.calls[0]
    if call.name != _ADD.name:
        return Outcome.PARTLY, f"It called {call.name[:40]!r}, which is no tool that it was given."
    if _numbers_in(call.arguments) != {2, 3}:
        return Outcome.PARTLY, "It called the tool with other arguments than it should."
    return Outcome.YES, ""


def _numbers_in(arguments: str) -> set[object]:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return set()
    given = value.values() if isinstance(value, dict) else ()
    return set(given) if all(type(one) is int for one in given) else set()


_CITY = Schema(
    "city",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "country": {"type": "string"},
            "coastal": {"type": "boolean"},
        },
        "required": ["city", "country", "coastal"],
        "additionalProperties": False,
    },
)


async def _obeys_schemas(model: ChatModel) -> tuple[Outcome, str]:
    text = "Describe Lisbon as a JSON object with city and country as texts, coastal as true."
    try:
        found = await structured(model, replace(_prompt(text), schema=_CITY))
    except InvalidReply as error:
        return Outcome.NO, str(error)
    if found.repairs:
        return Outcome.PARTLY, "Only once it was told what was wrong."
    return Outcome.YES, ""


_Attempt = Callable[[ChatModel], Awaitable[tuple[Outcome, str]]]
_TRIALS: dict[str, _Attempt] = {
    "answers": _answers,
    "streams": _streams,
    "calls tools": _calls_tools,
    "obeys JSON schemas": _obeys_schemas,
}
