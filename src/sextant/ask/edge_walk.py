"""Reading edges from a store, level by level, and what their sources say. Knows no question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from sextant.ask.intent_forms import DEPENDING
from sextant.ask.intent_nouns import Hop
from sextant.ask.quotes import Quote
from sextant.ask.relation_sentences import name_of
from sextant.ask.stated import states_relation
from sextant.ports import Knowledge
from sextant.query import EntitiesAny, Filter, Query, passes
from sextant.retrieval.expand import WEAK, is_sure
from sextant.retrieval.scoring.superseded import superseded
from sextant.retrieval.scoring.worth import standing_of, worths
from sextant.text.orders import has_order
from sextant.text.prose.figures import figures
from sextant.text.prose.sentences import sentence_spans
from sextant.text.relation_kinds import kind_of
from sextant.types import (
    DOCUMENT_NODE,
    Direction,
    Entity,
    NameMode,
    Passage,
    Relation,
    Scope,
    Walk,
)

_PER_NODE, _LIMIT = 100, 500
_DEEPEST, _MOST = 8, 100
"""A closure is cut at so many levels and edges; an answer of more names is none."""

_EVIDENCE = 4
_WORTH_TELLING = 0.3
"""An edge as sure as that, by the worth of its best source, is told: a superseded one is not."""

_BESIDE = 0.6
"""A statement whose source is worth less than that of the best one is no better for its date."""

_OWNER, _OWNED = "owner", "owned_by"
_UNDATED = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Reached:
    """Edges that a step crossed; rivals lead to other targets of a kind that has one.

    Past are edges that only sources state which have had their day.
    """

    relations: tuple[Relation, ...] = ()
    complete: bool = True
    rivals: tuple[Relation, ...] = ()
    past: tuple[Relation, ...] = ()


@dataclass(slots=True)
class EdgeWalk:
    """A walk for one question; what was read stays for its sentences."""

    store: Knowledge
    scope: Scope
    tree: Filter | None = None
    passages: dict[str, Passage] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    _records: dict[tuple[str, str, str], Passage] = field(default_factory=dict)

    async def step(self, nodes: Sequence[str], hop: Hop) -> Reached:
        """Cross edges of some kinds once, all nodes in one call."""
        found = await self._cross(nodes, hop)
        relations = _of_strongest_kind(found.relations)
        rivals: tuple[Relation, ...] = ()
        if hop.direction is Direction.OUT:
            relations, rivals = self._settled(relations)
            rivals = rivals or tuple(one for one in found.past if _has_other(relations, one))
        else:
            relations = await self._still_so(relations)
        if not relations and hop.direction is Direction.OUT and _OWNED in hop.kinds:
            relations = await self._declared_owners(nodes)
        return Reached(tuple(relations), found.complete, rivals)

    async def closure(self, nodes: Sequence[str], hop: Hop) -> tuple[str, Reached]:
        """Cross edges as far as they go, from the first node that has any."""
        for root in nodes:
            reached = await self._closure(root, hop)
            if reached.relations or not reached.complete:
                return root, reached
        return nodes[0], Reached()

    async def name(self, relations: Iterable[Relation]) -> None:
        """Read what the ends of edges are called."""
        ends = {end for one in relations for end in (one.source, one.target)}
        missing = sorted(ends - self.entities.keys())
        if missing:
            self.entities |= await self.store.graph.entities(self.scope, missing)

    def sources(self, relation: Relation) -> list[Quote]:
        """Return what states an edge, the best first; where nothing does, what declares it."""
        stated = self.statements(relation)
        return stated or [_record(one) for one in self._declaring(relation)]

    def statements(self, relation: Relation) -> list[Quote]:
        """Return the sentences that state an edge, that of the worthiest source first.

        One that says more, such as a date, goes before them if its source is worth about as much.
        """
        passages = self._declaring(relation)
        known = worths(one.document for one in (*self.passages.values(), *passages))
        worth = {
            one.document.id: standing_of(one.document, known[one.document.id]) for one in passages
        }
        quotes = []
        for passage in passages:
            span = states_relation(passage, relation, self.entities)
            if span:
                quotes.append(Quote(passage, *span))
        best = max((worth[one.passage.document.id] for one in quotes), default=0.0)
        return sorted(quotes, key=partial(_order, worth=worth, least=best * _BESIDE))

    async def _closure(self, root: str, hop: Hop) -> Reached:
        seen, tree = {root}, list[Relation]()
        nodes, kinds = [root], hop.kinds
        for _ in range(_DEEPEST):
            found = await self._cross(nodes, Hop(kinds, hop.direction))
            relations = _of_strongest_kind(found.relations) if not tree else found.relations
            if not tree and relations:
                kinds = frozenset(one.kind for one in relations)
            nodes = []
            for one in relations:
                end = one.target if hop.direction is Direction.OUT else one.source
                if end not in seen:
                    seen.add(end)
                    tree.append(one)
                    nodes.append(end)
            if not found.complete or len(tree) > _MOST:
                return Reached(tuple(tree[:_MOST]), complete=False)
            if not nodes:
                return Reached(tuple(tree))
        return Reached(tuple(tree), complete=False)

    async def _cross(self, nodes: Sequence[str], hop: Hop) -> Reached:
        walk = Walk(hop.kinds, hop.direction, 1, _PER_NODE, _LIMIT)
        near = await self.store.graph.neighbours(self.scope, nodes, walk)
        own = frozenset(nodes)
        out = hop.direction is Direction.OUT
        relations = [
            link.relation
            for link in near.links
            if (link.relation.source if out else link.relation.target) in own
            and _can_be_told(link.relation)
        ]
        await self.name(relations)
        relations = [one for one in relations if not self._is_order(one)]
        wanted = [name for one in relations for name in one.evidence[:_EVIDENCE]]
        missing = [name for name in dict.fromkeys(wanted) if name not in self.passages]
        if missing:
            self.passages.update(await self.store.truth.passages(self.scope, missing))
        complete = not (near.capped or near.truncated)
        told = self._worth_telling(relations)
        past = [one for one in relations if one not in told and self.is_past(one)]
        return Reached(tuple(told), complete, past=tuple(past))

    def _is_order(self, relation: Relation) -> bool:
        """Whether an end of an edge is called by an order to an assistant, as nobody is."""
        ends = (relation.source, relation.target)
        return any(has_order(name_of(end, self.entities)) for end in ends)

    def is_past(self, relation: Relation) -> bool:
        """Whether only sources state an edge that have had their day."""
        over = superseded(one.document for one in self.passages.values())
        own = self._declaring(relation)
        return bool(own) and all(one.document.id in over for one in own)

    def _worth_telling(self, relations: Sequence[Relation]) -> list[Relation]:
        worth = worths(one.document for one in self.passages.values())
        told = []
        for one in relations:
            own = self._declaring(one)
            if self.tree is not None and not own:
                continue
            best = max((worth[each.document.id] for each in own), default=1.0)
            if one.confidence * best >= _WORTH_TELLING:
                told.append(one)
        return told

    def _declaring(self, relation: Relation) -> list[Passage]:
        """Return the passages that an edge was read from, as far as the filter lets them."""
        key = (relation.source, relation.target, relation.kind)
        own = [
            self.passages[name] for name in relation.evidence[:_EVIDENCE] if name in self.passages
        ]
        own += [self._records[key]] if key in self._records else []
        tree = self.tree
        return [one for one in own if tree is None or passes(tree, one.document, one.chunk)]

    def _settled(
        self, relations: Sequence[Relation]
    ) -> tuple[tuple[Relation, ...], tuple[Relation, ...]]:
        """Return of each kind with one target the best, and what says otherwise beside it.

        Targets that one document names together do not contradict each other.
        """
        kept, rivals = list[Relation](), list[Relation]()
        best: dict[tuple[str, str], Relation] = {}
        for one in sorted(relations, key=self._standing, reverse=True):
            first = best.setdefault((one.source, one.kind), one)
            documents = {each.document.id for each in self._declaring(first)}
            beside = {each.document.id for each in self._declaring(one)}
            is_kept = first is one or not kind_of(one.kind).single or documents & beside
            (kept if is_kept else rivals).append(one)
        own = frozenset(kept)
        return tuple(one for one in relations if one in own), tuple(rivals)

    def _standing(self, relation: Relation) -> tuple[float, datetime, float]:
        """Return what the word of an edge's best source counts for beside others."""
        passages = self._declaring(relation)
        worth = worths(one.document for one in (*self.passages.values(), *passages))
        best = max(
            (standing_of(one.document, worth[one.document.id]) for one in passages), default=0.5
        )
        return round(best, 6), self.date_of(relation), relation.confidence

    def date_of(self, relation: Relation) -> datetime:
        """Return how new the newest source of an edge is."""
        documents = [one.document for one in self._declaring(relation)]
        dates = [one.modified or one.created for one in documents]
        return max((_aware(date) for date in dates if date), default=_UNDATED)

    async def _still_so(self, relations: Sequence[Relation]) -> tuple[Relation, ...]:
        """Return edges without those of a kind with one target whose source has a better one."""
        single = [one for one in relations if kind_of(one.kind).single]
        if not single:
            return tuple(relations)
        sources = list(dict.fromkeys(one.source for one in single))
        kinds = frozenset(one.kind for one in single)
        found = await self._cross(sources, Hop(kinds, Direction.OUT))
        kept = {(one.source, one.target, one.kind) for one in self._settled(found.relations)[0]}
        return tuple(
            one
            for one in relations
            if one not in single or (one.source, one.target, one.kind) in kept
        )

    async def _declared_owners(self, nodes: Sequence[str]) -> tuple[Relation, ...]:
        """Return owners that stand in the metadata of an entity alone."""
        known = await self.store.graph.entities(self.scope, nodes)
        self.entities |= known
        given = {name: one.metadata.get(_OWNER, "").strip() for name, one in known.items()}
        given = {name: owner for name, owner in given.items() if owner and not has_order(owner)}
        if not given:
            return ()
        owners = sorted(set(given.values()))
        by_id = await self.store.graph.entities(self.scope, owners)
        by_name = await self.store.graph.lookup(self.scope, owners, NameMode.EXACT, 1)
        relations = []
        for name, owner in given.items():
            matches = by_name.get(owner, ())
            target = by_id.get(owner) or (matches[0].entity if matches else Entity(owner, owner))
            self.entities[target.id] = target
            relations.append(Relation(name, target.id, _OWNED))
            await self._find_record(relations[-1])
        return tuple(one for one in relations if self.tree is None or self._declaring(one))

    async def _find_record(self, relation: Relation) -> None:
        """Read a passage about an entity whose metadata say who owns it."""
        query = Query(filter=EntitiesAny((relation.source,)), k=1)
        found = (await self.store.index.search(self.scope, query)).matches
        if found:
            key = (relation.source, relation.target, relation.kind)
            self._records[key] = found[0].passage


def _has_other(relations: Sequence[Relation], past: Relation) -> bool:
    """Whether edges lead to another target than one of the past, where there is one at a time."""
    return kind_of(past.kind).single and any(
        (one.source, one.kind) == (past.source, past.kind) and one.target != past.target
        for one in relations
    )


def _can_be_told(relation: Relation) -> bool:
    ends = (relation.source, relation.target)
    return (
        is_sure(relation)
        and relation.kind not in WEAK
        and relation.source != relation.target
        and not any(end.startswith(DOCUMENT_NODE) for end in ends)
    )


def _of_strongest_kind(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """Return what depends on something; who merely uses or calls it, only if nothing does."""
    if any(one.kind == "depends_on" for one in relations):
        weaker = DEPENDING - {"depends_on"}
        return tuple(one for one in relations if one.kind not in weaker)
    return tuple(relations)


def _order(quote: Quote, *, worth: dict[str, float], least: float) -> tuple[object, ...]:
    own = worth[quote.passage.document.id]
    says_more = own >= least and bool(figures(quote.text))
    return (not says_more, -own, quote.key)


def _record(passage: Passage) -> Quote:
    """Return where a passage begins: it declares an edge, and no sentence of it states that."""
    spans = sentence_spans(passage.chunk.text)
    start, end = spans[0] if spans else (0, len(passage.chunk.text))
    return Quote(passage, start, end)


def _aware(date: datetime) -> datetime:
    return date if date.tzinfo else date.replace(tzinfo=UTC)
