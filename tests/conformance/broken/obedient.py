"""A chat model that keeps every promise by following what the suite asks; others derive from it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from sextant.errors import ModelAuthentication, ModelError, ModelUnreachable
from sextant.testing.chat_model_suite.prompts import STOP_WORD
from sextant.types import (
    ANY_TOOL,
    AUTO,
    NO_TOOL,
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

_COUNTED = ("one", "two", "three", STOP_WORD, "five", "six", "seven")


class Obedient:
    """Replies a word at a time, each of which is a token, and calls the tool that it is told to."""

    identity = ModelIdentity("obedient", "words")

    def __init__(self, key: str = "", *, is_reachable: bool = True) -> None:
        self._key, self._is_reachable, self._is_closed = key, is_reachable, False

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces, the last of which is Ended."""
        self.check()
        await asyncio.sleep(0)
        tool = self.choose_tool(prompt)
        words = [] if tool else self.choose_words(prompt)
        for word in words:
            yield TextDelta(f"{word} ")
            await asyncio.sleep(0)
        if tool:
            yield Called("call_1", tool)
            yield Arguments("call_1", self.write_arguments(tool))
        yield Ended(_reason(prompt, tool, words), self.count_tokens(len(words)), "words")

    async def close(self) -> None:
        """Refuse any further question."""
        self._is_closed = True

    def check(self) -> None:
        """Refuse to reply where that is not possible."""
        if self._is_closed:
            raise ModelError("The model was closed.", "Open a new one.")
        if not self._is_reachable:
            raise ModelUnreachable("Nobody answers.", "Try again.")
        if self._key:
            raise ModelAuthentication("The key is not taken.", "Set another one.")

    def choose_tool(self, prompt: Prompt) -> str:
        """Name the tool to be called, if there is one."""
        names = [tool.name for tool in prompt.tools]
        if prompt.tool_choice in names:
            return prompt.tool_choice
        asked = prompt.messages and prompt.messages[-1].speaker == Speaker.USER
        wants = prompt.tool_choice == AUTO and asked and "tool" in prompt.messages[-1].text
        may = prompt.tool_choice != NO_TOOL
        return names[0] if names and may and (wants or prompt.tool_choice == ANY_TOOL) else ""

    def choose_words(self, prompt: Prompt) -> list[str]:
        """Return the words of the reply, up to a stop word or its greatest length."""
        if prompt.schema:
            return ['{"colour":', '"red"}']
        text = prompt.messages[-1].text if prompt.messages else ""
        words = list(_COUNTED) if _COUNTED[-1] in text else ["Hello", "there."]
        for stop in prompt.stop:
            words = words[: words.index(stop)] if stop in words else words
        return words[: prompt.max_tokens] if prompt.max_tokens else words

    def write_arguments(self, tool: str) -> str:
        """Return the arguments of a call."""
        return '{"city": "Oslo"}' if tool == "weather" else "{}"

    def count_tokens(self, written: int) -> Usage:
        """Return what a call costs."""
        return Usage(1, written, 0)


def _reason(prompt: Prompt, tool: str, words: list[str]) -> Reason:
    if tool:
        return Reason.TOOLS
    return Reason.LENGTH if len(words) == prompt.max_tokens else Reason.STOP
