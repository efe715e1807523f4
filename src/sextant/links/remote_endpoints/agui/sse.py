"""The data of server-sent events, of lines as they come. Knows no event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_DATA = b"data:"
_EMPTY = (b"", b"\r")


class EventData:
    """Joins the lines of an event; an empty line ends it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def read(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the data of each event that is whole by now."""
        for line in lines:
            if line.startswith(_DATA):
                self._parts.append(line[len(_DATA) :])
            elif line in _EMPTY and self._parts:
                yield self._parts[0] if len(self._parts) == 1 else b"\n".join(self._parts)
                self._parts.clear()
