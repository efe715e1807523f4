"""Posting lists in flat arrays: keys in order, and for each key its items in order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


_FEW_KEYS = 16
"""Up to so many lists are laid end to end faster one by one than all at once."""


class Strings:
    """Byte strings laid end to end."""

    def __init__(self, blob: Array, ends: Array) -> None:
        self.ends = ends
        self._bytes, self._ends = memoryview(blob.data), memoryview(ends.data)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, at: int) -> bytes:
        return self._bytes[self._ends[at] : self._ends[at + 1]].tobytes()

    def text(self, at: int) -> str:
        """Return one of the strings as text."""
        return self._copy[self._ends[at] : self._ends[at + 1]].decode()

    def pick(self, places: Iterable[int]) -> list[bytes]:
        """Return some of the strings."""
        whole, ends = self._copy, self._ends
        return [whole[ends[at] : ends[at + 1]] for at in places]

    @cached_property
    def _copy(self) -> bytes:
        """All strings as one that is cut faster than mapped memory; made when first asked for."""
        return self._bytes.tobytes()

    def listed(self) -> list[bytes]:
        """Return every string."""
        whole, ends = self._bytes.tobytes(), self.ends.tolist()
        return [whole[start:end] for start, end in pairwise(ends)]


class Keys(Strings):
    """Distinct strings in order. Their first eight bytes as numbers find many of them at once."""

    def __init__(self, blob: Array, ends: Array, heads: Array) -> None:
        super().__init__(blob, ends)
        self._heads = heads

    def find(self, key: bytes) -> int:
        """Return the position of the key, or -1."""
        at = self.place(key)
        return at if at < len(self) and self[at] == key else -1

    def find_all(self, keys: Sequence[bytes]) -> list[int]:
        """Return the position of each key, or -1."""
        starts = self._heads.searchsorted(heads_of(keys)).tolist()
        return [self._find(*one) for one in zip(keys, starts, strict=True)]

    def _find(self, key: bytes, start: int) -> int:
        """Find a key from the first position whose head is not less than the key's."""
        if start == len(self):
            return -1
        found = self[start]
        if found == key:
            return start
        if _head(found) != _head(key):
            return -1
        end = int(self._heads.searchsorted(self._heads[start], side="right"))
        start = bisect_left(range(end), key, start, key=self.__getitem__)
        return start if start < end and self[start] == key else -1

    def place(self, key: bytes) -> int:
        """Return the first position whose string is not less than the key."""
        return bisect_left(range(len(self)), key, key=self.__getitem__)

    def with_words(self, words: bytes) -> Iterator[int]:
        """Yield the positions of the strings in which these words stand whole."""
        sought, (spaced, starts) = b" %b " % words, self._spaced
        at = spaced.find(sought)
        while at >= 0:
            place = int(starts.searchsorted(at, "right")) - 1
            if sought in b" %b " % self[place]:
                yield place
            at = spaced.find(sought, starts[place + 1])

    @cached_property
    def _spaced(self) -> tuple[bytes, Ints]:
        """All strings as one, each between blanks, and where each starts; made when asked for."""
        return b" %b " % b"  ".join(self.listed()), self.ends + 2 * np.arange(len(self.ends))


def _head(key: bytes) -> bytes:
    return key[:8].ljust(8, b"\0")


def heads_of(keys: Sequence[bytes]) -> Array:
    """Return the first eight bytes of each key as a number; the order of keys is theirs too."""
    return np.array(keys, "S8").view(">u8").astype(np.uint64)


def pack_strings(values: Sequence[bytes]) -> tuple[Array, Array]:
    """Lay the strings end to end."""
    ends = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(value) for value in values], out=ends[1:])
    return np.frombuffer(b"".join(values), np.uint8), ends


@dataclass(frozen=True, slots=True)
class Lists:
    """For the key at p, its items and what is said of each, from starts[p] to starts[p + 1]."""

    starts: Array
    items: Array
    said: Array | None = None

    def __getitem__(self, at: int) -> Array:
        return self.items[self.starts[at] : self.starts[at + 1]]

    def said_at(self, at: int) -> Array:
        """Return what is said of the items of the key at this position."""
        assert self.said is not None  # noqa: S101 - only lists made with it are asked
        return self.said[self.starts[at] : self.starts[at + 1]]

    def gather(self, places: Ints) -> Array:
        """Return the items of many keys end to end."""
        if len(places) <= _FEW_KEYS:
            ends = zip(self.starts[places].tolist(), self.starts[places + 1].tolist(), strict=True)
            return np.concatenate([self.items[:0], *(self.items[one:end] for one, end in ends)])
        items: Array = self.items[spans(self.starts[places], self.starts[places + 1])[0]]
        return items


def spans(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Return every position from starts to ends, and the number of the span that it lies in."""
    counts = ends - starts
    owners = np.arange(len(counts)).repeat(counts)
    return np.arange(len(owners)) + (starts - counts.cumsum() + counts).take(owners), owners


def group(codes: Ints, items: Array, keys: int, said: Array | None = None) -> Lists:
    """Make lists from pairs of key code and item; items of a key keep their order."""
    order = np.argsort(codes, kind="stable")
    starts = np.zeros(keys + 1, np.int64)
    np.cumsum(np.bincount(codes, minlength=keys), out=starts[1:])
    return Lists(starts, items[order], None if said is None else said[order])


def code_strings(values: Iterable[bytes]) -> tuple[list[bytes], Ints]:
    """Return the distinct strings in order, and each value's position among them."""
    values = list(values)
    distinct = sorted(set(values))
    position = {value: at for at, value in enumerate(distinct)}
    return distinct, np.fromiter((position[value] for value in values), np.int64, len(values))


def joined(parts: Sequence[Array]) -> Array:
    """Lay arrays end to end; one alone is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def distinct(values: Array) -> Array:
    """Return the distinct values in order; np.unique hashes, which costs more than sorting.

    Most come as a few lists in order, laid end to end: a stable sort merges these.
    """
    ordered = np.sort(values, kind="stable")
    if len(ordered) < 2:
        return ordered
    new = np.empty(len(ordered), bool)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


def places_of(keys: Ints, wanted: Ints) -> tuple[Ints, Mask]:
    """Find wanted numbers among keys in order: their positions, and which were found."""
    if not len(keys):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), bool)
    places = np.searchsorted(keys, wanted)
    places[places == len(keys)] = 0
    return places, keys[places] == wanted
