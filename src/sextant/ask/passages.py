"""One query's way through link, edges, expand, retrieve and rank. Knows no answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sextant.ask.edges import EdgeFindings, answer_from_edges
from sextant.ask.intent import parse_intents
from sextant.ask.outside import hits_of
from sextant.ask.plan import PartQuery
from sextant.ask.run import Run
from sextant.ask.workflow.nouns import OWN_RETRIEVER, RETRIEVER
from sextant.errors import EmbedderError
from sextant.limits import check_vector
from sextant.query import Filter, passes
from sextant.retrieval.beside import beside
from sextant.retrieval.expand import Expansion, expand
from sextant.retrieval.feedback.use import with_uses
from sextant.retrieval.link import link
from sextant.retrieval.rank import rank
from sextant.retrieval.recorder import Notes
from sextant.retrieval.retrieve import Retrieved, Searched, Sought, retrieve, search_all
from sextant.text.odata.filters import render
from sextant.types import Hit, Json, Linked, RetrievalRequest, Trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

BEHIND = "behind"
"""The fact that tells of passages which were found by an index that lags behind the truth."""

EMPTY = "empty"
"""The fact that tells of knowledge that has nothing in it for whoever asks."""

NOTHING_HELD = "The tenant holds nothing yet, or nothing that the asker may see."

_DEPTH = 40
_BEST = 10
_SURE = 0.7
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What one query found on its way; one besides the question only brings passages.

    ``embedded_as`` is the text whose vector is that of the query; empty where it has none.
    """

    part: PartQuery
    linked: tuple[Linked, ...]
    expansion: Expansion
    retrieved: Retrieved
    hits: tuple[Hit, ...]
    edges: EdgeFindings = field(default_factory=EdgeFindings)
    is_besides: bool = False
    embedded_as: str = ""


async def find(
    run: Run, part: PartQuery, given: Vector | None = None, *, is_asked: bool = True
) -> QueryResult:
    """Find and rank passages for one query, by the vector that is given for it, if one is.

    The graph answers only what is asked: neither a whole question that has parts, nor a query that
    is to find more passages.
    """
    outside = await _outside(run, part)
    if outside:
        return outside
    vector = await _meaning(run, part) if given is None else _given(run, given)
    return await _found(run, part, None, vector, is_asked=is_asked)


async def _found(
    run: Run,
    part: PartQuery,
    linked: tuple[Linked, ...] | None,
    vector: Vector | None,
    *,
    is_asked: bool = True,
) -> QueryResult:
    """Link and expand while all passages are searched, then retrieve and rank."""
    sought = _sought(run, part, vector)
    async with beside(search_all(run.means, run.scope, sought)) as searched:
        linked = linked or await _link(run, part, vector)
        expansion, edges = await _expand(run, part, linked, is_asked=is_asked)
        sought = replace(
            sought, linked=linked, evidence=expansion.evidence, around=expansion.entity_ids
        )
        retrieved = await _retrieve(run, part, sought, searched)
    with run.recorder.step("rank") as notes:
        hits = await _rank(run, retrieved)
        notes.facts |= _ranked(run, hits, retrieved)
    named = _embedded_as(part, vector)
    return QueryResult(part, linked, expansion, retrieved, hits, edges, embedded_as=named)


async def find_part(
    run: Run, part: PartQuery, whole: QueryResult, *, is_asked: bool = True
) -> QueryResult:
    """Find passages for a part of a question, unless the whole found all that it names."""
    outside = await _outside(run, part)
    if outside:
        return outside
    linked = await _link(run, part, None)
    vector = await _meaning(run, part)
    if not _is_covered(linked, whole.hits):
        return await _found(run, part, linked, vector, is_asked=is_asked)
    expansion, edges = await _expand(run, part, linked, is_asked=is_asked)
    embedded_as = _embedded_as(part, vector)
    return QueryResult(
        part, linked, expansion, whole.retrieved, whole.hits, edges, embedded_as=embedded_as
    )


async def find_named(
    run: Run, part: PartQuery, searched: QueryResult, given: Vector | None = None
) -> QueryResult:
    """Find what a query names and what that is related to; its passages are found by others."""
    if run.talk and run.talk.chat.retriever:
        return QueryResult(part, (), Expansion(), searched.retrieved, ())
    vector = await _meaning(run, part) if given is None else _given(run, given)
    linked = await _link(run, part, vector)
    expansion, edges = await _expand(run, part, linked)
    embedded_as = _embedded_as(part, vector)
    return QueryResult(
        part, linked, expansion, searched.retrieved, (), edges, embedded_as=embedded_as
    )


async def _outside(run: Run, part: PartQuery) -> QueryResult | None:
    """Return what an outside retriever finds; nothing if none is set or the own store answers."""
    if run.talk is None or run.talk.chat.retriever is None:
        return None
    most = run.talk.chat.workflow.limits.retrieved
    with run.recorder.step("retrieve") as notes:
        wanted = RetrievalRequest(run.question.text, part.text, part.goal, _written_filter(part))
        retrieval = await run.talk.retrieved(run.talk.chat.retriever, wanted, notes)
        if retrieval is None and run.talk.agent(RETRIEVER).fallback == OWN_RETRIEVER:
            return None
        hits = hits_of([retrieval], run.choice.weights)[:most] if retrieval else ()
        used = retrieval.query_used if retrieval else part.text
        notes.facts |= {"query": used, "candidates": len(hits)}
        left_out = retrieval.left_out + max(0, len(retrieval.texts) - most) if retrieval else 0
        if left_out:
            notes.facts["note"] = f"{left_out} passages beyond the first {most} were left out."
    return QueryResult(part, (), Expansion(), Retrieved((), 0), hits)


def _written_filter(part: PartQuery) -> str:
    """Return the caller's filter and the planner's, which is passed on as it was written."""
    own = render(part.filter) if part.filter else ""
    if not own or not part.outside_filter:
        return own or part.outside_filter
    return f"({own}) and ({part.outside_filter})"


def _is_covered(linked: Sequence[Linked], hits: Sequence[Hit]) -> bool:
    """Whether the best hits mention everything that is named for sure, and something is."""
    named = {one.entity_id for one in linked if one.score >= _SURE}
    seen = {name for hit in hits[:_BEST] for name in hit.passage.chunk.entity_ids}
    return bool(named) and named <= seen


async def _link(run: Run, part: PartQuery, vector: Vector | None) -> tuple[Linked, ...]:
    with run.recorder.step("link") as notes:
        linked = await link(run.means.store, run.scope, part.text, vector)
        notes.facts |= {"query": part.text, "entities": [_entity(one) for one in linked]}
    return linked


async def _expand(
    run: Run, part: PartQuery, linked: Sequence[Linked], *, is_asked: bool = True
) -> tuple[Expansion, EdgeFindings]:
    """Follow the graph from what is named, and read off it what is asked of it."""
    store, scope = run.means.store, run.scope
    with run.recorder.step("expand") as notes:
        cues = [cue for one in parse_intents(part.text, linked) for cue in one.cues]
        expansion = await expand(store, scope, linked, cues)
        expansion = narrowed(expansion, part.filter)
        edges = EdgeFindings()
        if is_asked:
            asked = part.text, linked, part.filter, run.phrases
            edges = await answer_from_edges(store, scope, *asked)
        notes.facts |= {"entity_ids": list(expansion.entity_ids), **expansion.facts}
        if edges.answers:
            notes.facts["answers"] = [one.text for one in edges.answers]
    return expansion, edges


async def _retrieve(run: Run, part: PartQuery, sought: Sought, searched: Searched) -> Retrieved:
    with run.recorder.step("retrieve") as notes:
        sought = replace(sought, walk=run.recorder.affords("walk"))
        retrieved = await retrieve(run.means, run.scope, sought, run.late, searched)
        notes.facts |= {"filter": retrieved.filter, "candidates": len(retrieved.candidates)}
        notes.facts |= dict(retrieved.facts)
        notes.fallback = retrieved.fallback
        if part.filter and sought.vector is not None and not retrieved.candidates:
            notes.fallback = "The filter lets nothing through."
        if retrieved.is_empty:
            notes.facts[EMPTY] = True
            notes.fallback = NOTHING_HELD
        if retrieved.is_behind:
            notes.facts[BEHIND] = True
            notes.fallback = "The index is behind: the latest changes may be missing."
        _note_unembedded(run, retrieved, notes)
    return retrieved


def _sought(run: Run, part: PartQuery, vector: Vector | None) -> Sought:
    """Return what is sought before it is known who is linked, and what the graph says of them."""
    return Sought(
        part.text,
        part.filter,
        vector=vector,
        k=_ranked_of(run),
        at_least=run.question.at_least,
        depth=run.question.candidates,
    )


def _note_unembedded(run: Run, retrieved: Retrieved, notes: Notes) -> None:
    """Tell the trace and whoever embeds them which passages had no vectors yet."""
    passages = [one.passage for one in retrieved.candidates]
    run.late.note(notes, passages)
    wanted = dict.fromkeys(one.document.id for one in passages if run.late.is_met(one))
    if wanted:
        run.means.note_unembedded(run.scope, reversed(wanted))


def _given(run: Run, vector: Vector) -> Vector:
    with run.recorder.step("embed") as notes:
        notes.facts["given"] = True
        return check_vector(vector, len(vector))


async def _meaning(run: Run, part: PartQuery) -> Vector | None:
    """Embed a query, if there is time for it."""
    if not run.recorder.affords("meaning"):
        return None
    vector: Vector | None = None
    with run.recorder.step("embed") as notes:
        try:
            async with asyncio.timeout(run.embedder_seconds):
                vector = (await run.means.embedder.embed([part.text], "query"))[0]
        except TimeoutError:
            notes.fallback = "By words alone: the embedder took too long."
        except EmbedderError as error:
            notes.fallback = f"By words alone: {error.message}"
    return vector


def _embedded_as(part: PartQuery, vector: Vector | None) -> str:
    return "" if vector is None else part.text


def _ranked_of(run: Run) -> int:
    """Return how many passages are ranked: of more candidates more, but never more than those."""
    candidates, usual = run.question.candidates, run.means.tuning.depth
    if not candidates:
        return max(_DEPTH, run.question.k)
    return min(candidates, max(_DEPTH * candidates // usual, run.question.k))


async def _rank(run: Run, retrieved: Retrieved) -> tuple[Hit, ...]:
    standing, choice = run.standing, run.choice
    if run.means.settings.ask.count_use:
        documents = [one.passage.document.id for one in retrieved.candidates]
        standing = await with_uses(run.means.store.records, run.scope, standing, documents)
    ranking = choice.weights, run.now, standing, choice.half_life_days
    return rank(retrieved.candidates, *ranking, run.question.text)


def is_empty(trace: Trace) -> bool:
    """Whether a trace tells that there was nothing to find anything in."""
    return any(step.facts.get(EMPTY) is True for step in trace.steps)


def narrowed(expansion: Expansion, tree: Filter | None) -> Expansion:
    """Return what is left of an expansion when only evidence that a filter lets through counts."""
    if tree is None:
        return expansion
    passages = {
        name: one
        for name, one in expansion.passages.items()
        if passes(tree, one.document, one.chunk)
    }
    paths = tuple(
        path
        for path in expansion.paths
        if all(passages.keys() & set(relation.evidence) for relation in path.relations)
    )
    return replace(expansion, paths=paths, evidence=tuple(passages), passages=passages)


def merge_hits(found: Sequence[QueryResult]) -> tuple[Hit, ...]:
    """Return the hits of all queries, each passage once where it stands best."""
    best: dict[str, Hit] = {}
    for one in found:
        for hit in one.hits:
            known = best.get(hit.passage.chunk.id)
            if known is None or hit.scores.total > known.scores.total:
                best[hit.passage.chunk.id] = hit
    return tuple(sorted(best.values(), key=lambda hit: (-hit.scores.total, hit.passage.chunk.id)))


def _entity(one: Linked) -> dict[str, Json]:
    return {
        "id": one.entity_id,
        "name": one.name,
        "matched": one.matched,
        "score": round(one.score, 4),
        "how": one.how,
    }


def _ranked(run: Run, hits: Sequence[Hit], retrieved: Retrieved) -> dict[str, Json]:
    weights = run.choice.weights
    found_by = {one.passage.chunk.id: list(one.found_by) for one in retrieved.candidates}
    return {
        "weights": [weights.relevancy, weights.recency, weights.richness, weights.reputation],
        "origin": run.choice.origin,
        "feedback": run.standing.number,
        "hits": [_hit(hit, found_by[hit.passage.chunk.id]) for hit in hits[:_SHOWN]],
    }


def _hit(hit: Hit, found_by: Sequence[str]) -> dict[str, Json]:
    scores = hit.scores
    four = (scores.relevancy, scores.recency, scores.richness, scores.reputation)
    return {
        "chunk": hit.passage.chunk.id,
        "document": hit.passage.document.id,
        "total": round(scores.total, 4),
        "scores": [round(one, 4) for one in four],
        "found_by": found_by,
    }
