"""Vectors, other words and another order from a server that has the models, over MCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sextant.errors import EmbedderError, PeerError, SextantError
from sextant.links.mcp_caller import McpCaller
from sextant.ports import Purpose
from sextant.text.codec.decode import item
from sextant.types import Chosen, EmbedderIdentity, Hit, Json, Reordered, Rephrased

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNKNOWN = EmbedderIdentity("", 0)
_AT_ONCE = 64
_MOST = 100
_MOST_CHARACTERS = 400_000
_LONGEST_S = 600.0
_SHARE = 0.9
"""What the other server may take of the time, so that its answer still arrives."""


class McpEmbedder:
    """Asks another server for vectors; who makes them is known with the first of them."""

    def __init__(self, caller: McpCaller) -> None:
        self._caller = caller
        self._identity = _UNKNOWN

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors; nobody knows before the first was made."""
        return self._identity

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Return one row for each text."""
        rows: list[Sequence[float]] = []
        for at in range(0, len(texts), _AT_ONCE):
            rows += await self._some(list(texts[at : at + _AT_ONCE]), purpose)
        return np.array(rows, np.float32).reshape(len(texts), self._identity.width)

    async def close(self) -> None:
        """Nothing is open here; the connection is its owner's."""

    async def _some(self, texts: list[str], purpose: Purpose) -> Sequence[Sequence[float]]:
        asked = {"Texts": texts, "Purpose": purpose}
        try:
            told = await self._caller.call("LlmOrchestration.GenerateEmbeddings", asked)
            with self._caller.reading():
                rows = item(tuple[tuple[float, ...], ...], told.get("Embeddings"), "Embeddings")
                name = item(str, told.get("Model"), "Model")
                self._identity = EmbedderIdentity(name, len(rows[0]))
        except PeerError as error:
            raise EmbedderError(error.message, error.hint) from None
        if len(rows) != len(texts) or any(len(row) != self._identity.width for row in rows):
            raise EmbedderError(
                "LlmOrchestration answered with other vectors than were asked for.",
                "Run the same version on both sides.",
            )
        return rows


class McpOrchestrator:
    """Asks another server for what needs a model; what goes wrong there is told, not raised."""

    def __init__(self, caller: McpCaller) -> None:
        self._caller = caller

    async def rephrase(self, text: str, known: Sequence[str], seconds: float) -> Rephrased:
        """Return the other server's phrasings, or those that are known."""
        asked = {"Query": text, "KnownPhrasings": list(known)}
        try:
            told = await self._asked("ExpandOrRephraseQuery", asked, seconds)
            with self._caller.reading():
                texts = item(tuple[str, ...], told.get("Phrasings"), "Phrasings")
                return Rephrased(texts, *_modelled(told))
        except SextantError as error:
            return Rephrased(tuple(known), fallback=_without(error))

    async def rerank(self, text: str, hits: Sequence[Hit], seconds: float) -> Reordered:
        """Return the passages that the other server puts in front, or none."""
        asked = {"Query": text, "Candidates": _candidates(hits)}
        try:
            told = await self._asked("RerankCandidates", asked, seconds)
            with self._caller.reading():
                rows = item(tuple[dict[str, Any], ...], told.get("Results"), "Results")
                chosen = tuple(
                    Chosen(str(row.get("CandidateId")), str(row.get("Why", "")))
                    for row in rows
                    if row.get("Chosen")
                )
                return Reordered(chosen, *_modelled(told))
        except SextantError as error:
            return Reordered(fallback=_without(error))

    async def _asked(self, tool: str, asked: dict[str, Any], seconds: float) -> Mapping[str, Any]:
        if not seconds:
            raise PeerError("there is no time for it.", "Allow the question more seconds.")
        theirs = min(seconds, _LONGEST_S) * _SHARE
        asked = {**asked, "Seconds": theirs}
        return await self._caller.call(f"LlmOrchestration.{tool}", asked, seconds)


def _modelled(told: Mapping[str, Any]) -> tuple[Mapping[str, Json], str]:
    model = item(dict[str, Any], told.get("Model", {}), "Model")
    return model, item(str, told.get("Fallback", ""), "Fallback")


def _without(error: SextantError) -> str:
    return f"Without the model: {error.message}"


def _candidates(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """Return the best of the passages, as many as fit into a request."""
    told: list[dict[str, Any]] = []
    characters = 0
    for hit in hits[:_MOST]:
        chunk, document = hit.passage.chunk, hit.passage.document
        characters += len(chunk.text)
        if characters > _MOST_CHARACTERS:
            break
        told.append(
            {
                "CandidateId": chunk.id,
                "ArtifactId": document.id,
                "Text": chunk.text,
                "Title": document.title,
                "Url": document.url,
                "SourceType": document.source_type,
                "Headings": list(chunk.headings[-1:]),
                "Score": hit.scores.total,
            }
        )
    return told
