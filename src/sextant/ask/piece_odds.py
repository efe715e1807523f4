"""How likely each piece of the passages is what is asked for, as far as an embedder can tell."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sextant.ask.question import Means
from sextant.errors import EmbedderError
from sextant.ports import DiscerningEmbedder
from sextant.retrieval.late_vectors import LateVectors
from sextant.text.orders import is_within, orders_in
from sextant.types import Hit, Pieces, Scope

_DIGITS = 4
"""Processors differ in the last digits of a sum, which must not decide between two pieces."""

_TOO_SLOW = "the embedder took too long."

PieceOdds = Mapping[tuple[str, int, int], float]
"""The log odds that a piece is what is asked for, by its chunk's id, its start and its end."""


@dataclass(frozen=True, slots=True)
class OddsByText:
    """The odds of pieces for each text that was asked about, and why those of others lack."""

    by_text: Mapping[str, PieceOdds] = field(default_factory=dict)
    failure: str = ""

    def odds_for(self, text: str) -> PieceOdds:
        """Return how likely each piece is what a text asks; nothing where that is not known."""
        return self.by_text.get(text, {})


async def read_piece_odds(
    means: Means,
    scope: Scope,
    hits: Sequence[Hit],
    texts: Iterable[str],
    late: LateVectors | None = None,
    seconds: float | None = None,
) -> OddsByText:
    """Read what is kept of the pieces of these hits, and ask how likely each is what texts ask.

    Pieces of hits that have no vectors yet are those that were read for this question. Where the
    embedder fails, or takes longer than these seconds, the other texts are done without. An order
    to an assistant is no piece, since nobody asks for it.
    """
    embedder = means.embedder
    wanted = [text for text in dict.fromkeys(texts) if text]
    if not isinstance(embedder, DiscerningEmbedder) or not wanted or not hits:
        return OddsByText()
    versions = {hit.passage.chunk.id: hit.passage.version for hit in hits}
    found = dict(await means.store.index.pieces(scope, versions))
    if late:
        found |= late.pieces(hit.passage for hit in hits if hit.passage.chunk.id not in found)
    width = embedder.identity.width
    kept = {name: own for name, own in found.items() if own.codes.shape[1] == width}
    places, codes = _places(hits, kept)
    return await _ask(embedder, wanted, places, codes, seconds) if places else OddsByText()


_Place = tuple[str, int, int]


def _places(hits: Sequence[Hit], kept: Mapping[str, Pieces]) -> tuple[list[_Place], np.ndarray]:
    """Return where the pieces stand that say something to a reader, and their codes."""
    if not kept:
        return [], np.zeros((0, 0), np.int8)
    orders = {hit.passage.chunk.id: orders_in(hit.passage.chunk.text) for hit in hits}
    every = [(name, start, end) for name, own in kept.items() for start, end in own.spans.tolist()]
    codes = np.concatenate([own.codes for own in kept.values()])
    has_code = np.count_nonzero(codes, axis=1) > 0
    told = [
        at
        for at, (name, start, end) in enumerate(every)
        if has_code[at] and not is_within(orders.get(name, ()), start, end)
    ]
    return [every[at] for at in told], codes[told]


async def _ask(
    embedder: DiscerningEmbedder,
    texts: Sequence[str],
    places: Sequence[_Place],
    codes: np.ndarray,
    seconds: float | None,
) -> OddsByText:
    """Ask the embedder once about each text."""
    known: dict[str, PieceOdds] = {}
    try:
        async with asyncio.timeout(seconds):
            for text in texts:
                odds = (await embedder.log_odds(text, codes)).astype(float).round(_DIGITS)
                known[text] = dict(zip(places, odds.tolist(), strict=True))
    except TimeoutError:
        return OddsByText(known, _TOO_SLOW)
    except EmbedderError as error:
        return OddsByText(known, error.message)
    return OddsByText(known)
