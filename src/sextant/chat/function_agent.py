"""Agents that are a function: decorated with `@agent`, named after it, told of by its docstring."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast, overload

from sextant.chat.context import RunContext, new_id
from sextant.errors import ConfigError
from sextant.types import TextAdded, TextEnded

AgentFunction = Callable[[RunContext], Awaitable[str | None] | AsyncIterator[str]]
"""Answers in a run: it tells what happens itself, returns a message, or yields it in pieces."""


@dataclass(frozen=True, slots=True)
class FunctionAgent:
    """An agent that is one function."""

    name: str
    description: str
    function: AgentFunction

    async def run(self, context: RunContext) -> None:
        """Call the function, and tell what it returns or yields."""
        if inspect.isasyncgenfunction(self.function):
            await _say_pieces(context, cast(AsyncGenerator[str, None], self.function(context)))
        elif said := await cast(Awaitable[str | None], self.function(context)):
            context.say(said)


@overload
def agent(function: AgentFunction) -> FunctionAgent: ...


@overload
def agent(*, name: str = "", description: str = "") -> Callable[[AgentFunction], FunctionAgent]: ...


def agent(
    function: AgentFunction | None = None, *, name: str = "", description: str = ""
) -> FunctionAgent | Callable[[AgentFunction], FunctionAgent]:
    """Make an async function of a run an agent; its docstring says what it is for."""

    def make(own: AgentFunction) -> FunctionAgent:
        called = name or getattr(own, "__name__", "")
        if not (inspect.iscoroutinefunction(own) or inspect.isasyncgenfunction(own)):
            raise ConfigError(f"The agent {called} is not async.", "Write async def.")
        return FunctionAgent(called, description or inspect.cleandoc(own.__doc__ or ""), own)

    return make(function) if function else make


async def _say_pieces(context: RunContext, pieces: AsyncGenerator[str, None]) -> None:
    """Tell a message piece by piece; nobody is kept waiting for its end."""
    message_id = ""
    async with aclosing(pieces) as texts:
        async for text in texts:
            if not message_id:
                message_id = new_id()
                context.start_text(message_id)
            context.emit(TextAdded(message_id, text))
            if context.log.is_ahead:
                await context.log.wait_for_room()
    if message_id:
        context.emit(TextEnded(message_id))
