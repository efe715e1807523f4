"""Embedders that each break one promise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sextant.llms.tiny import WIDTH, Tiny
from sextant.ports import Purpose
from sextant.types import EmbedderIdentity
from tests.conformance.broken.cases import Cases

EMBEDDERS = Cases()
_OPENED = itertools.count()

Spans = Sequence[Sequence[tuple[int, int]]]
Embedded = tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


@EMBEDDERS.refused_by("test_vector_does_not_depend_on_its_batch")
class CentredBatch(Tiny):
    """Breaks: a text's vector never depends on its batch-mates."""

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        vectors = await super().embed(texts, purpose)
        return _unit(vectors - 0.5 * vectors.mean(axis=0)) if len(texts) > 1 else vectors


@EMBEDDERS.refused_by("test_every_vector_has_length_1")
class LongVectors(Tiny):
    """Breaks: every vector has length 1."""

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        return 2 * await super().embed(texts, purpose)


@EMBEDDERS.refused_by("test_each_text_becomes_a_row_of_float32", "test_no_texts_give_no_rows")
class OtherWidth(Tiny):
    """Breaks: vectors are as wide as the identity says."""

    @property
    def identity(self) -> EmbedderIdentity:
        return replace(super().identity, width=WIDTH // 2)


@EMBEDDERS.refused_by("test_each_text_becomes_a_row_of_float32")
class DoubleNumbers(Tiny):
    """Breaks: rows are of float32."""

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        return (await super().embed(texts, purpose)).astype(np.float64)


@EMBEDDERS.refused_by("test_empty_and_blank_texts_have_a_direction")
class NothingForBlank(Tiny):
    """Breaks: a blank text has a vector of length 1, too."""

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        vectors = await super().embed(texts, purpose)
        vectors[[at for at, text in enumerate(texts) if text.isspace()]] = np.nan
        return vectors


@EMBEDDERS.refused_by("test_same_text_gives_same_vector_again")
class Drifting(Tiny):
    """Breaks: the same text gives the same vector again."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = itertools.count()

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        return np.roll(await super().embed(texts, purpose), next(self._calls), axis=1)


@EMBEDDERS.refused_by("test_freshly_opened_embedder_gives_same_vectors")
class SeededAnew(Tiny):
    """Breaks: a freshly opened embedder gives the same vectors."""

    def __init__(self) -> None:
        super().__init__()
        self._seed = next(_OPENED)

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        return np.roll(await super().embed(texts, purpose), self._seed, axis=1)


@EMBEDDERS.refused_by("test_query_lies_closer_to_what_it_is_about")
class OtherSpaceForQueries(Tiny):
    """Breaks: queries and documents are in one space."""

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        vectors = await super().embed(texts, purpose)
        return -vectors if purpose == "query" else vectors


@EMBEDDERS.refused_by("test_row_of_a_span_is_that_of_the_span_alone")
class TurnedPieces(Tiny):
    """Breaks: the rows of pieces come in the order of their spans."""

    async def embed_pieces(self, texts: Sequence[str], spans: Spans) -> Embedded:
        vectors, codes = await super().embed_pieces(texts, spans)
        return vectors, [own[::-1] if own.any(axis=1).all() else own for own in codes]


@EMBEDDERS.refused_by("test_whole_vector_is_the_same_with_pieces")
class OtherVectorWithPieces(Tiny):
    """Breaks: a text has the same vector with pieces as without."""

    async def embed_pieces(self, texts: Sequence[str], spans: Spans) -> Embedded:
        vectors, codes = await super().embed_pieces(texts, spans)
        return np.roll(vectors, 1, axis=1), codes


class Discerning(Tiny):
    """Keeps its promises: a piece is the likelier the closer it is to the question."""

    async def log_odds(self, question: str, codes: NDArray[np.int8]) -> NDArray[np.float32]:
        vectors = await self.embed([question], "document")
        return _nearness(vectors[0], codes)


def _nearness(vector: NDArray[np.float32], codes: NDArray[np.int8]) -> NDArray[np.float32]:
    lengths = np.maximum(np.linalg.norm(codes, axis=1), 1.0)
    near = (codes @ vector / lengths).astype(np.float32)
    return np.where(codes.any(axis=1), near, np.float32(-1.0))


@EMBEDDERS.refused_by(
    "test_odds_do_not_depend_on_what_was_embedded_before",
    "test_odds_of_concurrent_questions_do_not_mix",
)
class OddsOfTheLastQuestion(Discerning):
    """Breaks: odds are those of the question that is named."""

    _last: NDArray[np.float32] | None = None

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        vectors = await super().embed(texts, purpose)
        if purpose == "query" and len(texts):
            self._last = vectors[-1]
        return vectors

    async def log_odds(self, question: str, codes: NDArray[np.int8]) -> NDArray[np.float32]:
        odds = await super().log_odds(question, codes)
        return odds if self._last is None else _nearness(self._last, codes)


@EMBEDDERS.refused_by("test_every_piece_has_odds_whatever_is_asked")
class OddsOfNothing(Discerning):
    """Breaks: of a piece of which nothing is known, the odds are no better than of any other."""

    async def log_odds(self, question: str, codes: NDArray[np.int8]) -> NDArray[np.float32]:
        odds = await super().log_odds(question, codes)
        return np.where(codes.any(axis=1), odds, np.float32(0.0))


@EMBEDDERS.refused_by("test_closed_embedder_refuses_to_tell_odds")
class OddsAfterClosing(Discerning):
    """Breaks: a closed embedder tells no odds."""

    async def log_odds(self, question: str, codes: NDArray[np.int8]) -> NDArray[np.float32]:
        return await Discerning().log_odds(question, codes)


@EMBEDDERS.refused_by("test_closed_embedder_refuses_to_embed")
class NeverClosed(Tiny):
    """Breaks: a closed embedder refuses to embed."""

    async def close(self) -> None:
        pass
