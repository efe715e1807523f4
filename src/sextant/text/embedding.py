"""What an embedder says of chunks and of their pieces, as far as it can tell. Knows ports only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sextant.limits import check_codes
from sextant.ports import Embedder, LikeningEmbedder, PieceEmbedder, Purpose
from sextant.text.passages import Embeddable, embeddables
from sextant.types import Pieces, Put


@dataclass(frozen=True, slots=True)
class Embedded:
    """What was said of a chunk: its vector, and those of its pieces if the embedder has any."""

    vector: NDArray[np.float32]
    pieces: Pieces | None = None

    def has_pieces_of(self, text: Embeddable) -> bool:
        """Whether its pieces are there, and are those that the text has today."""
        return self.pieces is not None and self.pieces.spans.tolist() == list(map(list, text.spans))


async def embed_chunks(
    embedder: Embedder, texts: Sequence[Embeddable]
) -> tuple[NDArray[np.float32], tuple[Pieces, ...] | None]:
    """Return a vector for each chunk, and the vectors of its pieces where the embedder has them."""
    whole = [one.text for one in texts]
    if not isinstance(embedder, PieceEmbedder):
        return await embedder.embed(whole, "document"), None
    vectors, codes = await embedder.embed_pieces(whole, [one.places for one in texts])
    width = embedder.identity.width
    return vectors, tuple(
        _pieces(text, check_codes(own, len(text.spans), width))
        for text, own in zip(texts, codes, strict=True)
    )


async def embed_alike(
    embedder: Embedder, texts: Sequence[str], purpose: Purpose
) -> NDArray[np.float32]:
    """Return rows that tell how alike texts are, by purpose where they are the same as any."""
    if isinstance(embedder, LikeningEmbedder):
        return await embedder.embed_alike(texts)
    return await embedder.embed(texts, purpose)


async def embedded(
    embedder: Embedder, texts: Sequence[Embeddable]
) -> Mapping[Embeddable, Embedded]:
    """Return what an embedder says of each of these texts."""
    vectors, pieces = await embed_chunks(embedder, texts)
    said = map(Embedded, vectors, pieces or (None,) * len(texts))
    return dict(zip(texts, said, strict=True))


def embedded_before(put: Put | None) -> Mapping[Embeddable, Embedded]:
    """Return what was said of the chunks of a unit that is stored."""
    if put is None or put.vectors is None:
        return {}
    said = map(Embedded, put.vectors, put.pieces or (None,) * len(put.chunks))
    return dict(zip(embeddables(put), said, strict=True))


def with_vectors(put: Put, said: Sequence[Embedded]) -> Put:
    """Return a unit with what was said of each of its chunks."""
    pieces = tuple(one.pieces for one in said)
    return replace(
        put,
        vectors=np.stack([one.vector for one in said]),
        pieces=pieces if any(own is not None for own in pieces) else None,
    )


def _pieces(text: Embeddable, codes: NDArray[np.int8]) -> Pieces:
    return Pieces(np.array(text.spans, np.int32).reshape(-1, 2), codes)
