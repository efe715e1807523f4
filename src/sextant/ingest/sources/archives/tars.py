"""Listing a tar archive, after inflating it to a temporary file if need be. Extracts nothing."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import tarfile
from collections.abc import Iterator
from functools import partial
from typing import IO, BinaryIO, cast

from sextant.errors import BrokenFile, ReadError, TooMuch, UnknownFormat, UnsafeSource
from sextant.ingest.sources.archives.entry import Entry, nothing
from sextant.ingest.sources.archives.held import PIECE, Held, Window
from sextant.ingest.sources.local_file import moment

_MOST_HEADER = 64 * 1024
_MOST_PACKED = 1024 * 1024
_XZ_MEMORY = 256 * 1024 * 1024
# Searching long runs of digits takes older tarfile modules a time that grows with their square.
_DIGITS = re.compile(rb"[0-9]{200}")


def inflated(held: Held, kind: str) -> Iterator[bytes]:
    """Yield the bytes of a compressed tar archive, a piece at a time."""
    file = cast("BinaryIO", Window(held, _MOST_PACKED))
    if kind == "xz":
        yield from _xz(file)
        return
    with gzip.open(file) if kind == "gz" else bz2.open(file) as stream:
        while piece := stream.read1(PIECE):
            yield piece


def _xz(file: BinaryIO) -> Iterator[bytes]:
    """Yield what an xz file holds; unlike the module's own reader, with a limit of memory."""
    while rest := file.read(PIECE).lstrip(b"\0"):
        while rest:
            decompressor = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
            while not decompressor.eof:
                yield decompressor.decompress(rest, PIECE)
                rest = b""
                if decompressor.needs_input and not (rest := file.read(PIECE)):
                    raise EOFError("the xz stream ends too early")
            rest = decompressor.unused_data.lstrip(b"\0")


def tar_entries(held: Held, most_entries: int) -> Iterator[Entry]:
    """Yield the entries of a tar archive in their order, but for folders."""
    window = Window(held, _MOST_HEADER, _refuse_digits)
    archive = tarfile.TarFile(
        fileobj=cast("IO[bytes]", window), encoding="utf-8", errors="surrogateescape"
    )
    seen, reached = 0, -1
    while (info := archive.next()) is not None:
        # The module would keep every header, and may be led back to where it was.
        archive.members.clear()  # type: ignore[attr-defined]
        seen += 1
        if seen > most_entries:
            raise TooMuch(
                f"The archive has over {most_entries} entries.", "Split it, or raise most_entries."
            )
        if info.offset_data <= reached or info.size < 0:
            raise BrokenFile("The archive leads back into itself.", "Fetch or pack it again.")
        reached = info.offset_data
        if not info.isdir():
            yield _entry(held, info)


def _refuse_digits(data: bytes) -> None:
    if len(data) > tarfile.BLOCKSIZE and _DIGITS.search(data):
        raise BrokenFile("The archive has a header that no packer writes.", "Do not trust it.")


def _entry(held: Held, info: tarfile.TarInfo) -> Entry:
    fault = _fault(held, info)
    pieces = nothing if fault else partial(held.pieces, info.offset_data, info.size)
    return Entry(info.name, info.size, info.size, pieces, moment(info.mtime), fault)


def _fault(held: Held, info: tarfile.TarInfo) -> ReadError | None:
    if info.issym() or info.islnk() or info.isdev():
        return UnsafeSource("The entry is a link or a device.", "Pack the file itself.")
    if info.issparse() or not info.isreg():
        return UnknownFormat("The entry is of an unusual kind.", "Pack it as a plain file.")
    if info.offset_data + info.size > held.size:
        return BrokenFile("The entry is cut off.", "Fetch or pack the archive again.")
    return None
