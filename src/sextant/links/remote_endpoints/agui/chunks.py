"""Chunks of AG-UI, which begin and end nothing themselves, as the events that they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

KindAndEvent = tuple[str, Mapping[str, Any]]
_ENDS = {"TEXT_MESSAGE_CHUNK": "TEXT_MESSAGE_END", "TOOL_CALL_CHUNK": "TOOL_CALL_END"}
_NAMES = {"TEXT_MESSAGE_CHUNK": "messageId", "TOOL_CALL_CHUNK": "toolCallId"}


@dataclass(slots=True)
class Chunks:
    """Knows the message or the call that chunks go on with; any other event ends it."""

    kind: str = ""
    own_id: str = ""

    def concern(self, kind: str) -> bool:
        """Whether an event is a chunk, or the end of chunks."""
        return bool(self.kind) or kind in _NAMES

    def expand(self, kind: str, event: Mapping[str, Any]) -> Iterator[KindAndEvent]:
        """Yield the events that one stands for; what is no chunk comes through as it is."""
        given = event.get(_NAMES[kind]) if kind in _NAMES else None
        if self.kind and (kind != self.kind or (given and given != self.own_id)):
            yield _ENDS[self.kind], {_NAMES[self.kind]: self.own_id}
            self.kind = self.own_id = ""
        if kind not in _NAMES:
            yield kind, event
            return
        if not self.kind:
            self.kind, self.own_id = kind, str(given or "")
            yield kind.replace("CHUNK", "START"), event
        if event.get("delta"):
            piece = "TEXT_MESSAGE_CONTENT" if kind == "TEXT_MESSAGE_CHUNK" else "TOOL_CALL_ARGS"
            yield piece, {_NAMES[kind]: self.own_id, "delta": event["delta"]}
