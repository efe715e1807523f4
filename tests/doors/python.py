"""The core itself as a door: class Sextant, by which all others are measured."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from sextant.ask.question import Question
from sextant.ask.record.fields import digest_of
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import SextantError
from sextant.query import Filter
from sextant.settings import Settings
from sextant.text.odata.filters import parse
from sextant.types import (
    Answer,
    Citation,
    Direction,
    Hit,
    Relation,
    Scope,
    Trace,
    Walk,
)
from tests.doors import shapes
from tests.doors.calls import DAY, Ask, Call, Expand, LookUp, Search
from tests.doors.door import NOBODY, OTHERS, Door


@asynccontextmanager
async def python(settings: Settings, user: str) -> AsyncIterator[Python]:
    """Open the core in this process."""
    async with await open_sextant(settings) as sextant:
        yield Python(sextant, user)


class Python(Door):
    """A door that calls the verbs."""

    def __init__(self, sextant: Sextant, user: str) -> None:
        self._sextant, self._user = sextant, user

    async def reply(self, call: Call) -> shapes.Reply:
        """Return what comes of a call; what the core raises is what it refuses."""
        try:
            return await super().reply(call)
        except SextantError as error:
            return shapes.Refused(f"{error.message} {error.hint}")

    async def ask(self, call: Ask) -> shapes.Answered:
        scope = Scope(personas=frozenset(call.personas), user=self._user)
        conversation = call.query if call.before else ""
        for earlier in call.before:
            before = Question(earlier, now=DAY, conversation=conversation)
            await self._sextant.ask(scope, before)
        question = Question(
            call.query,
            filter=_tree(call.filter),
            weights=call.weights,
            profile=call.profile,
            k=call.top_k,
            now=DAY,
            rephrase=call.rephrase,
            conversation=conversation,
            locale=call.locale,
        )
        return _answered(await self._sextant.ask(scope, question))

    async def search(self, call: Search) -> shapes.Found:
        question = Question(
            call.query,
            filter=_tree(call.filter),
            weights=call.weights,
            profile=call.profile,
            k=call.top_k,
            rephrase=call.rephrase,
            candidates=call.candidates,
        )
        ranked = await self._sextant.search(Scope(personas=frozenset(call.personas)), question)
        return shapes.Found(tuple(map(_ranked, ranked.hits)), _trail(ranked.trace))

    async def look_up(self, call: LookUp) -> shapes.Known | shapes.Refused:
        scope = Scope(personas=frozenset(call.personas))
        matches = await self._sextant.find(scope, call.name, 1 + OTHERS)
        if not matches:
            return NOBODY
        entity = matches[0].entity
        around = await self._sextant.expand(scope, [entity.id], Walk(limit=call.limit))
        edges = [link.relation for link in around.links]
        return shapes.Known(
            entity.id,
            entity.name,
            entity.type,
            tuple(sorted(entity.aliases)),
            await self._related(scope, edges, [1] * len(edges)),
            tuple((one.entity.id, one.matched, one.score) for one in matches[1:]),
        )

    async def expand(self, call: Expand) -> shapes.Around:
        walk = Walk(frozenset(call.kinds), Direction(call.direction), call.hops, limit=call.limit)
        around = await self._sextant.expand(Scope(), call.entity_ids, walk)
        edges = [link.relation for link in around.links]
        ends = [end for edge in edges for end in (edge.source, edge.target)]
        names = tuple(dict.fromkeys([*call.entity_ids, *ends]))
        there = await self._sextant.entities(Scope(), names)
        return shapes.Around(
            tuple(name for name in names if name in there),
            await self._related(Scope(), edges, [link.hop for link in around.links]),
            around.capped,
            around.truncated,
        )

    async def _related(
        self, scope: Scope, edges: list[Relation], hops: list[int]
    ) -> tuple[shapes.Related, ...]:
        said = await self._sextant.sentences(scope, edges)
        return tuple(
            shapes.Related(
                edge.source,
                edge.target,
                edge.kind,
                edge.confidence,
                edge.weight,
                edge.support,
                edge.evidence,
                sentence,
                hop,
            )
            for edge, sentence, hop in zip(edges, said, hops, strict=True)
        )


def _tree(text: str) -> Filter | None:
    return parse(text) if text else None


def _answered(answer: Answer) -> shapes.Answered:
    named = dict.fromkeys(one["id"] for one in _facts(answer.trace, "link", "entities"))
    reached = dict.fromkeys(_facts(answer.trace, "expand", "entity_ids"))
    filters = (one.facts.get("filter") for one in answer.trace.steps if one.name == "retrieve")
    return shapes.Answered(
        answer.question,
        answer.text,
        tuple(map(_cited, answer.citations)),
        answer.verdict.sufficient,
        answer.verdict.confidence,
        answer.verdict.missing,
        tuple(named),
        tuple(name for name in reached if name not in named),
        next((str(one) for one in filters if one), ""),
        answer.trace.locale,
        _trail(answer.trace),
        digest_of(answer),
    )


def _facts(trace: Trace, step: str, fact: str) -> Iterator[Any]:
    """Yield what a step, or several of its name, lists under a fact."""
    for one in trace.steps:
        if one.name == step:
            yield from one.facts.get(fact) or ()  # type: ignore[misc]


def _cited(one: Citation) -> shapes.Cited:
    return shapes.Cited(
        one.chunk_id,
        one.document_id,
        one.label,
        one.title,
        one.url,
        one.quote,
        one.start,
        one.end,
        one.version,
    )


def _ranked(hit: Hit) -> shapes.Ranked:
    document, scores = hit.passage.document, hit.scores
    return shapes.Ranked(
        hit.passage.chunk.id,
        document.id,
        scores.total,
        (scores.relevancy, scores.recency, scores.richness, scores.reputation),
        document.title,
        document.url,
        document.source_type,
        hit.passage.chunk.text,
    )


def _trail(trace: Trace) -> shapes.Trail:
    steps = ((one.name, one.fallback, shapes.as_json(one.facts)) for one in trace.steps)
    return shapes.trail(trace.now, trace.commit, steps)
