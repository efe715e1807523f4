"""A segment as one file: a header that says where each array lies, then the arrays.

Layout: magic, header length, header (JSON), arrays, each at a multiple of 64 bytes. The checksum
of the whole is kept by who lists the file, so that a file cannot vouch for itself.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sextant.stores.arrays.lists import Array
from sextant.stores.arrays.segments.merge import Blocks, Merged
from sextant.stores.arrays.segments.segment import Segment

_MAGIC = b"SXTSEG02"
"""The last two signs are the version of the arrays: files of another are derived anew."""
_ALIGN = 64
_READ = 4 << 20


class SegmentDamaged(Exception):
    """The file is not what was listed. Never leaves the store: the segment is derived anew."""


class SegmentOutdated(SegmentDamaged):
    """The file is what was listed, but has other arrays than this version reads."""


def write_segment(path: Path, arrays: Merged) -> tuple[int, int]:
    """Write a new file, durable on return, and return its size and checksum."""
    header, data_start = _header(arrays)
    crc = size = 0
    try:
        with path.open("xb") as file:
            for piece in _pieces(header, data_start, arrays):
                file.write(piece)
                crc, size = zlib.crc32(piece, crc), size + len(piece)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return size, crc


def read_segment(path: Path, size: int, crc: int) -> Segment:
    """Map a file that is exactly what was listed."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != size or _checksum(file) != crc:
                raise SegmentDamaged(path.name)
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise SegmentDamaged(path.name) from error
    if mapped[:8] != _MAGIC:
        raise SegmentOutdated(path.name)
    length = int.from_bytes(mapped[8:16], "little")
    header = json.loads(mapped[16 : 16 + length])
    start = _aligned(16 + length)
    return Segment({name: _view(mapped, start, *place) for name, place in header.items()})


def sync_folder(folder: Path) -> None:
    """Make the folder's list of names durable, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _header(arrays: Merged) -> tuple[bytes, int]:
    places: dict[str, list[Any]] = {}
    at = 0
    for name, array in arrays.items():
        places[name] = [at, array.dtype.str, list(array.shape)]
        at = _aligned(at + int(np.prod(array.shape)) * array.dtype.itemsize)
    header = json.dumps(places, separators=(",", ":")).encode()
    return header, _aligned(16 + len(header))


def _pieces(header: bytes, data_start: int, arrays: Merged) -> Iterator[bytes]:
    yield (_MAGIC + len(header).to_bytes(8, "little") + header).ljust(data_start, b"\0")
    for array in arrays.values():
        size = 0
        for block in array if isinstance(array, Blocks) else (array,):
            piece = np.ascontiguousarray(block).tobytes()
            size += len(piece)
            yield piece
        yield b"\0" * (_aligned(size) - size)


def _view(mapped: mmap.mmap, start: int, at: int, dtype: str, shape: list[int]) -> Array:
    count = int(np.prod(shape))
    if not count:
        return np.empty(shape, dtype)
    return np.frombuffer(mapped, dtype, count, start + at).reshape(shape)


def _checksum(file: Any) -> int:
    crc = 0
    while block := file.read(_READ):
        crc = zlib.crc32(block, crc)
    return crc


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN
