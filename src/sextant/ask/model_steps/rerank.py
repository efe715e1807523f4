"""The passages that a model would answer from, by the labels it was given. Knows no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sextant.ask.grounding.sources import Source, sources_of
from sextant.ask.model_steps.step import Talk
from sextant.ask.model_steps.values import aligned, missing_in
from sextant.ask.pick import Picked
from sextant.ask.workflow.nouns import WorkflowLimits
from sextant.prompting.fence import fenced_passages, fenced_text
from sextant.retrieval.recorder import Notes
from sextant.text.markdown import inert
from sextant.text.orders import without_orders
from sextant.types import Hit, JsonObject

_IN_ALL = 120
"""Passages that are shown at most: twenty for each of three queries, in two rounds."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The passages that one query found, best first; again are those that another found before."""

    query: str
    goal: str
    hits: tuple[Hit, ...]
    again: tuple[Hit, ...] = ()


async def reranked(
    talk: Talk, text: str, rounds: Sequence[Sequence[Batch]], offline: Picked, notes: Notes
) -> Picked:
    """Return the hits that the model selects, best first, or the offline selection."""
    batches = _within_limits(rounds, talk.chat.workflow.limits)
    sources = sources_of([hit for one in batches for hit in one.hits])
    if not sources:
        return offline
    notes.facts["seen"] = len(sources)
    said = f"User question:\n{text}\n\nRetrieved chunks:\n{_shown_by_query(batches, sources)}"
    reply = await talk.ask(talk.agent("rerank"), said, notes)
    if reply is None:
        return offline
    chosen = _chosen(reply, sources)[: talk.chat.workflow.limits.selected]
    if not chosen:
        talk.left_alone(talk.agent("rerank"), notes, "it selected nothing that was retrieved.")
        return offline
    missing = missing_in(reply, text, talk.chat.workflow.limits.missing)
    return replace(offline, hits=tuple(chosen), missing=missing or offline.missing)


def _within_limits(rounds: Sequence[Sequence[Batch]], limits: WorkflowLimits) -> list[Batch]:
    """Return what of each round is shown: each passage once, behind the first query for it."""
    seen: set[str] = set()
    kept: list[Batch] = []
    for batches in rounds:
        left = min(limits.retrieved * limits.queries, _IN_ALL - len(seen))
        for batch in batches:
            hits = batch.hits[: limits.retrieved]
            again = tuple(hit for hit in hits if hit.passage.chunk.id in seen)
            new = tuple(hit for hit in hits if hit.passage.chunk.id not in seen)[:left]
            left -= len(new)
            seen.update(hit.passage.chunk.id for hit in new)
            kept += [replace(batch, hits=new, again=again)] if hits else []
    return kept


def _shown_by_query(batches: Sequence[Batch], sources: Sequence[Source]) -> str:
    """Return the passages as data, those of each query behind it."""
    labels = {one.passage.chunk.id: one.label for one in sources}
    blocks, at = [], 0
    for batch in batches:
        told = [f"Query: {batch.query}"]
        told += [f"Goal: {batch.goal}"] if batch.goal else []
        above = "; ".join(labels[hit.passage.chunk.id] for hit in batch.again)
        told += [f"Found by it, too: {above}"] if above else []
        blocks.append(fenced_text("query", "\n".join(told)))
        blocks += [shown(own)] if (own := sources[at : at + len(batch.hits)]) else []
        at += len(batch.hits)
    return "\n".join(blocks)


def shown(sources: Sequence[Source]) -> str:
    """Return passages as a model may read them: as data, each with its label, title and address.

    What reads like an order to the model is left out, with a note in its place.
    """
    told = []
    for one in sources:
        chunk = one.passage.chunk
        title, url = without_orders(one.passage.title), without_orders(one.passage.url)
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
