"""From the chunks of a streamed chat completion to pieces of a reply. Knows no SDK.

Servers differ: the usage comes with the last chunk or after it, tool calls have an id, the same one
twice or none, and a reply that calls a tool may say that it just stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sextant.errors import BrokenStream
from sextant.types import Arguments, Called, Delta, Ended, Reason, Said, Usage

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

    def take(self, chunk: Any) -> Iterator[Delta]:
        """Yield what a chunk says beside plain text, and remember what it says of the whole."""
        self._model = self._model or getattr(chunk, "model", None) or ""
        self._usage = getattr(chunk, "usage", None) or self._usage
        for choice in (getattr(chunk, "choices", None) or ())[:1]:
            delta = choice.delta
            if delta is not None:
                yield from self._pieces(delta)
            self._finish = choice.finish_reason or self._finish

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
        content = delta.content
        if content:
            yield Said(_text(content))
        refusal = getattr(delta, "refusal", None)
        if refusal:
            self._refused = True
            yield Said(_text(refusal))
        for piece in delta.tool_calls or ():
            yield from self._call(piece)

    def _call(self, piece: Any) -> Iterator[Delta]:
        function = piece.function
        name = getattr(function, "name", None)
        told, ours = self._calls.get(piece.index, ("", ""))
        # Some servers number all calls 0; then only the id tells them apart.
        if not ours or (name and piece.id and piece.id != told):
            ours = self._unused(piece.id or f"call_{piece.index}")
            self._calls[piece.index] = (piece.id or "", ours)
            yield Called(ours, name or "")
        text = getattr(function, "arguments", None)
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
    if counted is None:
        return Usage()
    details = getattr(counted, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None)
    return Usage(counted.prompt_tokens or 0, counted.completion_tokens or 0, cached or 0)
