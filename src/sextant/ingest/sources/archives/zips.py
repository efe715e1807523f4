"""Listing a zip archive and inflating its entries, bounded. Knows no limit of its own making."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import IO, cast

from sextant.errors import BrokenFile, ReadError, TooMuch, UnknownFormat, Unreachable, UnsafeSource
from sextant.ingest.sources.archives.entry import Entry
from sextant.ingest.sources.archives.held import PIECE, Held, Window

_ENTRY_MARK = b"PK\x01\x02"
_HEADER_BYTES = 30
_BYTES_PER_ENTRY = 256
_LEAST_LIST = 1024 * 1024
_ENCRYPTED = 0x1
_UTF8_NAME = 0x800
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def zip_entries(held: Held, most_entries: int) -> Iterator[Entry]:
    """Yield the files of a zip archive as its central directory has them."""

    def count(listing: bytes) -> None:
        if listing.count(_ENTRY_MARK) > most_entries:
            raise TooMuch(
                f"The archive has over {most_entries} entries.", "Split it, or raise most_entries."
            )

    # The parser loads the whole list in one read: it is measured and counted before it is parsed.
    window = Window(held, max(_LEAST_LIST, most_entries * _BYTES_PER_ENTRY), count)
    archive = zipfile.ZipFile(cast("IO[bytes]", window))
    window.trust()
    crowded = _overlapping(archive.infolist(), held.size)
    for info in archive.infolist():
        if not info.is_dir():
            yield _entry(archive, info, info.header_offset in crowded)


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, overlaps: bool) -> Entry:
    return Entry(
        _name(info),
        info.file_size,
        info.compress_size,
        partial(_inflated, archive, info),
        _modified(info),
        _fault(info, overlaps),
    )


def _name(info: zipfile.ZipInfo) -> str:
    """Return the name; many packers write UTF-8 without saying so."""
    if info.flag_bits & _UTF8_NAME:
        return info.orig_filename
    try:
        return info.orig_filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.orig_filename


def _modified(info: zipfile.ZipInfo) -> datetime | None:
    """Return the entry's time as if it were UTC: a zip archive does not say where it was packed."""
    try:
        return datetime(*info.date_time, tzinfo=UTC)
    except ValueError:
        return None


def _fault(info: zipfile.ZipInfo, overlaps: bool) -> ReadError | None:
    mode = info.external_attr >> 16
    if info.flag_bits & _ENCRYPTED:
        return Unreachable("The entry is encrypted.", "Unpack the archive with its password.")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return UnsafeSource("The entry is a link or a device.", "Pack the file itself.")
    if info.compress_type not in _METHODS:
        return UnknownFormat("The entry is packed in an unusual way.", "Pack it with deflate.")
    if overlaps:
        return BrokenFile("The entry shares its bytes with another.", "Do not trust this archive.")
    return None


def _overlapping(infos: list[zipfile.ZipInfo], size: int) -> set[int]:
    """Return where entries start that lie on one another, as in dense bombs, or go too far."""
    crowded: set[int] = set()
    end, last = 0, -1
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            crowded.update((info.header_offset, last))
        last = info.header_offset
        end = max(end, last + _HEADER_BYTES + info.compress_size)
        if end > size:
            crowded.add(last)
    return crowded


def _inflated(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    left = info.file_size
    with archive.open(info) as file:
        while piece := file.read(PIECE):
            left -= len(piece)
            yield piece
    if left:
        raise BrokenFile("The entry is shorter than it says.", "Fetch or pack the archive again.")
