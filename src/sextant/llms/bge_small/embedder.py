"""bge-small as an embedder: ``bge:`` reads passages with all of it, ``bge-fast:`` with a reader.

Knows which net reads what, no store. One text is one call on one thread: a vector depends on its
text and on nothing else. How alike two texts are is told by MiniLM, since what was measured with it
holds of its cosines alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from sextant.errors import ConfigError
from sextant.limits import check_spans, check_texts
from sextant.llms.bge_small.passages import FastPassages, WholePassages
from sextant.llms.bge_small.questions import Questions
from sextant.llms.local_nets.last_questions import LastQuestions
from sextant.llms.local_nets.workers import Lazily, Workers
from sextant.llms.minilm import embedder as minilm
from sextant.llms.minilm.answers import UNKNOWN, log_odds
from sextant.types import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from sextant.llms.bge_small.passages import Passages
    from sextant.ports import Embedder, Purpose
    from sextant.settings import Settings

    Floats = NDArray[np.float32]
    Spans = Sequence[tuple[int, int]]

Read = TypeVar("Read", bound="Passages")

_WIDTH = 384
WHOLE = EmbedderIdentity("bge:bge-small-en-v1.5-int8", _WIDTH)
FAST = EmbedderIdentity("bge-fast:bge-small-en-v1.5-reader-2", _WIDTH)


def open_whole(rest: str, settings: Settings) -> Embedder:
    """Open all of bge-small; ``bge:`` takes nothing after the colon."""
    _check_rest("bge:", rest)
    return BgeSmall(settings, WHOLE, WholePassages)


def open_fast(rest: str, settings: Settings) -> Embedder:
    """Open bge-small and its reader; ``bge-fast:`` takes nothing after the colon."""
    _check_rest("bge-fast:", rest)
    return BgeFast(settings)


def _check_rest(name: str, rest: str) -> None:
    if rest:
        raise ConfigError(f"The embedder {name} has no model {rest[:80]!r}.", f'Write "{name}".')


_FACTOR, _SHIFT = np.float32(1.14), np.float32(-0.09)
"""What the reader says of pieces lies a little nearer to the middle than what MiniLM says; so read,
the best odds of questions have MiniLM's mean and spread (bench/fit_reader_odds.py, 200 questions
about the documentation of four packages)."""


class BgeSmall(Generic[Read]):
    """Nets, each loaded when it is first needed, and the threads that run them."""

    def __init__(
        self, settings: Settings, identity: EmbedderIdentity, passages: Callable[[], Read]
    ) -> None:
        self._limits, self._identity = settings.limits, identity
        self._workers = Workers("bge", settings.bge.threads)
        self._questions, self._passages = Lazily(Questions), Lazily(passages)
        self._minilm = Lazily(lambda: minilm.open_model(minilm.installed()))

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors."""
        return self._identity

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> Floats:
        """Return one row for each text: of a question 512 tokens count, of a passage 256 or 512."""
        nets: Lazily[Questions] | Lazily[Read]
        nets = self._questions if purpose == "query" else self._passages
        return await self._vectors(texts, lambda text: nets.get().vector(text))

    async def embed_alike(self, texts: Sequence[str]) -> Floats:
        """Return one row for each text, of which the first 256 tokens count, as MiniLM has it."""
        return await self._vectors(texts, lambda text: self._minilm.get().vector(text))

    async def close(self) -> None:
        """Let go of the nets, once the texts in work are done."""
        await self._workers.close()
        for one in (self._questions, self._passages, self._minilm):
            one.let_go()

    async def _vectors(self, texts: Sequence[str], vector: Callable[[str], Floats]) -> Floats:
        self._workers.check_open()
        check_texts(texts, self._limits)
        return await self._workers.vectors(texts, _WIDTH, vector)


class BgeFast(BgeSmall[FastPassages]):
    """One that also reads the pieces of passages, so that MiniLM's net can tell their odds."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, FAST, FastPassages)
        self._last_questions = LastQuestions()

    async def embed_pieces(
        self, texts: Sequence[str], spans: Sequence[Spans]
    ) -> tuple[Floats, Sequence[NDArray[np.int8]]]:
        """Return one row for each text, and one in bytes for each span, as it stands in its text.

        Spans behind the first 256 tokens are read in further passes, under the same beginning; of
        one that begins behind the first 1,024 nothing is known.
        """
        self._workers.check_open()
        check_texts(texts, self._limits)
        check_spans(texts, spans)
        return await self._workers.vectors_and_codes(
            texts,
            spans,
            _WIDTH,
            lambda text, own: self._passages.get().vector_and_codes(text, own),
        )

    async def log_odds(self, question: str, codes: NDArray[np.int8]) -> Floats:
        """Return for each piece how likely it is what a question asks for.

        MiniLM reads the question, unless it was among the last.
        """
        self._workers.check_open()
        check_texts([question], self._limits)
        vector = self._last_questions.vector(question)
        if vector is None:
            vectors = await self.embed_alike([question])
            self._last_questions.remember([question], vectors)
            (vector,) = vectors
        odds: Floats = np.maximum(_FACTOR * log_odds(vector, codes) + _SHIFT, np.float32(UNKNOWN))
        return odds
