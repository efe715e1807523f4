"""Whoever works with texts: embedders, language models, retrievers and extractors."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sextant.types import (
        Delta,
        EmbedderIdentity,
        Hit,
        ModelIdentity,
        Prompt,
        Reordered,
        Rephrased,
        Retrieval,
        RetrievalRequest,
    )

Purpose = Literal["document", "query"]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of length 1; a text's vector never depends on its batch-mates."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors."""

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Return one row for each text."""

    async def close(self) -> None:
        """Let go of the model; whoever asks a closed embedder gets an EmbedderError."""


@runtime_checkable
class LikeningEmbedder(Embedder, Protocol):
    """One whose vectors for searching do not tell how alike any two texts are; others do."""

    async def embed_alike(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each text, to be compared with each other, of the same width."""


@runtime_checkable
class PieceEmbedder(Embedder, Protocol):
    """An embedder that also says what parts of a text are about, in the same pass.

    Who reads a sentence where it stands knows more of it than who reads it alone.
    """

    async def embed_pieces(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]:
        """Return the rows that embed gives for documents, and of each text one row for each span.

        What a span is about is in bytes, without a length; zeros where nothing of it was read.
        """


@runtime_checkable
class DiscerningEmbedder(PieceEmbedder, Protocol):
    """One that can also tell which piece of a text a question asks for, not only what is near."""

    async def log_odds(self, question: str, codes: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return for each piece the natural log odds that this question asks for it.

        They are fitted to questions: 0 is as likely as not. No piece has less than one of zeros.
        What is read of a question may be kept, so that one just embedded need not be read again.
        """


@runtime_checkable
class ChatModel(Protocol):
    """A language model. Whoever calls it bounds the time; an adapter only translates."""

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces, the last of which is Ended, or raise a ModelError.

        Closing the generator, or cancelling whoever waits for it, ends the call at the socket.
        """

    async def close(self) -> None:
        """Let go of the connection; whoever asks a closed model gets a ModelError."""


@runtime_checkable
class Retriever(Protocol):
    """A knowledge store of somebody else. Whoever calls it bounds the time."""

    async def retrieve(self, ask: RetrievalRequest) -> Retrieval:
        """Return at most twenty texts for a query, each with its source, or raise a ReadError."""

    async def close(self) -> None:
        """Let go of the connection; whoever asks a closed retriever gets a ReadError."""


@runtime_checkable
class Orchestrator(Protocol):
    """Does with a language model what a search may ask of one, or says why without.

    It raises nothing of a model: what goes wrong is told as the fallback.
    """

    async def rephrase(self, text: str, known: Sequence[str], seconds: float) -> Rephrased:
        """Say a question in other words; those that are known already are the least."""

    async def rerank(self, text: str, hits: Sequence[Hit], seconds: float) -> Reordered:
        """Choose the passages that belong in front."""


@runtime_checkable
class Extractor(Protocol):
    """Finds names in texts, beside those that patterns find. Blocks; any thread may ask."""

    @property
    def identity(self) -> str:
        """Who finds these names; documents are read anew when it changes."""

    def names(self, texts: Sequence[str]) -> Sequence[Sequence[str]]:
        """Return the names in each text, as they are written there."""
