"""The class Toolbox: what can be done with tools, a delegating line or two each.

Knows ports, no adapter and no door.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from time import perf_counter

from sextant.core.verb import verb
from sextant.errors import NotFound
from sextant.limits import check_tool_page, check_tool_request, check_tool_uses
from sextant.ports import Embedder, ToolGraph
from sextant.settings import Settings
from sextant.spans import Tracer
from sextant.text.words import Words
from sextant.toolbox.catalogue.flow import import_tools
from sextant.toolbox.catalogue.nouns import ToolSource
from sextant.toolbox.catalogue.report import Emit, ImportReport, ignore_steps
from sextant.toolbox.embedding import embed_request, embed_tools
from sextant.toolbox.flow import select
from sextant.toolbox.index import ToolIndex
from sextant.toolbox.indexes import ToolIndexes
from sextant.toolbox.learn.analysis import find_communities, rank_pages, shortest_path, weave
from sextant.toolbox.learn.habits import WeighedHabits
from sextant.toolbox.learn.predict import predict_next
from sextant.toolbox.learn.recording import RecordedUses, keep_known_tools
from sextant.toolbox.suggest import SuggestedTool, suggest_tools
from sextant.types import (
    AlternativeTool,
    Answer,
    LinkOrigin,
    PredictedTool,
    RelatedQuery,
    RelatedTools,
    Scope,
    Selection,
    Tool,
    ToolChange,
    ToolLink,
    ToolRelation,
    ToolRequest,
    ToolStats,
    ToolUse,
)

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of tenants: which are needed, how they belong together, how they are used."""

    graph: ToolGraph
    embedder: Embedder
    settings: Settings
    tracer: Tracer | None = None
    _indexes: ToolIndexes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words = Words(self.settings.keyword.language)
        indexes = ToolIndexes(self.graph, self.embedder, self.settings.toolbox, words)
        object.__setattr__(self, "_indexes", indexes)

    @verb()
    async def select(self, scope: Scope, request: str | ToolRequest) -> Selection:
        """Return the few tools that a request needs together, in order, within its budget."""
        own = ToolRequest(request) if isinstance(request, str) else request
        check_tool_request(own, self.settings.limits)
        index = await self._indexes.current(scope)
        return select(index, own, await embed_request(self.embedder, own.text))

    @verb()
    async def enhance(self, scope: Scope, query: RelatedQuery) -> RelatedTools:
        """Return tools that belong to some tools, the required first, and log what was found."""
        start = perf_counter()
        found = await self.graph.related(scope, query)
        _log_enhancement(query, found, perf_counter() - start)
        return found

    @verb()
    async def update_usage(self, scope: Scope, tool_id: str, increment: int = 1) -> int:
        """Add to the usage of a tool, and return it."""
        await self._known(scope, tool_id)
        return (await self.graph.add_usage(scope, {tool_id: increment}))[tool_id]

    @verb()
    async def graph_stats(self, scope: Scope) -> ToolStats:
        """Count the tools, how they are related, and which are used most."""
        return await self.graph.tool_stats(scope)

    @verb()
    async def find_alternatives(
        self,
        scope: Scope,
        tool_id: str,
        allowed_categories: frozenset[str] | None = None,
        limit: int = 10,
    ) -> Sequence[AlternativeTool]:
        """Return what can stand in for a tool, the surest first."""
        await self._known(scope, tool_id)
        return await self.graph.alternatives(scope, tool_id, allowed_categories, limit)

    @verb()
    async def record_uses(self, scope: Scope, uses: Sequence[ToolUse]) -> int:
        """Record sessions of tool calls, undated ones as of now; return how many are new."""
        check_tool_uses(uses, self.settings.limits)
        now = datetime.now(UTC)
        return await self.graph.record_uses(scope, [_dated(use, now) for use in uses])

    @verb()
    async def record_known_uses(self, scope: Scope, uses: Sequence[ToolUse]) -> RecordedUses:
        """Record sessions as others tell them, and say which of their tools do not exist."""
        check_tool_uses(uses, self.settings.limits)
        kept, unknown = await keep_known_tools(self.graph, scope, uses)
        new = await self.record_uses(scope, kept) if kept else 0
        return RecordedUses(new, len(kept) - new, len(uses) - len(kept), unknown)

    @verb()
    async def forget_uses(self, scope: Scope, ids: Sequence[str]) -> int:
        """Take sessions back with all that was learnt of them; return how many there were."""
        return await self.graph.forget_uses(scope, ids)

    @verb()
    async def learn(self, scope: Scope) -> int:
        """Embed all past requests now that wait for it; selections do so a few at a time."""
        return await self._indexes.learn(scope)

    @verb()
    async def next_tools(
        self, scope: Scope, called: Sequence[str], limit: int = 5
    ) -> Sequence[PredictedTool]:
        """Return which tools are likely to be called after some, the likeliest first."""
        await self._known(scope, *called)
        index, habits = await self._indexes.current(scope), await self._indexes.habits(scope)
        return predict_next(index, habits, called, limit)

    @verb()
    async def tool_path(self, scope: Scope, start: str, end: str) -> Sequence[Tool]:
        """Return the tools on the shortest way from one to another; none is an empty list."""
        await self._known(scope, start, end)
        index = await self._indexes.current(scope)
        web = weave(await self._relations(scope, index), index.places)
        return [
            index.tools[own] for own in shortest_path(web, index.places[start], index.places[end])
        ]

    @verb()
    async def rank_tools(self, scope: Scope, limit: int = 20) -> Sequence[tuple[Tool, float]]:
        """Return the tools that others lead to most, with their PageRank."""
        index = await self._indexes.current(scope)
        ranks = rank_pages(
            weave(await self._relations(scope, index), index.places), len(index.tools)
        )
        best = (-ranks).argsort(kind="stable")[:limit].tolist()
        return [(index.tools[place], float(ranks[place])) for place in best]

    @verb()
    async def tool_communities(self, scope: Scope) -> Sequence[Sequence[str]]:
        """Return groups of tools that belong together, the largest first, by their ids."""
        index = await self._indexes.current(scope)
        web = weave(await self._relations(scope, index), index.places)
        groups = find_communities(web, len(index.tools))
        return [[index.tools[place].id for place in own] for own in groups]

    @verb()
    async def show_tool(self, scope: Scope, tool_id: str) -> tuple[Tool, Sequence[ToolRelation]]:
        """Return a tool with the declared and imported relations that it has."""
        await self._known(scope, tool_id)
        found = await self.graph.tools(scope, [tool_id])
        return found[tool_id].tool, await self.graph.relations(scope, [tool_id])

    @verb()
    async def list_tools(self, scope: Scope, after: str = "", limit: int = 100) -> Sequence[Tool]:
        """Return a page of tools in the order of their ids."""
        check_tool_page(after, limit, self.settings.limits)
        return [one.tool for one in await self.graph.read_tools(scope, after, limit)]

    @verb()
    async def suggest_tools(self, scope: Scope, answer: Answer) -> Sequence[SuggestedTool]:
        """Return the tools that carry out what an answer cites, each tied to its passage."""
        return await suggest_tools(await self._indexes.current(scope), self.embedder, answer)

    @verb()
    async def tool_graph(self, scope: Scope) -> tuple[Sequence[Tool], Sequence[ToolRelation]]:
        """Return all tools, and all relations between them, the learnt ones among them."""
        index = await self._indexes.current(scope)
        places, relations = index.places, await self._relations(scope, index)
        return index.tools, [
            one for one in relations if one.source in places and one.target in places
        ]

    @verb()
    async def relate(self, scope: Scope, relation: ToolRelation) -> None:
        """Say how two tools belong together."""
        await self._known(scope, relation.source, relation.target)
        await self.graph.change_tools(scope, ToolChange(relations=(relation,)))

    @verb()
    async def unrelate(self, scope: Scope, source: str, kind: ToolLink, target: str) -> None:
        """Take back what was said of how two tools belong together."""
        key = source, target, kind.value
        if key not in {one.key for one in await self.graph.relations(scope, [source])}:
            await self._known(scope, source, target)
            raise NotFound(
                f"{source[:80]} has no relation {kind.value} to {target[:80]}.",
                "Look at the tool: its relations are listed there.",
            )
        await self.graph.change_tools(scope, ToolChange(unrelated=(key,)))

    @verb()
    async def import_tools(
        self,
        scope: Scope,
        sources: Sequence[ToolSource],
        *,
        dry_run: bool = False,
        emit: Emit = ignore_steps,
    ) -> Sequence[ImportReport]:
        """Take in what sources describe, or say what that would change, source by source."""
        embed = partial(embed_tools, self.embedder)
        limits = self.settings.limits
        return await import_tools(
            self.graph, scope, sources, embed=embed, dry_run=dry_run, emit=emit, limits=limits
        )

    async def _known(self, scope: Scope, *ids: str) -> None:
        """Refuse tools that do not exist for the scope, and say which may be meant."""
        found = await self.graph.tools(scope, list(dict.fromkeys(ids)))
        for name in ids:
            if name not in found:
                index = await self._indexes.current(scope)
                hint = suggest_id(name, index.ids, "List the tools, or import it first.")
                raise NotFound(f"There is no tool {name[:80]!r}.", hint)

    async def _relations(self, scope: Scope, index: ToolIndex) -> list[ToolRelation]:
        """Return all relations of an index, the learnt ones among them."""
        return [*index.relations, *_learnt(await self._indexes.habits(scope))]


def _dated(use: ToolUse, now: datetime) -> ToolUse:
    return use if use.at else replace(use, at=next((one.at for one in use.calls if one.at), now))


def suggest_id(name: str, ids: Sequence[str], otherwise: str) -> str:
    """Return which of some ids somebody may have meant, or else what to do."""
    from rapidfuzz import process

    best = process.extractOne(name[:200], ids, score_cutoff=75)
    return f"Did you mean {best[0]}?" if best else otherwise


def _learnt(habits: WeighedHabits) -> list[ToolRelation]:
    return [
        ToolRelation(
            source,
            target,
            ToolLink.OFTEN_USED_WITH,
            min(1.0, pair.together / habits.shared[source]),
            origin=LinkOrigin.LEARNT,
        )
        for (source, target), pair in habits.supported().items()
        if habits.shared.get(source, 0.0) > 0
    ]


def _log_enhancement(query: RelatedQuery, found: RelatedTools, seconds: float) -> None:
    """Log an enhancement under the name and with the fields that monitors of the seed know."""
    confidences = [one.confidence for one in found.tools]
    fields = {
        "inputTools": len(query.tool_ids),
        "relatedToolsFound": found.found,
        "relatedToolsAdded": len(found.tools),
        "traversalDepth": found.depth,
        "latencyMs": round(1000 * seconds, 3),
        "avgConfidence": round(sum(confidences) / len(confidences), 4) if confidences else 0.0,
    }
    _LOG.info("graphrag_enhancement", extra={"fields": fields})
