"""A chat model that says what a script tells it to, for tests. Counts a token for four letters."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace

from sextant.errors import ModelError
from sextant.types import (
    Arguments,
    Called,
    Delta,
    Ended,
    ModelIdentity,
    Prompt,
    Reply,
    TextDelta,
    Usage,
)

Script = Callable[[Prompt], str | Reply | ModelError]
_PIECE = 7
_SCRIPT = ModelIdentity("scripted", "script")


@dataclass(slots=True)
class Scripted:
    """Replies as the script says, in small pieces, and remembers what it was asked."""

    script: Script
    prompts: list[Prompt] = field(default_factory=list)
    identity: ModelIdentity = _SCRIPT

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces, or raise what the script returns."""
        self.prompts.append(prompt)
        said = self.script(prompt)
        if isinstance(said, ModelError):
            raise said
        reply = Reply(said) if isinstance(said, str) else said
        for start in range(0, len(reply.text), _PIECE):
            yield TextDelta(reply.text[start : start + _PIECE])
        for call in reply.calls:
            yield Called(call.id, call.name)
            yield Arguments(call.id, call.arguments)
        yield _counted(prompt, reply)

    async def close(self) -> None:
        """Nothing is held open."""


def _counted(prompt: Prompt, reply: Reply) -> Ended:
    if reply.ended.usage != Usage():
        return reply.ended
    read = sum(len(message.text) for message in prompt.messages) // 4
    return replace(reply.ended, usage=Usage(read, len(reply.text) // 4))
