"""Vectors from a server: in batches, with another try, of length 1. Knows no protocol."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from sextant.errors import ConfigError, EmbedderError, ModelError, ModelUnreachable
from sextant.limits import check_texts
from sextant.prompting.calls.backoff import pause_before
from sextant.spans import Facts, Kind, span
from sextant.types import EmbedderIdentity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sextant.ports import Purpose
    from sextant.settings import Settings

Fetch = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]

NARROWEST, WIDEST = 8, 8_192
TEXTS, BYTES = 96, 100_000
"""How many texts go into one call, and how long they may be together."""

LONGEST = 8_000
"""Bytes that are read of a text: never more tokens than the 8,191 that OpenAI's models take."""

BLANK = "."
"""What stands for a text with nothing in it, which servers refuse."""


class RemoteEmbedder:
    """A way to fetch vectors, and everything round it."""

    def __init__(
        self,
        identity: EmbedderIdentity,
        fetch: Fetch,
        close: Callable[[], Awaitable[None]],
        settings: Settings,
    ) -> None:
        self._identity, self._fetch, self._close = identity, fetch, close
        self._limits, self._settings = settings.limits, settings.model
        self._turns = asyncio.Semaphore(settings.model.batch_concurrency)
        self._closed = False

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors."""
        return self._identity

    async def embed(
        self,
        texts: Sequence[str],
        purpose: Purpose,  # noqa: ARG002 - these servers treat both alike
    ) -> NDArray[np.float32]:
        """Return one row for each text, of which the beginning counts."""
        self._check_open()
        check_texts(texts, self._limits)
        rows = [np.empty((0, self._identity.width), np.float32)]
        for batch in batches([readable(text) for text in texts]):
            self._check_open()
            with span(f"embeddings {self._identity.name}", self._about(batch), Kind.CLIENT):
                rows.append(unit(await self._tried(batch), len(batch), self._identity))
        return np.concatenate(rows)

    async def close(self) -> None:
        """Let go of the connection."""
        if not self._closed:
            self._closed = True
            await self._close()

    async def _tried(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        try:
            async with asyncio.timeout(self._settings.total_seconds) as bound, self._turns:
                for retry in count():
                    try:
                        return await self._fetch(texts)
                    except ModelUnreachable as error:
                        pause_s = pause_before(retry, error)
                        if retry >= self._settings.retries or pause_s > _left(bound):
                            raise
                    await asyncio.sleep(pause_s)
        except ModelError as error:
            raise EmbedderError(error.message, error.hint) from None
        except TimeoutError:
            pass
        raise EmbedderError(
            f"{self._identity.name} did not embed in time.", "Raise model.total_seconds."
        )

    def _about(self, texts: Sequence[str]) -> Facts:
        return {
            "gen_ai.operation.name": "embeddings",
            "gen_ai.request.model": self._identity.name,
            "gen_ai.embeddings.dimension.count": self._identity.width,
            "sextant.model.messages": len(texts),
        }

    def _check_open(self) -> None:
        if self._closed:
            raise EmbedderError("The embedder was closed.", "Open a new one.")


def _left(bound: asyncio.Timeout) -> float:
    return (bound.when() or 0.0) - asyncio.get_running_loop().time()


def readable(text: str) -> str:
    """Return as much of a text as is read, and something where there is nothing."""
    if not text.strip():
        return BLANK
    if len(text) <= LONGEST // 4:
        return text
    return text.encode()[:LONGEST].decode(errors="ignore")


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield texts by the handful, in order."""
    batch, size = list[str](), 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == TEXTS or size + length > BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def unit(
    rows: Sequence[Sequence[float]], wanted: int, identity: EmbedderIdentity
) -> NDArray[np.float32]:
    """Return the rows with length 1, or say what is wrong with them."""
    try:
        vectors = np.array(rows, np.float64)
    except (TypeError, ValueError):
        vectors = np.empty(0)
    if vectors.shape != (wanted, identity.width) or not np.isfinite(vectors).all():
        shape = "x".join(map(str, vectors.shape))
        raise EmbedderError(
            f"{identity.name} gave {shape} numbers for {wanted}x{identity.width}.",
            "Write the width that the model has, as in MODEL#768.",
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not lengths.all():
        raise EmbedderError(f"{identity.name} gave a vector without a direction.", "Try again.")
    return np.asarray(vectors / lengths, np.float32)


def model_and_width(rest: str, scheme: str) -> tuple[str, int]:
    """Read ``MODEL#WIDTH``; a width of 0 was not given."""
    model, sign, width = rest.strip().partition("#")
    if not model:
        raise ConfigError(f"The embedder {scheme}: names no model.", f'Write "{scheme}:MODEL".')
    if not sign:
        return model, 0
    if not re.fullmatch("[0-9]{1,4}", width) or not NARROWEST <= int(width) <= WIDEST:
        raise ConfigError(
            f"The embedder {scheme}: has no width {width[:80]!r}.",
            f"Write a number from {NARROWEST} to {WIDEST} after the model's name.",
        )
    return model, int(width)
