"""The vectors of tools, of requests and of past requests. Knows no store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sextant.ports import Embedder
from sextant.text.embedding import embed_alike
from sextant.toolbox.match.clauses import split_request
from sextant.toolbox.match.literals import spell_out
from sextant.toolbox.match.score import Wanted
from sextant.toolbox.match.texts import name_text, whole_text
from sextant.types import StoredTool, Tool, ToolUse

_BATCH = 128
"""Tools that are embedded at a time, so that a cancelled import ends soon."""
_LONGEST = 2_000  # characters of a request that are embedded; an encoder reads no more


async def embed_tools(embedder: Embedder, tools: Sequence[Tool]) -> tuple[StoredTool, ...]:
    """Return tools with the vectors of their names and of their whole texts."""
    found: list[StoredTool] = []
    for start in range(0, len(tools), _BATCH):
        own = tools[start : start + _BATCH]
        texts = [text for tool in own for text in (name_text(tool), whole_text(tool))]
        vectors = (await embed_alike(embedder, texts, "document")).reshape(len(own), 2, -1)
        found += [StoredTool(tool, row) for tool, row in zip(own, vectors, strict=True)]
    return tuple(found)


async def embed_request(embedder: Embedder, text: str) -> Wanted:
    """Return a request with its clauses and the vectors of them all."""
    clauses = tuple(map(spell_out, split_request(text)))
    vectors = await embed_alike(embedder, [_embeddable(text), *clauses], "query")
    return Wanted(spell_out(text), clauses, vectors)


async def embed_uses(
    embedder: Embedder, uses: Sequence[ToolUse]
) -> Mapping[int, NDArray[np.float32]]:
    """Return the vectors of past requests by the numbers of their uses."""
    requests = [_embeddable(use.request) for use in uses]
    vectors = await embed_alike(embedder, requests, "query")
    return {use.number: row for use, row in zip(uses, vectors, strict=True)}


def _embeddable(request: str) -> str:
    return spell_out(request)[:_LONGEST]
