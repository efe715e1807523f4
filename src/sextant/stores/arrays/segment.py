"""A segment: all derived arrays of a run of documents, never changed once made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sextant.stores.arrays.lists import Array, Lists, Strings

Arrays = Mapping[str, Array]

DOCUMENT_COLUMNS = ("document.row", "document.open", "document.created", "document.modified")
CHUNK_COLUMNS = ("chunk.row", "chunk.length")
VECTOR_COLUMNS = ("vector.code", "vector.scale", "vector.slack", "vector.exact")
EDGE_COLUMNS = ("edge.source", "edge.target", "edge.kind", "edge.confidence", "edge.weight")


@dataclass(frozen=True, slots=True)
class StringIndex:
    """Lists under strings."""

    keys: Strings
    lists: Lists

    def find(self, key: bytes) -> Array | None:
        """Return the items of a key, or None."""
        at = self.keys.find(key)
        return None if at < 0 else self.lists[at]


@dataclass(frozen=True, slots=True)
class NumberIndex:
    """Lists under numbers."""

    keys: Array
    lists: Lists


class Segment:
    """Typed access to the arrays. Items of lists are positions in this segment."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.document_row = arrays["document.row"]
        self.document_open = arrays["document.open"]
        self.chunk_row = arrays["chunk.row"]
        self.chunk_document = arrays["chunk.document"]
        self.chunk_length = arrays["chunk.length"]
        self.chunk_rank = arrays["chunk.rank"]
        self.chunk_ids = Strings(arrays["chunk_id.blob"], arrays["chunk_id.ends"])
        self.code, self.scale = arrays["vector.code"], arrays["vector.scale"]
        self.slack, self.exact = arrays["vector.slack"], arrays["vector.exact"]
        self.terms = self._strings("term", said=True)
        self.tags = self._strings("tag")
        self.types = self._strings("type")
        self.personas = self._strings("persona")
        self.names = self._strings("name", said=True)
        self.mentions = self._numbers("mention")
        self.definitions = self._numbers("definition")
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

    def column(self, name: str) -> Array:
        """Return one plain array."""
        return self.arrays[name]

    def _strings(self, name: str, said: bool = False) -> StringIndex:
        keys = Strings(self.arrays[f"{name}.blob"], self.arrays[f"{name}.ends"])
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


def id_ranks(ids: list[bytes]) -> Array:
    """Return each id's place in the order of ids."""
    ranks = np.empty(len(ids), np.uint32)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.uint32)
    return ranks
