"""Replies that do not end by themselves: too long, or the same again and again."""

from __future__ import annotations

from collections.abc import Iterable

from sextant.errors import BrokenStream
from sextant.types import Arguments, Delta, TextDelta

_TAIL = 2_000
_LONGEST_UNIT = 200
_EVERY = 1_000
_TEXT = (TextDelta, Arguments)


class Runaway:
    """Reads along, and stops a reply that is over its bound or repeats itself."""

    __slots__ = ("_length", "_look_at", "_most", "_name", "_pieces")

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most = name, most
        self._length = 0
        self._look_at = _TAIL
        self._pieces: list[str] = []

    def read(self, deltas: Iterable[Delta]) -> None:
        """Take more pieces; raise BrokenStream when they are too many."""
        texts = [delta.text for delta in deltas if isinstance(delta, _TEXT)]
        self._pieces += texts
        self._length += sum(map(len, texts))
        if self._length >= self._look_at:
            self._look()

    def _look(self) -> None:
        if self._length > self._most:
            raise BrokenStream(
                f"The reply of {self._name} was stopped: it is longer than"
                f" {self._most:,} characters.",
                "Ask for less, or raise model.characters.",
            )
        tail = "".join(self._pieces)[-_TAIL:]
        if repeats(tail):
            raise BrokenStream(
                f"The reply of {self._name} was stopped: it repeats itself.",
                "Ask in other words, or use another model.",
            )
        self._pieces = [tail]
        self._look_at = min(self._length + _EVERY, max(self._most, self._length) + 1)


def repeats(tail: str) -> bool:
    """Whether a text is nothing but a short unit, over and over."""
    if len(tail) < _TAIL:
        return False
    # If it is, its end stands in it once more, one unit before.
    unit = len(tail) - _LONGEST_UNIT - tail.rfind(tail[-_LONGEST_UNIT:], 0, -1)
    return unit <= _LONGEST_UNIT and tail.startswith(tail[unit:])
