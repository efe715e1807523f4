"""A segment: all derived arrays of a run of documents, never changed once made."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sextant.stores.arrays.lists import Array, Keys, Lists, Strings, heads_of, pack_strings

Arrays = Mapping[str, Array]

DOCUMENT_COLUMNS = ("document.row", "document.open", "document.created", "document.modified")
CHUNK_COLUMNS = ("chunk.row", "chunk.length")
VECTOR_COLUMNS = ("vector.code", "vector.scale", "vector.slack", "vector.exact")


@dataclass(frozen=True, slots=True)
class StringIndex:
    """Lists under strings."""

    keys: Keys
    lists: Lists

    def find(self, key: bytes) -> Array | None:
        """Return the items of a key, or None."""
        at = self.keys.find(key)
        return None if at < 0 else self.lists[at]


class NumberIndex:
    """Lists under numbers."""

    def __init__(self, keys: Array, lists: Lists) -> None:
        self.keys, self.lists = keys, lists
        self._keys, self._starts = keys.data, lists.starts.data

    def find(self, number: int) -> Array:
        """Return the items of a number, of which there may be none."""
        at = bisect_left(self._keys, number)
        known = at < len(self._keys) and self._keys[at] == number
        return self.lists.items[self._starts[at] : self._starts[at + known]]


class Contributions(NamedTuple):
    """Where the contributions to each edge start; who tells each, and where: read one by one."""

    starts: memoryview
    documents: memoryview
    chunks: memoryview


class Segment:
    """Typed access to the arrays. Items of lists are positions in this segment.

    What others work out over the arrays is kept in ``worked_out`` as long as the segment lives.
    """

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.worked_out: dict[str, Any] = {}
        self.document_row = arrays["document.row"]
        self.document_open = arrays["document.open"]
        self.chunk_row = arrays["chunk.row"]
        self.chunk_document = arrays["chunk.document"]
        self.chunk_length = arrays["chunk.length"]
        self.chunk_rank = arrays["chunk.rank"]
        self.chunk_ids = Strings(arrays["chunk_id.blob"], arrays["chunk_id.ends"])
        self.code, self.scale = arrays["vector.code"], arrays["vector.scale"]
        self.exact = arrays["vector.exact"]
        self.terms = self._strings("term", said=True)
        self._most, self._thinnest = arrays["term.most"], arrays["term.thinnest"]
        self.tags = self._strings("tag")
        self.types = self._strings("type")
        self.personas = self._strings("persona")
        self.names = self._strings("name", said=True)
        self.mentions = self._numbers("mention")
        self.definitions = self._numbers("definition")
        self.told = Contributions(
            arrays["edge.starts"].data, arrays["told.document"].data, arrays["told.chunk"].data
        )
        self.out_edges = self._numbers("out")
        self.in_edges = self._numbers("in")

    def __len__(self) -> int:
        return len(self.chunk_row)

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.document_row)

    @property
    def width(self) -> int:
        """How wide the vectors are; 0 when no chunk has one."""
        return int(self.code.shape[1])

    @cached_property
    def name_list(self) -> list[str]:
        """Every name as text, kept: nearly fitting names are sought among all of them."""
        return [name.decode() for name in self.names.keys.listed()]

    @cached_property
    def document_sizes(self) -> Array:
        """How many chunks each document has."""
        return np.bincount(self.chunk_document, minlength=self.documents)

    @cached_property
    def document_starts(self) -> Array:
        """Where the chunks of each document start."""
        return np.cumsum(self.document_sizes) - self.document_sizes

    @cached_property
    def slack(self) -> float:
        """The most that any byte vector here is off."""
        return float(self.arrays["vector.slack"].max(initial=0.0))

    def most_times(self, place: int) -> int:
        """Return how often the chunk with most of a term holds it."""
        return int(self._most[place])

    def term_share(self, place: int, flat: float, slope: float) -> float:
        """Return a bound of tf / (tf + flat + slope · length) over the chunks that hold a term."""
        most, thinnest = float(self._most[place]), float(self._thinnest[place])
        return 1.0 / (1.0 + flat / most + slope * thinnest)

    def column(self, name: str) -> Array:
        """Return one plain array."""
        return self.arrays[name]

    def _strings(self, name: str, said: bool = False) -> StringIndex:
        keys = Keys(*(self.arrays[f"{name}.{part}"] for part in ("blob", "ends", "head")))
        return StringIndex(keys, self._lists(name, said))

    def _numbers(self, name: str) -> NumberIndex:
        return NumberIndex(self.arrays[f"{name}.keys"], self._lists(name))

    def _lists(self, name: str, said: bool = False) -> Lists:
        arrays = self.arrays
        return Lists(
            arrays[f"{name}.starts"],
            arrays[f"{name}.items"],
            arrays[f"{name}.said"] if said else None,
        )


def string_index(name: str, keys: Sequence[bytes], lists: Lists) -> dict[str, Array]:
    """Return the arrays of lists under strings in order."""
    blob, ends = pack_strings(keys)
    arrays = {f"{name}.blob": blob, f"{name}.ends": ends, f"{name}.head": heads_of(keys)}
    return arrays | _list_arrays(name, lists)


def number_index(name: str, keys: Array, lists: Lists) -> dict[str, Array]:
    """Return the arrays of lists under numbers in order."""
    return {f"{name}.keys": keys} | _list_arrays(name, lists)


def _list_arrays(name: str, lists: Lists) -> dict[str, Array]:
    arrays = {f"{name}.starts": lists.starts, f"{name}.items": lists.items}
    return arrays if lists.said is None else arrays | {f"{name}.said": lists.said}


def term_bounds(lists: Lists, lengths: Array) -> dict[str, Array]:
    """Return for each term its highest count in a chunk, and the lowest length per count."""
    if not len(lists.items) or lists.said is None:
        return {"term.most": np.empty(0, np.uint32), "term.thinnest": np.empty(0)}
    starts = lists.starts[:-1]
    return {
        "term.most": np.maximum.reduceat(lists.said, starts),
        "term.thinnest": np.minimum.reduceat(lengths[lists.items] / lists.said, starts),
    }


def id_ranks(ids: list[bytes]) -> Array:
    """Return each id's place in the order of ids."""
    ranks = np.empty(len(ids), np.uint32)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.uint32)
    return ranks
