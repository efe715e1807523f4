"""From pieces to a whole reply. Knows no time and no schema."""

from __future__ import annotations

from collections.abc import AsyncIterable
from contextlib import aclosing

from sextant.errors import BrokenStream
from sextant.ports import ChatModel
from sextant.types import Arguments, Called, Delta, Ended, Prompt, Reply, TextDelta, ToolCall


async def whole(model: ChatModel, prompt: Prompt) -> Reply:
    """Ask, and wait for the end of the reply."""
    async with aclosing(model.stream(prompt)) as deltas:
        return await gathered(deltas)


async def gathered(deltas: AsyncIterable[Delta]) -> Reply:
    """Put the pieces of a reply together."""
    said: list[str] = []
    names: dict[str, str] = {}
    arguments: dict[str, list[str]] = {}
    async for delta in deltas:
        match delta:
            case TextDelta(text):
                said.append(text)
            case Called(call_id, name) if call_id not in names:
                names[call_id] = name
                arguments[call_id] = []
            case Arguments(call_id, text) if call_id in names:
                arguments[call_id].append(text)
            case Ended():
                calls = (
                    ToolCall(one, name, "".join(arguments[one])) for one, name in names.items()
                )
                return Reply("".join(said), tuple(calls), delta)
            case _:
                raise BrokenStream("The reply mixes up its tool calls.", "Try again.")
    raise BrokenStream("The reply stopped before its end.", "Try again.")
