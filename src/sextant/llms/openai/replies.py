"""From the chunks of a streamed chat completion to pieces of a reply. Knows no SDK.

Servers differ: the usage comes with the last chunk or after it, tool calls have an id, the same one
twice or none, and a reply that calls a tool may say that it just stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sextant.errors import BrokenStream
from sextant.types import Arguments, Called, Delta, Ended, Reason, TextDelta, Usage

REASONS = {
    "stop": Reason.STOP,
    "length": Reason.LENGTH,
    "tool_calls": Reason.TOOLS,
    "function_call": Reason.TOOLS,
    "content_filter": Reason.REFUSED,
}


class Reading:
    """What has been read of one reply so far."""

    __slots__ = ("_calls", "_finish", "_ids", "_model", "_refused", "_usage")

    def __init__(self) -> None:
        self._calls: dict[int, tuple[str, str]] = {}
        self._ids = set[str]()
        self._finish = ""
        self._model = ""
        self._refused = False
        self._usage: Any = None

    def take(self, chunk: Any) -> Sequence[Delta]:
        """Return what a chunk says, and remember what it says of the whole."""
        self._model = self._model or chunk.get("model") or ""
        self._usage = chunk.get("usage") or self._usage
        choices = chunk.get("choices")
        if not choices:
            return ()
        choice = choices[0]
        self._finish = choice.get("finish_reason") or self._finish
        delta = choice.get("delta")
        return tuple(self._pieces(delta)) if delta else ()

    def ended(self) -> Ended:
        """Return the end of the reply, or say that there was none."""
        if not self._finish:
            raise BrokenStream("The reply broke off before its end.", "Try again.")
        reason = REASONS.get(self._finish, Reason.STOP)
        if self._refused:
            reason = Reason.REFUSED
        elif self._calls and reason is Reason.STOP:
            reason = Reason.TOOLS
        return Ended(reason, usage(self._usage), self._model)

    def _pieces(self, delta: Any) -> Iterator[Delta]:
        content = delta.get("content")
        if content:
            yield TextDelta(_text(content))
        refusal = delta.get("refusal")
        if refusal:
            self._refused = True
            yield TextDelta(_text(refusal))
        for piece in delta.get("tool_calls") or ():
            yield from self._call(piece)

    def _call(self, piece: Any) -> Iterator[Delta]:
        index, given = piece.get("index", 0), piece.get("id") or ""
        function = piece.get("function") or {}
        name, text = function.get("name"), function.get("arguments")
        told, ours = self._calls.get(index, ("", ""))
        # Some servers number all calls 0; then only the id tells them apart.
        if not ours or (name and given and given != told):
            ours = self._unused(given or f"call_{index}")
            self._calls[index] = (given, ours)
            yield Called(ours, _text(name or ""))
        if text:
            yield Arguments(ours, _text(text))

    def _unused(self, wanted: str) -> str:
        unused = wanted
        while unused in self._ids:
            unused = f"{wanted}-{len(self._ids)}"
        self._ids.add(unused)
        return unused


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise TypeError("A piece of a reply is no text.")


def usage(counted: Any) -> Usage:
    """Return the tokens as the server counted them, or none."""
    if not counted:
        return Usage()
    details = counted.get("prompt_tokens_details") or {}
    return Usage(
        counted.get("prompt_tokens") or 0,
        counted.get("completion_tokens") or 0,
        details.get("cached_tokens") or 0,
    )
