"""Lines out of the packets of a stream, however they are cut. Knows no connection and no limit."""

from __future__ import annotations


class LineSplitter:
    """Takes in pieces, and keeps the last line as long as it has no end.

    What is kept grows in place: a long line that comes in small packets is not copied for each.
    """

    __slots__ = ("_begun",)

    def __init__(self) -> None:
        self._begun = bytearray()

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines that end in a piece, without their ends."""
        first, *others = piece.split(b"\n")
        self._begun += first
        if not others:
            return []
        lines = [bytes(self._begun), *others[:-1]]
        self._begun = bytearray(others[-1])
        return lines

    @property
    def begun_size(self) -> int:
        """How many bytes there are of the line that has no end yet."""
        return len(self._begun)

    @property
    def is_within_line(self) -> bool:
        """Whether more than blanks came behind the end of the last line."""
        return bool(self._begun.strip())
