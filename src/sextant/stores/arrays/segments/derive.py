"""From rows of the truth to a segment. The same rows always give the same arrays, byte for byte."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sextant.stores.arrays.lists import Array, Lists, code_strings, group, pack_strings
from sextant.stores.arrays.segments.quantise import quantise
from sextant.stores.arrays.segments.rows import ChunkRow, DocumentRow
from sextant.stores.arrays.segments.segment import (
    Segment,
    id_ranks,
    number_index,
    string_index,
    term_bounds,
)
from sextant.stores.arrays.segments.sums import Contributions, edge_arrays, paired
from sextant.text.words import Words


@dataclass(frozen=True, slots=True)
class Analysis:
    """How text becomes weighted terms. A chunk counts as its fields repeated by their weights."""

    words: Words
    title_weight: int
    headings_weight: int


def derive(documents: Sequence[DocumentRow], analysis: Analysis, width: int) -> Segment:
    """Derive all arrays of these documents, which come in the order of their rows."""
    chunks = [chunk for document in documents for chunk in document.chunks]
    firsts = np.cumsum([0, *(len(document.chunks) for document in documents)])
    arrays: dict[str, Array] = {}
    arrays |= _document_arrays(documents)
    arrays |= _chunk_arrays(chunks, firsts)
    arrays |= _vector_arrays(chunks, width)
    arrays |= _term_arrays(documents, analysis)
    arrays |= _name_arrays(documents)
    arrays |= _edge_arrays(documents, firsts, arrays["chunk.rank"])
    return Segment(arrays)


def _document_arrays(documents: Sequence[DocumentRow]) -> dict[str, Array]:
    arrays: dict[str, Array] = {
        "document.row": _numbers(document.row for document in documents),
        "document.open": np.array([not document.personas for document in documents], bool),
        "document.created": _numbers(document.created for document in documents),
        "document.modified": _numbers(document.modified for document in documents),
    }
    arrays |= _string_lists("tag", documents, lambda document: document.tags)
    arrays |= _string_lists("persona", documents, lambda document: document.personas)
    arrays |= _string_lists("type", documents, lambda document: (document.source_type,))
    return arrays


def _chunk_arrays(chunks: Sequence[ChunkRow], firsts: Array) -> dict[str, Array]:
    ids = [chunk.id.encode() for chunk in chunks]
    blob, ends = pack_strings(ids)
    mentions = [
        (node, at) for at, chunk in enumerate(chunks) for node in sorted(set(chunk.entities))
    ]
    return {
        "chunk.row": _numbers(chunk.row for chunk in chunks),
        "chunk.document": np.repeat(np.arange(len(firsts) - 1), np.diff(firsts)),
        "chunk.rank": id_ranks(ids),
        "chunk_id.blob": blob,
        "chunk_id.ends": ends,
        **_number_lists("mention", mentions),
    }


def _vector_arrays(chunks: Sequence[ChunkRow], width: int) -> dict[str, Array]:
    exact = np.zeros((len(chunks), width), np.float32)
    for at, chunk in enumerate(chunks):
        if chunk.vector is not None:
            exact[at] = chunk.vector
    code, scale, slack = quantise(exact)
    return {
        "vector.code": code,
        "vector.scale": scale,
        "vector.slack": slack,
        "vector.exact": exact,
    }


def _term_arrays(documents: Sequence[DocumentRow], analysis: Analysis) -> dict[str, Array]:
    vocabulary: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    found: list[int] = []
    fields: list[tuple[int, int]] = []
    counts: list[int] = []

    def coded(text: str, weight: int) -> list[int]:
        return [vocabulary[term] for term in analysis.words.terms(text)] if weight and text else []

    for document in (one for one in documents if one.chunks):
        title = coded(document.title, analysis.title_weight)
        for chunk in document.chunks:
            headings = coded("\n".join(chunk.headings), analysis.headings_weight)
            text = coded(chunk.text, 1)
            found += title + headings + text
            fields.append((len(title), analysis.title_weight))
            fields.append((len(headings), analysis.headings_weight))
            fields.append((len(text), 1))
            counts.append(len(title) + len(headings) + len(text))
    lengths, weights = np.array(fields, np.int64).reshape(-1, 2).T
    each = np.repeat(weights, lengths)
    return _weigh_terms(vocabulary, np.array(found, np.int64), each, counts)


def _weigh_terms(
    vocabulary: dict[str, int], found: Array, weights: Array, counts: Sequence[int]
) -> dict[str, Array]:
    """Add up the weights of each pair of term and chunk."""
    terms = [term.encode() for term in vocabulary]
    order = sorted(range(len(terms)), key=terms.__getitem__)
    place = np.empty(len(terms), np.int64)
    place[order] = np.arange(len(terms))
    chunk_count = max(1, len(counts))
    owners = np.repeat(np.arange(len(counts)), np.array(counts, np.int64))
    pairs, sums = _add_up(place[found] * chunk_count + owners, weights)
    codes, items = np.divmod(pairs, chunk_count)
    starts = np.zeros(len(terms) + 1, np.int64)
    np.cumsum(np.bincount(codes, minlength=len(terms)), out=starts[1:])
    lists = Lists(starts, items.astype(np.uint32), sums.astype(np.uint32))
    lengths = np.bincount(owners, weights=weights, minlength=len(counts))
    return {
        "chunk.length": lengths.astype(np.int32),
        **string_index("term", [terms[at] for at in order], lists),
        **term_bounds(lists, lengths.astype(np.int32)),
    }


def _add_up(keys: Array, weights: Array) -> tuple[Array, Array]:
    """Return the distinct keys in order, and the sum of the weights of each.

    Key and weight are sorted as one number, which is much faster than sorting by key.
    """
    bits = int(weights.max(initial=0)).bit_length()
    joined = np.sort((keys << bits) | weights)
    ordered = joined >> bits
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    weighed = joined & ((1 << bits) - 1)
    sums = np.add.reduceat(weighed, first) if len(first) else weighed
    return ordered[first], sums


def _name_arrays(documents: Sequence[DocumentRow]) -> dict[str, Array]:
    named = [
        (name.encode(), at, node)
        for at, document in enumerate(documents)
        for name, node in sorted(set(document.names))
    ]
    keys, codes = code_strings(name for name, _, _ in named)
    items = np.array([at for _, at, _ in named], np.uint32)
    lists = group(codes, items, len(keys), _numbers(node for _, _, node in named))
    defined = sorted({(node, at) for _, at, node in named})
    return string_index("name", keys, lists) | _number_lists("definition", defined)


def _edge_arrays(
    documents: Sequence[DocumentRow], firsts: Array, chunk_rank: Array
) -> dict[str, Array]:
    edges = [(at, edge) for at, document in enumerate(documents) for edge in document.edges]
    chunk = np.array([edge.chunk for _, edge in edges], np.int32)
    owner = np.array([at for at, _ in edges], np.int32)
    source = _numbers(edge.source for _, edge in edges)
    target = _numbers(edge.target for _, edge in edges)
    told = Contributions(
        paired(source, target),
        _numbers(edge.kind for _, edge in edges),
        np.array([edge.confidence for _, edge in edges], np.float64),
        _numbers(edge.weight for _, edge in edges),
        owner,
        np.where(chunk < 0, chunk, firsts[owner] + chunk).astype(np.int32),
    )
    return edge_arrays(told, chunk_rank)


def _numbers(values: Iterable[int]) -> Array:
    return np.array(list(values), np.int64)


def _string_lists(
    name: str, documents: Sequence[DocumentRow], values: Callable[[Any], Iterable[str]]
) -> dict[str, Array]:
    pairs = [
        (value.encode(), at)
        for at, document in enumerate(documents)
        for value in sorted(set(values(document)))
    ]
    keys, codes = code_strings(value for value, _ in pairs)
    lists = group(codes, np.array([at for _, at in pairs], np.uint32), len(keys))
    return string_index(name, keys, lists)


def _number_lists(name: str, pairs: Sequence[tuple[int, int]]) -> dict[str, Array]:
    keys, codes = np.unique(_numbers(key for key, _ in pairs), return_inverse=True)
    lists = group(codes, np.array([at for _, at in pairs], np.uint32), len(keys))
    return number_index(name, keys, lists)
