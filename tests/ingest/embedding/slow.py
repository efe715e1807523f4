"""An embedder that tells what it embeds, refuses some texts, and stops where a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sextant.core import Sextant
from sextant.errors import EmbedderError
from sextant.llms.tiny import Tiny
from sextant.ports import Purpose
from tests.ingest.folders import Workplace, workplace

BROKEN = "unspeakable"
"""A text with this word cannot be embedded."""


class Watched(Tiny):
    """Embeds as Tiny does, under the eyes of a test."""

    def __init__(self, most: int | None = None, width: int = 16) -> None:
        super().__init__(width)
        self.seen: list[str] = []
        self.is_down = False
        self.is_stuck = asyncio.Event()
        self.most = most
        self.before: Callable[[], None] = lambda: None

    async def embed_pieces(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]:
        self.before()
        if self.most is not None and len(self.seen) + len(texts) > self.most:
            self.is_stuck.set()
            await asyncio.Event().wait()
        self._refuse(texts)
        self.seen += texts
        return await super().embed_pieces(texts, spans)

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        self._refuse(texts)
        return await super().embed(texts, purpose)

    def _refuse(self, texts: Sequence[str]) -> None:
        if self.is_down:
            raise EmbedderError("Nobody is there.", "Start it.")
        if any(BROKEN in text for text in texts):
            raise EmbedderError("Such words are not embedded.", "Use others.")


@asynccontextmanager
async def watched(most: int | None = None) -> AsyncIterator[tuple[Workplace, Watched]]:
    """Open a place to work in whose embedder is watched."""
    async with workplace() as place:
        embedder = Watched(most)
        place.sextant = with_embedder(place.sextant, embedder)
        yield place, embedder


def with_embedder(sextant: Sextant, embedder: Watched) -> Sextant:
    """Return the same open store with another embedder."""
    return replace(sextant, embedder=embedder)
