"""What needs a model and no store: vectors, other words, another order. Knows ports, no adapter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

from sextant.ask import model_steps as modelled
from sextant.ask.pick import pick_passages
from sextant.ask.plan import plan
from sextant.ask.score import Readings, score_passages
from sextant.core.closing import Closing
from sextant.core.verb import verb
from sextant.limits import check_query, check_texts
from sextant.ports import Embedder, Purpose
from sextant.prompting.spending import Spending
from sextant.query import Query
from sextant.settings import Settings
from sextant.spans import Tracer
from sextant.text.words import Words
from sextant.types import (
    Chosen,
    Chunk,
    Document,
    EmbedderIdentity,
    Hit,
    Passage,
    Reordered,
    Rephrased,
    Scores,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sextant.ask.model_steps.chat import Chat


def candidate(chunk: Chunk, document: Document, score: float = 0.0) -> Hit:
    """Return a passage that was found elsewhere as one that can be put in another order."""
    return Hit(Passage(chunk, document, ""), Scores(score, 0.0, 0.0, 0.0, score))


@dataclass(frozen=True, slots=True)
class Orchestration(Closing):
    """An open embedder, and models if any."""

    embedder: Embedder
    chat: Chat | None
    settings: Settings
    tracer: Tracer | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes the vectors."""
        return self.embedder.identity

    @property
    def model(self) -> str:
        """Who replies, or nothing where there is no model."""
        return str(self.chat.model.identity) if self.chat else ""

    @verb()
    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Return one vector of length 1 for each text."""
        return await self.embedder.embed(texts, purpose)

    @verb()
    async def rephrase(
        self, text: str, known: Sequence[str] = (), seconds: float = 0.0
    ) -> Rephrased:
        """Say a question in other words; without a model, those that are known already."""
        check_query(Query(text), self.settings.limits)
        check_texts(known, self.settings.limits)
        talk = self._talk(seconds)
        if talk is None:
            return Rephrased(tuple(known))
        return await modelled.ByModel(talk).rephrase(text, known, seconds)

    @verb()
    async def rerank(self, text: str, hits: Sequence[Hit], seconds: float = 0.0) -> Reordered:
        """Choose the passages that belong in front: the model's choice, else those that cover most.

        Only a model's choice names a model.
        """
        check_query(Query(text), self.settings.limits)
        check_texts([hit.passage.chunk.text for hit in hits], self.settings.limits)
        talk, fallback = self._talk(seconds), ""
        if talk:
            asked = await modelled.ByModel(talk).rerank(text, hits, seconds)
            if asked.chosen:
                return asked
            fallback = asked.fallback
        texts = [query.text for query in plan(text).queries]
        readings, today = Readings(Words(self.settings.keyword.language)), datetime.now(UTC).date()
        scored = [score_passages(one, hits, {}, readings, today) for one in texts]
        kept = pick_passages(texts, scored, readings).hits
        return Reordered(
            tuple(Chosen(hit.passage.chunk.id, hit.why) for hit in kept), fallback=fallback
        )

    async def close(self) -> None:
        """Close the embedder, then the models; the tracer is told of it."""
        await self.embedder.close()
        if self.chat:
            await self.chat.close()
        if self.tracer:
            await self.tracer.close()

    def _talk(self, seconds: float) -> modelled.Talk | None:
        """Return what may be asked of the model, if there is one; 0 seconds are the workflow's."""
        if self.chat is None:
            return None
        rules, allowed = self.settings.model, seconds or self.chat.workflow.limits.seconds
        until = monotonic() + allowed
        spending = Spending(rules.tokens)
        return modelled.Talk(self.chat, rules, spending, lambda: max(0.0, until - monotonic()))
