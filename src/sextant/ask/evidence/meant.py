"""How likely each piece of the evidence is what is asked for, as far as an embedder can tell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sextant.ask.evidence.asked import Odds, Part, likelihood
from sextant.ask.question import Means
from sextant.errors import EmbedderError
from sextant.ports import DiscerningEmbedder
from sextant.retrieval.late_vectors import LateVectors
from sextant.text.orders import is_within, orders_in
from sextant.types import Hit, Pieces, Scope

_DIGITS = 4
"""Processors differ in the last digits of a sum, which must not decide between two pieces."""

OddsOf = Callable[[Part], Odds]


def unknown(_: Part) -> Odds:
    """Know nothing of any piece."""
    return {}


@dataclass(frozen=True, slots=True)
class Meant:
    """The odds of pieces by the text that is asked about, and why those of others are not known."""

    by_text: Mapping[str, Odds] = field(default_factory=dict)
    failure: str = ""

    def odds(self, part: Part) -> Odds:
        """Return how likely each piece is what a part asks; nothing where that is not known."""
        return self.by_text.get(part.embedded_as, {})


async def odds_for(
    means: Means,
    scope: Scope,
    hits: Sequence[Hit],
    parts: Iterable[Part],
    late: LateVectors | None = None,
    seconds: float | None = None,
) -> Meant:
    """Read what is kept of the pieces of these hits, and ask how likely each is what a part asks.

    Pieces of hits that have no vectors yet are those that were read for this question. Where the
    embedder fails, or takes longer than these seconds, the other parts are done without.
    """
    embedder = means.embedder
    if not isinstance(embedder, DiscerningEmbedder):
        return Meant()
    read = {hit.passage.chunk.id: hit.passage.version for hit in hits}
    found = dict(await means.store.index.pieces(scope, read))
    if late:
        found |= late.pieces(hit.passage for hit in hits if hit.passage.chunk.id not in found)
    width = embedder.identity.width
    kept = {name: own for name, own in found.items() if own.codes.shape[1] == width}
    texts = dict.fromkeys(part.embedded_as for part in parts if part.embedded_as)
    return await _asked(embedder, texts, kept, seconds) if kept else Meant()


async def _asked(
    embedder: DiscerningEmbedder,
    texts: Iterable[str],
    kept: Mapping[str, Pieces],
    seconds: float | None,
) -> Meant:
    """Ask the embedder once about each text; parts of a question may have the same."""
    codes = np.concatenate([own.codes for own in kept.values()])
    places = [
        (chunk_id, start, end)
        for chunk_id, own in kept.items()
        for start, end in own.spans.tolist()
    ]
    known = np.flatnonzero(np.count_nonzero(codes, axis=1))
    codes, places = codes[known], [places[at] for at in known.tolist()]
    told: dict[str, Odds] = {}
    try:
        async with asyncio.timeout(seconds):
            for text in texts:
                said = (await embedder.log_odds(text, codes)).astype(float).round(_DIGITS)
                told[text] = dict(zip(places, said.tolist(), strict=True))
    except TimeoutError:
        return Meant(told, "the embedder took too long.")
    except EmbedderError as error:
        return Meant(told, error.message)
    return Meant(told)


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
