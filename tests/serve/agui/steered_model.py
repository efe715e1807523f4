"""A model that does what the last message of the user says, as the recorded peer's model did.

``CHUNKS:n`` is n pieces of text, ``TOOL:name:{json}`` a call, and several with ``;`` between them
several calls; ``ERROR`` is a failure; ``HOLD:n`` says n pieces and then nothing more, until a test
lets it go on or the run ends; ``FLOOD`` says pieces of nine thousand characters without end.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from sextant.errors import ModelUnavailable
from sextant.settings import Settings
from sextant.types import (
    Arguments,
    Called,
    Delta,
    Ended,
    ModelIdentity,
    Prompt,
    Reason,
    Speaker,
    TextDelta,
    Usage,
)

SCHEME = "steered"
_STEERING = re.compile(r"(CHUNKS|HOLD):(\d+)")
_FLOOD = " ".join(map(str, range(2_000)))
_CALL = re.compile(r"TOOL:(\w+):(\{.*?\})(?=;TOOL:|[^}]*$)", re.DOTALL)


@dataclass
class SteeredModel:
    """Remembers what it was asked, and whether somebody stopped listening to it."""

    prompts: list[Prompt] = field(default_factory=list)
    flooded: int = 0
    """How many characters of a flood it said."""
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    identity: ModelIdentity = field(default_factory=lambda: ModelIdentity(SCHEME, "model"))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply as the last message says."""
        self.prompts.append(prompt)
        text = next(one.text for one in reversed(prompt.messages) if one.speaker == Speaker.USER)
        last = prompt.messages[-1]
        try:
            if last.speaker == Speaker.TOOL:
                yield TextDelta("Tool said: ")
                yield TextDelta(last.text)
            elif calls := _CALL.findall(text):
                for number, (name, arguments) in enumerate(calls):
                    async for delta in self._called(number, name, arguments):
                        yield delta
                yield Ended(Reason.TOOLS, Usage(7, 5))
                return
            elif "ERROR" in text:
                raise ModelUnavailable("The model answers 500 at /srv/secret.", "Try again.")
            elif "FLOOD" in text:
                while True:
                    self.flooded += len(_FLOOD)
                    yield TextDelta(_FLOOD)
                    await asyncio.sleep(0)
            else:
                async for delta in self._said(text):
                    yield delta
        except (asyncio.CancelledError, GeneratorExit):
            self.left.set()
            raise
        yield Ended(Reason.STOP, Usage(7, 5))

    async def _said(self, text: str) -> AsyncGenerator[Delta, None]:
        steering = _STEERING.search(text)
        for number in range(int(steering[2]) if steering else 2):
            yield TextDelta(f"tok{number} ")
            await asyncio.sleep(0)  # a turn of the loop, so that a piece is a batch of its own
        if steering and steering[1] == "HOLD":
            await self.go_on.wait()
            yield TextDelta("end")

    async def _called(self, number: int, name: str, arguments: str) -> AsyncGenerator[Delta, None]:
        call_id, piece = f"call_{len(self.prompts) + number}", -(-len(arguments) // 4)
        yield Called(call_id, name)
        for start in range(0, len(arguments), piece):
            yield Arguments(call_id, arguments[start : start + piece])

    def forget(self) -> None:
        """Be as at first."""
        self.prompts.clear()
        self.flooded = 0
        self.go_on.clear()
        self.left.clear()

    async def close(self) -> None:
        """Nothing is held open."""


_OPEN: list[SteeredModel] = []


def open_model(_: str, __: Settings) -> SteeredModel:
    """Open the model as an adapter; the test finds it by ``last_model``."""
    _OPEN.append(SteeredModel())
    return _OPEN[-1]


def last_model() -> SteeredModel:
    """Return the model that was opened last."""
    return _OPEN[-1] if _OPEN else SteeredModel()
