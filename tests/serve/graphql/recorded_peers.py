"""The model, the actions and the agent that stood behind the Node runtime when it was recorded."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from sextant import entrypoints
from sextant.chat.actions.action import action
from sextant.chat.context import RunContext
from sextant.errors import BrokenStream, ModelAuthentication, ModelError, ModelUnavailable
from sextant.settings import Settings
from sextant.types import (
    ActionEnded,
    ActionStarted,
    Arguments,
    ArgumentsAdded,
    Called,
    Delta,
    Ended,
    ModelIdentity,
    Prompt,
    Reason,
    Speaker,
    TextAdded,
    TextDelta,
    TextEnded,
    TextStarted,
)

SCHEME = "recorded"
_HERE = "tests.serve.graphql.recorded_peers"
_HELLO = ("Hello", " from", " the", " fake", " model.")


class RecordedModel:
    """Does what the last message of the user says, as the recorded one did."""

    identity = ModelIdentity(SCHEME, "model")

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply, call a tool, fail or break off."""
        last = prompt.messages[-1]
        text = next(one.text for one in reversed(prompt.messages) if one.speaker == Speaker.USER)
        if last.speaker == Speaker.TOOL:
            for piece in ("Tool said: ", last.text):
                yield TextDelta(piece)
        elif found := re.search(r"TOOL:(\w+):(\{.*\})", text, re.DOTALL):
            for delta in _called(found[1], found[2]):
                await asyncio.sleep(0)
                yield delta
            return
        elif found := re.search(r"ERROR:(\d+)", text):
            raise _failure(int(found[1]))
        else:
            counted = re.search(r"(?:CHUNKS|CUT):(\d+)", text)
            pieces = [f"tok{n} " for n in range(int(counted[1]))] if counted else _HELLO
            for piece in pieces:
                await asyncio.sleep(0)
                yield TextDelta(piece)
            if "CUT" in text:
                raise BrokenStream("The reply ended halfway.", "Try again.")
        yield Ended(Reason.STOP)

    async def close(self) -> None:
        """Nothing is held open."""


def _called(name: str, arguments: str) -> list[Delta]:
    size = -(-len(arguments) // 4)
    pieces = [arguments[at : at + size] for at in range(0, len(arguments), size)]
    own: list[Delta] = [Called("call_1", name), *(Arguments("call_1", one) for one in pieces)]
    return [*own, Ended(Reason.TOOLS)]


def _failure(status: int) -> ModelError:
    kind = ModelAuthentication if status == 401 else ModelUnavailable
    error = kind("fake upstream error", "Try again.")
    error.status = status
    return error


class Research:
    """Finds three papers, asks whether that will do, and has the page say hello."""

    name, description = "research", "Research agent"

    async def run(self, context: RunContext) -> None:
        """Tell of two steps, and of what happens between them."""
        context.change_state({"step": 1}, "search")
        context.emit(TextStarted("rm1"))
        for piece in ("Found ", "three ", "papers."):
            await asyncio.sleep(0)
            context.emit(TextAdded("rm1", piece))
        context.emit(TextEnded("rm1"))
        context.emit(ActionStarted("ra1", "sayHello"))
        context.emit(ArgumentsAdded("ra1", '{"name":"Bob"}'))
        context.emit(ActionEnded("ra1"))
        context.change_state({"step": 2}, "__end__", is_running=False)
        context.interrupt("approve?")


@action(name="getWeather")
def get_weather(city: str) -> dict[str, object]:
    """Weather of a city."""
    return {"city": city, "temperatureC": 21}


@action
def failing() -> None:
    """Always fails."""
    raise RuntimeError("handler exploded")


def open_model(_: str, __: Settings) -> RecordedModel:
    """Open the model as an adapter."""
    return RecordedModel()


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all of them installed as if by packages."""
    points = EntryPoints(
        [
            EntryPoint(SCHEME, f"{_HERE}:open_model", "sextant.llms"),
            EntryPoint("research", f"{_HERE}:Research", "sextant.agents"),
            EntryPoint("getWeather", f"{_HERE}:get_weather", "sextant.actions"),
            EntryPoint("failing", f"{_HERE}:failing", "sextant.actions"),
        ]
    )
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)
