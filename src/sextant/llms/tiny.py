"""An embedder without a model, for tests and demos: hashed words and trigrams. Knows no meaning."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from sextant.errors import ConfigError, EmbedderError
from sextant.limits import DEFAULT, Limits, check_spans, check_texts
from sextant.text.rounding import rounded
from sextant.types import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from sextant.ports import Embedder, Purpose
    from sextant.settings import Settings

WIDTH, NARROWEST, WIDEST = 64, 8, 4096
_WORD = re.compile(r"\w+")


def open_embedder(rest: str, settings: Settings) -> Embedder:
    """Open one of the width that ``tiny:128`` names, or of 64."""
    return Tiny(_width(rest) if rest else WIDTH, settings.limits)


class Tiny:
    """Texts that share words and parts of words lie close. The same everywhere, to the last bit."""

    def __init__(self, width: int = WIDTH, limits: Limits = DEFAULT) -> None:
        self._identity = EmbedderIdentity(f"tiny:{width}", width)
        self._limits = limits
        self._closed = False

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors."""
        return self._identity

    async def embed(
        self,
        texts: Sequence[str],
        purpose: Purpose,  # noqa: ARG002 - words are words
    ) -> NDArray[np.float32]:
        """Return one row for each text."""
        if self._closed:
            raise EmbedderError("The embedder was closed.", "Open a new one.")
        check_texts(texts, self._limits)
        vectors = np.empty((len(texts), self._identity.width), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = _vector(text, self._identity.width)
        return vectors

    async def embed_pieces(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]:
        """Return one row for each text, and one in bytes for each span, as if it stood alone."""
        vectors = await self.embed(texts, "document")
        check_spans(texts, spans)
        return vectors, [self._codes(*one) for one in zip(texts, spans, strict=True)]

    async def close(self) -> None:
        """Refuse any further text."""
        self._closed = True

    def _codes(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.int8]:
        rows = np.zeros((len(spans), self._identity.width), np.float32)
        for row, (start, end) in enumerate(spans):
            if start < end:
                rows[row] = _vector(text[start:end], self._identity.width)
        return rounded(rows)[0]


def _width(text: str) -> int:
    if not re.fullmatch("[0-9]{1,4}", text) or not NARROWEST <= int(text) <= WIDEST:
        raise ConfigError(
            f"The embedder tiny: has no width {text[:80]!r}.",
            f'Write a number from {NARROWEST} to {WIDEST}, as in "tiny:128".',
        )
    return int(text)


def _vector(text: str, width: int) -> NDArray[np.float32]:
    # Whole numbers until the division, so that the order of adding cannot show.
    sums = np.zeros(width, np.int64)
    for feature, count in Counter(_features(text.casefold())).items():
        digest = blake2b(feature.encode(errors="surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        sums[(number >> 1) % width] += count if number & 1 else -count
    if not sums.any():
        sums[0] = 1
    return np.asarray(sums / np.sqrt(np.square(sums).sum()), np.float32)


def _features(text: str) -> Iterator[str]:
    yield from _WORD.findall(text)
    for run in text.split():
        padded = f" {run} "
        yield from (padded[start : start + 3] for start in range(len(padded) - 2))
