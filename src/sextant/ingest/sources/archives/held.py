"""A file that many readers share. It is closed when the last of them is gone; knows no format."""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from sextant.errors import BrokenFile, TooMuch

PIECE = 64 * 1024


class Held:
    """Random access to one open file, safe to use from several threads."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.size = file.seek(0, os.SEEK_END)
        # Items may outlive the listing that made them, so no "with" can span the file's life.
        weakref.finalize(self, file.close)

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to ``size`` bytes from an offset."""
        with self._lock:
            self._file.seek(offset)
            return self._file.read(size)

    def pieces(self, offset: int, size: int) -> Iterator[bytes]:
        """Yield exactly ``size`` bytes from an offset, a piece at a time."""
        while size > 0:
            piece = self.read_at(offset, min(size, PIECE))
            if not piece:
                raise BrokenFile("The archive ends too early.", "Fetch or pack it again.")
            yield piece
            offset += len(piece)
            size -= len(piece)


class Window:
    """A cursor on a held file for a parser of archives, which may not read without measure."""

    def __init__(
        self, held: Held, most_read: int, inspect: Callable[[bytes], None] | None = None
    ) -> None:
        self._held = held
        self._at = 0
        self._most_read = most_read
        self._inspect = inspect

    def trust(self) -> None:
        """Inspect no longer: the parser has seen the list of entries."""
        self._inspect = None

    def read(self, size: int = -1) -> bytes:
        """Read on; a parser that wants too much in one go has met a lying header."""
        left = max(self._held.size - self._at, 0)
        size = left if size is None or size < 0 else min(size, left)
        if size > self._most_read:
            raise TooMuch("The archive's own list is too long.", "Split the archive.")
        data = self._held.read_at(self._at, size)
        if self._inspect is not None:
            self._inspect(data)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move the cursor."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._held.size}[whence]
        if start + offset < 0:
            raise OSError("negative seek")
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        """Return where the cursor is."""
        return self._at

    def seekable(self) -> bool:
        """Say that the cursor can move."""
        return True


def spooled(pieces: Iterable[bytes], most: int) -> tuple[Held, Exception | None]:
    """Put pieces into a nameless temporary file; with it, what broke the flow before its end.

    Raises TooMuch beyond ``most`` bytes.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115 - Held closes it
    broken: Exception | None = None
    try:
        file.writelines(_limited(pieces, most))
    except TooMuch:
        file.close()
        raise
    except Exception as error:  # decompressors raise a dozen kinds
        broken = error
    except BaseException:
        file.close()
        raise
    return Held(file), broken


def _limited(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    for piece in pieces:
        most -= len(piece)
        if most < 0:
            raise TooMuch("The archive unpacks to too much.", "Unpack it yourself and look.")
        yield piece
