"""Vectors by a Gemini embedding model. Knows how the API is told what a vector is for, no store."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import numpy as np
from google.genai import types

from sextant.errors import ConfigError, EmbedderError, ModelError, ModelUnreachable
from sextant.limits import check_texts
from sextant.llms.gemini.client import Connection, translated
from sextant.llms.wire import as_utf8
from sextant.prompting.calls.backoff import pause_before
from sextant.types import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sextant.ports import Embedder, Purpose
    from sextant.settings import Settings

WIDTH = 768
"""A quarter of the longest vector that the model gives."""

_NARROWEST, _WIDEST = 8, 3_072
_BATCH = 100
_CHARACTERS = 40_000
"""More than the models read of a text, which is 2048 tokens, or 8192."""

_BLANK = "."
"""What stands for a text with nothing in it, which the API refuses."""

_TASKS = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}
_PREFIXES = {"document": "title: none | text: ", "query": "task: search result | query: "}


def open_embedder(rest: str, settings: Settings) -> Embedder:
    """Open the model, and the width, that ``gemini:MODEL#WIDTH`` names."""
    model, _, width = rest.strip().partition("#")
    if not model:
        raise ConfigError(
            "The embedder gemini: names no model.", 'Write "gemini:gemini-embedding-001".'
        )
    return GeminiEmbedder(model, _width(width) if width else WIDTH, settings)


class GeminiEmbedder:
    """A model and the connections to it."""

    def __init__(self, model: str, width: int, settings: Settings) -> None:
        self._model, self._settings = model, settings
        self._identity = EmbedderIdentity(f"gemini:{model}#{width}", width)
        # The second generation is told in words, in the text, what a vector is for.
        self._reads_tasks = "embedding-2" not in model
        self._connection = Connection(settings.model)
        self._turns = asyncio.Semaphore(settings.model.batch_concurrency)

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors."""
        return self._identity

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Return one row for each text."""
        if self._connection.is_closed:
            raise EmbedderError("The embedder was closed.", "Open a new one.")
        check_texts(texts, self._settings.limits)
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        rows = [await self._tried(batch, purpose) for batch in batches]
        return np.concatenate([np.empty((0, self._identity.width), np.float32), *rows])

    async def close(self) -> None:
        """Let go of the connections."""
        await self._connection.close()

    async def _tried(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        try:
            async with self._turns, asyncio.timeout(self._settings.model.total_seconds):
                return await self._again(texts, purpose)
        except TimeoutError:
            raise EmbedderError("Gemini did not embed in time.", "Try again.") from None
        except ModelError as error:
            raise EmbedderError(error.message, error.hint) from None

    async def _again(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        for retry in range(self._settings.model.retries):
            try:
                return await self._asked(texts, purpose)
            except ModelUnreachable as error:
                if error.retry_after > self._settings.model.total_seconds:
                    raise
                await asyncio.sleep(pause_before(retry, error))
        return await self._asked(texts, purpose)

    async def _asked(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        with translated():
            response = await self._connection.models.embed_content(
                model=self._model,
                contents=[self._content(text, purpose) for text in texts],
                config=types.EmbedContentConfig(
                    task_type=_TASKS[purpose] if self._reads_tasks else None,
                    output_dimensionality=self._identity.width,
                ),
            )
            rows = [one.values for one in response.embeddings or ()]
        return self._unit(rows, len(texts))

    def _content(self, text: str, purpose: Purpose) -> types.Content:
        text = as_utf8(text[:_CHARACTERS]) if text.strip() else _BLANK
        text = text if self._reads_tasks else _PREFIXES[purpose] + text
        # One content for each text: from several texts in one the API makes one vector.
        return types.Content(role="user", parts=[types.Part(text=text)])

    def _unit(self, rows: list[list[float]], wanted: int) -> NDArray[np.float32]:
        """Return the rows with length 1: the API shortens vectors without regard to that."""
        vectors = np.array(rows, np.float64)
        if vectors.shape != (wanted, self._identity.width) or not np.isfinite(vectors).all():
            raise EmbedderError(
                f"{self._model} does not give vectors of width {self._identity.width}.",
                "Choose a width that the model knows, as in gemini:gemini-embedding-001#768.",
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not lengths.all():
            raise EmbedderError(f"{self._model} gave a vector without a direction.", "Try again.")
        return np.asarray(vectors / lengths, np.float32)


def _width(text: str) -> int:
    if not re.fullmatch("[0-9]{1,4}", text) or not _NARROWEST <= int(text) <= _WIDEST:
        raise ConfigError(
            f"The embedder gemini: has no width {text[:80]!r}.",
            f"Write {_NARROWEST} to {_WIDEST}, as in gemini:gemini-embedding-001#768.",
        )
    return int(text)
