"""What a question asks of a store in another process, and what comes back, as plain JSON values.

Numbers come through to the last bit: floats as JSON writes them, arrays as their bytes.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sextant.errors import InvalidInput
from sextant.query import Query, filter_fields, parse
from sextant.text.codec.decode import item, members, shaped
from sextant.text.codec.encode import plain_of
from sextant.types import NameMode, Pieces, Reach, Walk, Web

Number = TypeVar("Number", bound=np.generic)
_HINT = "Run the same version on both sides."


@dataclass(frozen=True, slots=True)
class Ids:
    """Of which things, or by which names."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Versions:
    """Of which chunks, and of which version of each."""

    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Names:
    """Who bears these names."""

    names: tuple[str, ...]
    mode: NameMode
    limit: int


@dataclass(frozen=True, slots=True)
class Steps:
    """Which edges lead on from these entities."""

    ids: tuple[str, ...]
    walk: Walk


@dataclass(frozen=True, slots=True)
class Round:
    """Who is mentioned where, round these chunks and entities."""

    chunk_ids: tuple[str, ...]
    entity_ids: tuple[str, ...]
    reach: Reach


@dataclass(frozen=True, slots=True)
class Since:
    """What came after a number."""

    after: int
    limit: int


def query_plain(query: Query) -> dict[str, Any]:
    """Return a query as plain values."""
    return {
        "text": query.text,
        "vector": None if query.vector is None else _packed(query.vector, np.float32),
        "filter": None if query.filter is None else filter_fields(query.filter),
        "k": query.k,
        "at_least": query.at_least,
    }


def query_of(value: object) -> Query:
    """Return the query that plain values mean."""
    told = members(value, "", dict.fromkeys(("text", "vector", "filter", "k", "at_least")))
    vector, tree = told["vector"], told["filter"]
    return Query(
        item(str, told["text"], "text"),
        None if vector is None else _unpacked(vector, np.float32, "vector"),
        None if tree is None else parse(tree),
        item(int, told["k"], "k"),
        item(int, told["at_least"], "at_least"),
    )


def web_plain(web: Web) -> dict[str, Any]:
    """Return a web as plain values."""
    return {
        **plain_of(web),
        **{name: _packed(getattr(web, name), kind) for name, kind in _ARRAYS.items()},
    }


def web_of(value: object) -> Web:
    """Return the web that plain values mean."""
    told = members(value, "", dict.fromkeys(("chunk_ids", "entities", *_ARRAYS)))
    arrays: Mapping[str, Any] = {
        name: _unpacked(told[name], kind, name) for name, kind in _ARRAYS.items()
    }
    nodes = shaped(_Nodes, {name: told[name] for name in ("chunk_ids", "entities")})
    return Web(nodes.chunk_ids, nodes.entities, **arrays)


def pieces_plain(pieces: Mapping[str, Pieces]) -> dict[str, Any]:
    """Return the pieces of chunks as plain values."""
    return {
        name: {"spans": _packed(own.spans, np.int32), "codes": _packed(own.codes, np.int8)}
        for name, own in pieces.items()
    }


def pieces_of(value: object) -> dict[str, Pieces]:
    """Return the pieces of chunks that plain values mean."""
    told = item(dict[str, dict[str, str]], value, "Value")
    return {name: _pieces(own, name) for name, own in told.items()}


def _pieces(told: Mapping[str, str], place: str) -> Pieces:
    members(told, place, dict.fromkeys(("spans", "codes")))
    spans = _unpacked(told["spans"], np.int32, place)
    codes = _unpacked(told["codes"], np.int8, place)
    count = len(spans) // 2
    if len(spans) != 2 * count or (len(codes) % count if count else len(codes)):
        raise InvalidInput(f"{place[:200]} has not one row for each piece", _HINT)
    return Pieces(spans.reshape(count, 2), codes.reshape(count, len(codes) // max(count, 1)))


@dataclass(frozen=True, slots=True)
class _Nodes:
    """What of a web is no array."""

    chunk_ids: tuple[str, ...]
    entities: Mapping[str, int]


_ARRAYS: Mapping[str, type[np.generic]] = {
    "chunk": np.int64,
    "entity": np.int64,
    "about": np.bool_,
    "mentions": np.int64,
    "abouts": np.int64,
}


def _packed(array: NDArray[Any], kind: type[np.generic]) -> str:
    flat = np.ascontiguousarray(array, _little(kind))
    return base64.b64encode(flat.tobytes()).decode("ascii")


def _unpacked(text: object, kind: type[Number], place: str) -> NDArray[Number]:
    try:
        raw = base64.b64decode(item(str, text, place), validate=True)
        return np.frombuffer(raw, _little(kind)).astype(kind)
    except (binascii.Error, ValueError):
        raise InvalidInput(f"{place} is no row of numbers in base64", _HINT) from None


def _little(kind: type[np.generic]) -> np.dtype[Any]:
    return np.dtype(kind).newbyteorder("<")
