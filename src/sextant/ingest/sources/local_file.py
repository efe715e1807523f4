"""Opening and reading one local file without waiting, leaving its tree or running out of memory."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from typing import BinaryIO

from sextant.errors import TooMuch, UnknownFormat, Unreachable, UnsafeSource

# A name may turn into a link or a pipe after it was looked at; neither is followed nor waited for.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read_within(root: str, raw: str, shown: str, most_bytes: int) -> bytes:
    """Read a file whose real place is ``raw`` below ``root``; the name to report is ``shown``."""
    with open_within(root, raw, shown) as file:
        return read_limited(file, shown, most_bytes)


def open_within(root: str, raw: str, shown: str) -> BinaryIO:
    """Open a file of a tree; nothing is opened that has moved out of it since it was listed."""
    path = os.path.normpath(os.path.join(root, raw))  # noqa: PTH118 - many Paths are slow
    if os.path.realpath(path) != path:
        raise UnsafeSource(
            f"{shown} was replaced by a link while it was read.", "Run again when it has settled."
        )
    return open_regular(path, shown)


def open_regular(path: str, shown: str) -> BinaryIO:
    """Open a file for reading; raise at once if it is anything but a plain file."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise unreachable(shown, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise not_a_file(shown)
    return os.fdopen(descriptor, "rb")


def read_limited(file: BinaryIO, shown: str, most_bytes: int) -> bytes:
    """Read to the end, but never more than the limit, whatever the file's size was said to be."""
    try:
        # A read takes the memory that it asks for, so the limit is asked for only when needed.
        size = min(os.fstat(file.fileno()).st_size, most_bytes)
        data = file.read(size + 1)
        if len(data) > size:
            data += file.read(most_bytes + 1 - len(data))
    except OSError as error:
        raise unreachable(shown, error) from error
    if len(data) > most_bytes:
        raise too_large(shown, most_bytes)
    return data


def moment(seconds: float) -> datetime | None:
    """Return a file's time, or None where the clock that wrote it was off by centuries."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def unreachable(shown: str, error: OSError) -> Unreachable:
    """Say that the system would not open something, in the system's words."""
    reason = (error.strerror or "it cannot be read").lower()
    return Unreachable(f"{shown} cannot be opened: {reason}.", "Check that it is there and yours.")


def not_a_file(shown: str) -> UnknownFormat:
    """Say that something is a pipe, a socket or a device."""
    return UnknownFormat(
        f"{shown} is neither a file nor a folder.", "Pipes, sockets and devices are not read."
    )


def too_large(shown: str, most_bytes: int) -> TooMuch:
    """Say that something is over the limit of size."""
    limit = f"{most_bytes / 1_048_576:.4g} MB" if most_bytes >= 10_486 else f"{most_bytes} bytes"
    return TooMuch(f"{shown} is over {limit}.", "Split it, or raise ingest.file_megabytes.")
