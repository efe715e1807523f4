"""A file of lines that only its owner reads, and that starts anew when it is long. Knows no line.

Two processes may write to it: each batch goes to whatever file has the name at that time.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path

_MODE = 0o600
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_BYTES = 16 * 1024 * 1024
_FILES = 8


class LineFile:
    """Appends lines; ``name.1.jsonl`` is the file before, and so on up to so many."""

    def __init__(self, path: Path, largest: int = _BYTES, files: int = _FILES) -> None:
        self._path = path
        self._largest = largest
        self._files = files

    def append(self, lines: Sequence[str]) -> tuple[Sequence[str], str]:
        """Write these lines; return those that could not be written, and why."""
        left = deque(lines)
        try:
            while left:
                self._append(left)
        except OSError as error:
            return list(left), error.strerror or "unknown"
        return (), ""

    def _append(self, left: deque[str]) -> None:
        """Write lines until there are no more, or the file is long enough."""
        file = os.open(self._path, _FLAGS, _MODE)
        try:
            size = _mended(file)
            while left and size < self._largest:
                size += _write(file, left[0])
                left.popleft()
        finally:
            os.close(file)
        if size >= self._largest:
            self._rotate()

    def _rotate(self) -> None:
        for number in range(self._files - 1, 0, -1):
            older = self._numbered(number)
            newer = self._numbered(number - 1) if number > 1 else self._path
            if newer.exists():
                newer.replace(older)

    def _numbered(self, number: int) -> Path:
        return self._path.with_suffix(f".{number}{self._path.suffix}")


def _mended(file: int) -> int:
    """Return the size of a file whose last line is whole: one that broke off spoils no other."""
    size = os.fstat(file).st_size
    if size:
        os.lseek(file, -1, os.SEEK_END)
        if os.read(file, 1) != b"\n":
            size += _write(file, "\n")
    return size


def _write(file: int, text: str) -> int:
    rest = memoryview(text.encode())
    size = len(rest)
    while rest:
        rest = rest[os.write(file, rest) :]
    return size
