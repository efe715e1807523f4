"""Models that behave as told, one way for each call; they remember how they were treated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from sextant.types import Delta, Ended, Message, ModelIdentity, Prompt, Speaker, TextDelta, Usage

Way = Callable[[], AsyncGenerator[Delta, None]]
NAME = "scripted:wayward"
HELLO = Prompt((Message(Speaker.USER, "Hello, who is there?"),))
END = Ended(usage=Usage(5, 2), model="wayward-1")


@dataclass
class Wayward:
    """Goes one way after the other, and the last one from then on."""

    ways: list[Way]
    prompts: list[Prompt] = field(default_factory=list)
    let_go: int = 0
    under_way: int = 0
    most_at_once: int = 0
    is_closed: bool = False

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("scripted", "wayward")

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        way = self.ways[min(len(self.prompts), len(self.ways) - 1)]
        self.prompts.append(prompt)
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            async with aclosing(way()) as deltas:
                async for delta in deltas:
                    yield delta
        finally:
            self.under_way -= 1
            self.let_go += 1

    async def close(self) -> None:
        self.is_closed = True


def says(*texts: str, after_s: float = 0.0) -> Way:
    async def way() -> AsyncGenerator[Delta, None]:
        for text in texts:
            await asyncio.sleep(after_s)
            yield TextDelta(text)
        yield END

    return way


def fails(error: BaseException, *texts: str) -> Way:
    async def way() -> AsyncGenerator[Delta, None]:
        for text in texts:
            yield TextDelta(text)
        raise error

    return way


def hangs(*texts: str) -> Way:
    async def way() -> AsyncGenerator[Delta, None]:
        for text in texts:
            yield TextDelta(text)
        await asyncio.Event().wait()

    return way


def repeats(text: str) -> Way:
    async def way() -> AsyncGenerator[Delta, None]:
        while True:
            yield TextDelta(text)

    return way
