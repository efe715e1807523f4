"""Small catalogues, and what is selected of them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sextant.text.words import Words
from sextant.toolbox.flow import select
from sextant.toolbox.index import ToolIndex, make_index
from sextant.toolbox.match.clauses import split_request
from sextant.toolbox.match.score import Wanted
from sextant.types import Selection, StoredTool, Tool, ToolLink, ToolRelation, ToolRequest

WIDTH = 8
WORDS = Words()


def vector_of(text: str) -> NDArray[np.float32]:
    """Return a vector of length 1 that is always the same for a text."""
    own = np.random.default_rng(zlib.crc32(text.encode())).normal(size=WIDTH)
    return np.asarray(own / np.linalg.norm(own), np.float32)


def tool(name: str, description: str = "", category: str = "code") -> Tool:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    return Tool(name, name.partition(".")[2] or name, category, description, schema)


def edge(source: str, kind: ToolLink, target: str, confidence: float | None = None) -> ToolRelation:
    return ToolRelation(source, target, kind, confidence)


def needs(source: str, target: str) -> ToolRelation:
    return edge(source, ToolLink.DEPENDS_ON, target)


def index_of(
    tools: Sequence[Tool],
    relations: Sequence[ToolRelation] = (),
    hidden: frozenset[str] = frozenset(),
    vectors: Mapping[str, NDArray[np.float32]] = MappingProxyType({}),
) -> ToolIndex:
    """Return an index of tools; the vectors of some may be given, both alike."""
    stored = []
    for own in sorted(tools, key=lambda one: one.id):
        name, text = vector_of(own.name), vector_of(own.description)
        pair = [vectors.get(own.id, name), vectors.get(own.id, text)]
        stored.append(StoredTool(own, np.stack(pair)))
    return make_index(stored, relations, hidden, WORDS, WIDTH)


def wanted(text: str) -> Wanted:
    clauses = split_request(text)
    return Wanted(text, clauses, np.array([vector_of(own) for own in (text, *clauses)]))


def selected(index: ToolIndex, request: ToolRequest) -> Selection:
    return select(index, request, wanted(request.text))


def ids(selection: Selection) -> list[str]:
    return [one.tool.id for one in selection.tools]
