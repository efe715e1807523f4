"""How likely each piece of the evidence is what is asked for, as far as an embedder can tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sextant.ask.evidence.asked import Odds, Part, likelihood
from sextant.ask.question import Means
from sextant.ports import DiscerningEmbedder
from sextant.retrieval.late_vectors import LateVectors
from sextant.text.orders import is_within, orders_in
from sextant.types import Hit, Pieces, Scope

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 4
"""Processors differ in the last digits of a sum, which must not decide between two pieces."""

OddsOf = Callable[[Part], Odds]


def unknown(_: Part) -> Odds:
    """Know nothing of any piece."""
    return {}


async def odds_for(
    means: Means, scope: Scope, hits: Sequence[Hit], late: LateVectors | None = None
) -> OddsOf:
    """Read what is kept of the pieces of these hits; return how likely each is what a part asks.

    Pieces of hits that have no vectors yet are those that were read for this question.
    """
    embedder = means.embedder
    if not isinstance(embedder, DiscerningEmbedder):
        return unknown
    read = {hit.passage.chunk.id: hit.passage.version for hit in hits}
    found = dict(await means.store.index.pieces(scope, read))
    if late:
        found |= late.pieces(hit.passage for hit in hits if hit.passage.chunk.id not in found)
    width = embedder.identity.width
    kept = {name: own for name, own in found.items() if own.codes.shape[1] == width}
    return _Asker(embedder, kept).odds if kept else unknown


def likely(odds: OddsOf, parts: Sequence[Part]) -> dict[str, float]:
    """Return in 0 to 1 how likely some piece of each chunk is what one of these parts asks for."""
    best: dict[str, float] = {}
    for part in parts:
        for (chunk_id, _, _), own in odds(part).items():
            best[chunk_id] = max(own, best.get(chunk_id, own))
    return {chunk_id: likelihood(own) for chunk_id, own in best.items()}


def of_these(odds: OddsOf, hits: Sequence[Hit]) -> OddsOf:
    """Return what is known of the pieces of these hits alone; an order is what nobody asks for."""
    orders = {one.id: orders_in(one.text) for one in (hit.passage.chunk for hit in hits)}

    def own(part: Part) -> Odds:
        return {
            (chunk_id, start, end): one
            for (chunk_id, start, end), one in odds(part).items()
            if chunk_id in orders and not is_within(orders[chunk_id], start, end)
        }

    return own


class _Asker:
    """Asks the embedder once for each vector; parts of a question may have the same."""

    def __init__(self, embedder: DiscerningEmbedder, kept: Mapping[str, Pieces]) -> None:
        self._embedder = embedder
        codes = np.concatenate([own.codes for own in kept.values()])
        places = [
            (chunk_id, start, end)
            for chunk_id, own in kept.items()
            for start, end in own.spans.tolist()
        ]
        known = np.flatnonzero(np.count_nonzero(codes, axis=1))
        self._codes = codes[known]
        self._places = [places[at] for at in known.tolist()]
        self._known: list[tuple[NDArray[np.float32], Odds]] = []

    def odds(self, part: Part) -> Odds:
        if part.vector is None:
            return {}
        for vector, odds in self._known:
            if vector is part.vector:
                return odds
        said = self._embedder.log_odds(part.vector, self._codes).astype(float).round(_DIGITS)
        odds = dict(zip(self._places, said.tolist(), strict=True))
        self._known.append((part.vector, odds))
        return odds
