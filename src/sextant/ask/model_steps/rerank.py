"""The passages that a model would answer from, by the labels it was given. Knows no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sextant.ask.grounding.sources import Source, sources_of
from sextant.ask.model_steps.step import Talk
from sextant.ask.model_steps.values import aligned, missing_in
from sextant.ask.rerank import Reranked
from sextant.prompting.fence import fenced_passages
from sextant.retrieval.recorder import Notes
from sextant.text.markdown import inert
from sextant.text.orders import without_orders
from sextant.types import Hit, JsonObject


async def reranked(
    talk: Talk, text: str, hits: Sequence[Hit], offline: Reranked, notes: Notes
) -> Reranked:
    """Return the hits that the model selects, best first, or the offline selection."""
    sources = sources_of(hits[: talk.chat.workflow.limits.retrieved])
    if not sources:
        return offline
    said = f"User question:\n{text}\n\nRetrieved chunks:\n{shown(sources)}"
    reply = await talk.ask(talk.agent("rerank"), said, notes)
    if reply is None:
        return offline
    chosen = _chosen(reply, sources)[: talk.chat.workflow.limits.selected]
    if not chosen:
        talk.left_alone(talk.agent("rerank"), notes, "it selected nothing that was retrieved.")
        return offline
    missing = missing_in(reply, text, talk.chat.workflow.limits.missing)
    return replace(offline, hits=tuple(chosen), missing=missing or offline.missing)


def shown(sources: Sequence[Source]) -> str:
    """Return passages as a model may read them: as data, each with its label, title and address.

    What reads like an order to the model is left out, with a note in its place.
    """
    told = []
    for one in sources:
        document, chunk = one.passage.document, one.passage.chunk
        title, url = without_orders(document.title), without_orders(document.url)
        told.append((one.label, title, url, without_orders(chunk.text)))
    return fenced_passages(told)


def _chosen(reply: JsonObject, sources: Sequence[Source]) -> list[Hit]:
    """Return the hits whose labels were selected; a label that nobody gave selects nothing."""
    known = {one.label.casefold(): one.hit for one in sources}
    chosen: dict[str, Hit] = {}
    for label, why in aligned(reply, "selected_sources", "selected_rationales"):
        hit = known.get(label.strip("[] ").casefold())
        if hit is not None:
            chosen.setdefault(hit.passage.chunk.id, replace(hit, why=inert(why) or hit.why))
    return list(chosen.values())
