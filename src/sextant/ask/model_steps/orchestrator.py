"""What a search asks of a model of its own: other words and another order. Knows no step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sextant.ask.model_steps.rephrase import rephrased
from sextant.ask.model_steps.rerank import Batch, reranked
from sextant.ask.model_steps.step import Talk
from sextant.ask.pick import Picked
from sextant.retrieval.recorder import Notes
from sextant.types import Chosen, Hit, Json, Reordered, Rephrased


@dataclass(frozen=True, slots=True)
class ByModel:
    """Asks the model of one question; how long that may take, its talk knows."""

    talk: Talk

    async def rephrase(self, text: str, known: Sequence[str], seconds: float) -> Rephrased:  # noqa: ARG002
        """Return the model's phrasings and those that are known, or these alone."""
        notes = Notes()
        texts = await rephrased(self.talk, text, tuple(known), notes)
        return Rephrased(texts, _model(notes), notes.fallback)

    async def rerank(self, text: str, hits: Sequence[Hit], seconds: float) -> Reordered:  # noqa: ARG002
        """Return the passages that the model selects, or none."""
        notes = Notes()
        batch = Batch(text, "", tuple(hits))
        found = await reranked(self.talk, text, [[batch]], Picked(()), notes)
        chosen = tuple(Chosen(hit.passage.chunk.id, hit.why) for hit in found.hits)
        return Reordered(chosen, _model(notes), notes.fallback)


def _model(notes: Notes) -> Mapping[str, Json]:
    told = notes.facts.get("model")
    return told if isinstance(told, Mapping) else {}
