"""Questions whose answer is an edge: the graph is read as far as they ask, and told in sentences.

An edge is told if it is sure and its sources are worth it, and never the other way round. Knows
how a question reads only through its intents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sextant.ask.edge_walk import EdgeWalk, Reached
from sextant.ask.intent import Form, Intent, parse_intents
from sextant.ask.intent_forms import DEPENDING
from sextant.ask.intent_names import Named, near_in
from sextant.ask.intent_nouns import Hop
from sextant.ask.intent_words import ANY_SORT, PEOPLE, SORTS
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.quotes import Quote
from sextant.ask.relation_sentences import (
    chain_sentence,
    closure_sentence,
    count_sentence,
    name_of,
    no_sentence,
    nobody_sentence,
    none_sentence,
    relation_sentence,
    reverse_sentence,
    with_more,
    yes_sentence,
)
from sextant.ask.stated import own_sentence
from sextant.ports import Knowledge
from sextant.query import Filter
from sextant.text.prose.figures import figures
from sextant.text.relation_kinds import kind_of, relation_kinds
from sextant.types import Direction, Linked, NameMode, Relation, Scope

DECLARED = 0.99
"""How sure an edge is that a source states as a record, and not in prose."""

_ALIKE = 0.75
"""How like a known name an unknown one must be, so that the known one is suggested."""

_GENERAL = ANY_SORT | PEOPLE | frozenset({"components", "systems", "apps", "applications"})
"""Nouns by which nothing is left out."""


@dataclass(frozen=True, slots=True)
class EdgeAnswer:
    """One sentence and what it rests on.

    Words of a source have no relations, but the quote that they are. What is not complete says so.
    Another target of a kind that has one stands in ``otherwise``; it is past where only sources say
    so that have had their day.
    """

    text: str
    relations: tuple[Relation, ...]
    quotes: tuple[Quote, ...]
    complete: bool = True
    otherwise: EdgeAnswer | None = None
    confidence: float = 1.0
    is_past: bool = False


@dataclass(frozen=True, slots=True)
class EdgeFindings:
    """What the graph says to a question.

    ``unknown`` are names that nobody here bears, ``near`` whom each may mean; ``silences`` say of
    known names that nothing is recorded of the ``silent`` kinds, and ``beside`` what is. Pages may
    explain what else follows from a failure: ``subjects`` are the entities that fail.
    """

    answers: tuple[EdgeAnswer, ...] = ()
    unknown: tuple[str, ...] = ()
    near: Mapping[str, str] = field(default_factory=dict)
    silences: tuple[str, ...] = ()
    silent: frozenset[str] = frozenset()
    beside: tuple[EdgeAnswer, ...] = ()
    subjects: frozenset[str] = frozenset()


async def answer_from_edges(
    store: Knowledge,
    scope: Scope,
    text: str,
    linked: Sequence[Linked],
    tree: Filter | None = None,
    phrases: Phrases = ENGLISH,
) -> EdgeFindings:
    """Return what the graph says to one question, or a part of one that stands alone."""
    intents = parse_intents(text, linked)
    if not intents:
        return EdgeFindings()
    named = dict.fromkeys(one for intent in intents for one in intent.names)
    unknown = [one for one in named if not one.entity_ids]
    teller = _Teller(EdgeWalk(store, scope, tree), phrases)
    for intent in intents:
        if all(one.entity_ids for one in intent.names):
            await teller.tell(intent)
    failing = [one for one in intents if one.closure and one.hops[0].direction is Direction.IN]
    return EdgeFindings(
        _each_once(teller.answers),
        tuple(dict.fromkeys(one.text for one in unknown)),
        await _near(store, scope, unknown, linked) if unknown else {},
        tuple(dict.fromkeys(teller.silences)),
        frozenset(teller.silent),
        _each_once(teller.beside),
        frozenset(name for one in failing for name in one.subject.entity_ids),
    )


def _each_once(answers: Sequence[EdgeAnswer]) -> tuple[EdgeAnswer, ...]:
    return tuple({one.text: one for one in reversed(answers)}.values())[::-1]


async def _near(
    store: Knowledge, scope: Scope, unknown: Sequence[Named], linked: Sequence[Linked]
) -> dict[str, str]:
    """Return for unknown names the known ones that are nearest to them."""
    near = {one.text: found for one in unknown if (found := near_in(one, linked))}
    rest = list(dict.fromkeys(one.text for one in unknown if one.text not in near))
    matches = await store.graph.lookup(scope, rest, NameMode.FUZZY, 1) if rest else {}
    for one in unknown:
        best = next(iter(matches.get(one.text, ())), None)
        within = (each.name for each in linked if one.start <= each.start and each.end <= one.end)
        name = best.entity.name if best and best.score >= _ALIKE else next(within, "")
        if name:
            near.setdefault(one.text, name)
    return near


@dataclass(slots=True)
class _Teller:
    """Puts what was asked of the graph in sentences, one intent after the other."""

    walk: EdgeWalk
    phrases: Phrases
    answers: list[EdgeAnswer] = field(default_factory=list)
    silences: list[str] = field(default_factory=list)
    silent: set[str] = field(default_factory=set)
    beside: list[EdgeAnswer] = field(default_factory=list)

    async def tell(self, intent: Intent) -> None:
        """Add what the graph says to an intent."""
        if intent.other:
            await self._tell_whether(intent, intent.other)
        elif intent.closure:
            await self._tell_closure(intent)
        elif len(intent.hops) > 1:
            await self._tell_chain(intent)
        else:
            await self._tell_direct(intent)

    async def _tell_direct(self, intent: Intent) -> None:
        hop = intent.hops[0]
        reached = await self.walk.step(intent.subject.entity_ids, hop)
        await self.walk.name(reached.relations)
        own, form = self._of_sort(reached.relations, intent), intent.form
        if not own and intent.sort in SORTS:  # what there is of another sort may still be meant
            own, form = list(reached.relations), Form.NAMES
        if not own:
            self._note_silence(intent, reached)
            await self._tell_beside(intent)
            return
        by_kind = {kind: [one for one in own if one.kind == kind] for kind in relation_kinds()}
        by_kind |= {one.kind: [one] for one in own if one.kind not in by_kind}
        for relations in filter(None, by_kind.values()):
            rivals = reached.rivals if kind_of(relations[0].kind).single else ()
            otherwise = self._rival(rivals, relations)
            self._add(relations, form, complete=reached.complete, otherwise=otherwise)

    async def _tell_chain(self, intent: Intent) -> None:
        """Tell what two hops lead to."""
        first, second = intent.hops
        near = await self.walk.step(intent.subject.entity_ids, first)
        ends = _ends(near.relations, first.direction)
        far = await self.walk.step(ends, second) if ends else Reached()
        await self.walk.name((*near.relations, *far.relations))
        own = self._of_sort(far.relations, intent)
        if not own:
            self._note_silence(intent, near, far)
            return
        starts = {end for one in own for end in (one.source, one.target)}
        led = [one for one in near.relations if starts & {one.source, one.target}]
        complete = near.complete and far.complete
        is_line = len(led) == len(own) == 1 and led[0].target == own[0].source
        told = chain_sentence if is_line else relation_sentence
        rivals = near.rivals if len(near.rivals) == 1 and is_line else far.rivals
        otherwise = self._rival(rivals, [*led, *own])
        self._put(told([*led, *own], self.walk.entities), [*led, *own], complete, otherwise)

    async def _tell_closure(self, intent: Intent) -> None:
        """Tell all that is reached, the nearest first."""
        root, reached = await self.walk.closure(intent.subject.entity_ids, intent.hops[0])
        await self.walk.name(reached.relations)
        relations = reached.relations
        if len(intent.hops) > 1:
            ends = _ends(relations, intent.hops[0].direction)
            far = await self.walk.step(ends, intent.hops[1]) if ends else Reached()
            await self.walk.name(far.relations)
            if far.relations:
                text = relation_sentence([*relations, *far.relations], self.walk.entities)
                self._put(text, [*relations, *far.relations], reached.complete and far.complete)
                return
        if not relations and reached.complete and intent.hops[0].direction is Direction.IN:
            await self._tell_reverse(intent)
        elif not relations:
            self._note_silence(intent, reached)
            await self._tell_beside(intent)
        elif intent.form is Form.COUNT:
            self._add(relations, intent.form, complete=reached.complete)
        else:
            text = closure_sentence(relations, self.walk.entities, root)
            self._put(text, relations, reached.complete)

    async def _tell_reverse(self, intent: Intent) -> None:
        """Tell that nothing depends on a thing, and beside it what that depends on itself."""
        hop = replace(intent.hops[0], direction=Direction.OUT)
        own = await self.walk.step(intent.subject.entity_ids, hop)
        await self.walk.name(own.relations)
        if not own.relations:
            self._note_silence(intent, Reached())
            return
        text = reverse_sentence(own.relations, self.walk.entities, self.phrases)
        self._put(text, own.relations, own.complete)

    async def _tell_whether(self, intent: Intent, other: Named) -> None:
        """Tell yes with the chain that proves it, or no with all that there is instead."""
        ends = frozenset(other.entity_ids)
        near = Reached()
        starts: Sequence[str] = intent.subject.entity_ids
        for hop in intent.hops[:-1]:
            near = await self.walk.step(starts, hop)
            starts = _ends(near.relations, hop.direction)
        hop = intent.hops[-1]
        if intent.closure and starts:
            root, reached = await self.walk.closure(starts, hop)
        else:
            reached = await self.walk.step(starts, hop) if starts else Reached()
            root = reached.relations[0].source if reached.relations else ""
        every = (*near.relations, *reached.relations)
        await self.walk.name(every)
        chain = _chain(every, frozenset(intent.subject.entity_ids), ends, hop.direction)
        if chain:
            self._put(yes_sentence(chain, self.walk.entities, self.phrases), chain, complete=True)
        elif reached.complete and near.complete:
            self._deny(intent, other, root, reached.relations)

    def _deny(self, intent: Intent, other: Named, root: str, relations: Sequence[Relation]) -> None:
        """Tell that an edge is not there: as a no only where what is there is declared."""
        own = [one for one in relations if root in (one.source, one.target)]
        is_proved = all(one.confidence >= DECLARED for one in own)
        is_proved = is_proved or all(kind_of(one.kind).single for one in own)
        if own and is_proved and len(intent.hops) == 1:
            text = no_sentence(relations, self.walk.entities, root, self.phrases)
            self._put(text, relations, complete=True)
            return
        kind = _first_kind(intent.hops[-1].kinds)
        names = intent.subject.text, other.text
        source, target = names if intent.hops[-1].direction is Direction.OUT else names[::-1]
        self.silences.append(none_sentence(source, kind, target, self.phrases))

    async def _tell_beside(self, intent: Intent) -> None:
        """Tell whom to call about what a thing needs, where nobody is named for itself."""
        if len(intent.hops) > 1 or "escalates_to" not in intent.hops[0].kinds:
            return
        needs = await self.walk.step(intent.subject.entity_ids, Hop(DEPENDING, Direction.OUT))
        ends = _ends(needs.relations, Direction.OUT)
        hop = Hop(frozenset({"escalates_to"}), Direction.OUT)
        calls = (await self.walk.step(ends, hop)).relations if ends else ()
        starts = {one.source for one in calls}
        relations = [*(one for one in needs.relations if one.target in starts), *calls]
        await self.walk.name(relations)
        if relations:
            told = chain_sentence if len(relations) == 2 else relation_sentence
            text = told(relations, self.walk.entities)
            self.beside.append(self._answer(text, relations, needs.complete, None))

    def _note_silence(self, intent: Intent, *reached: Reached) -> None:
        """Note that nothing is recorded, where all that there could be was read.

        That is said of who is responsible and of what depends on what alone: catalogues have these.
        """
        if not all(one.complete for one in reached):
            return
        last = len([one for one in reached if one.relations])
        if last >= len(intent.hops):
            return
        hop = intent.hops[last]
        kind = kind_of(_first_kind(hop.kinds))
        if not (kind.people or kind.goes_on):
            return
        name = intent.subject.text
        if last:
            ends = _ends(reached[0].relations, intent.hops[0].direction)
            name = name_of(ends[0], self.walk.entities)
        elif intent.subject.entity_ids[0] in self.walk.entities:
            name = name_of(intent.subject.entity_ids[0], self.walk.entities)
        out = hop.direction is Direction.OUT
        self.silent |= hop.kinds
        self.silences.append(nobody_sentence(name, kind.name, self.phrases, out=out))

    def _of_sort(self, relations: Sequence[Relation], intent: Intent) -> list[Relation]:
        """Return what is of the sort that is asked for; if nothing is, what has no type at all."""
        sort = _singular(intent.sort)
        if not sort or intent.sort in _GENERAL:
            return list(relations)
        out = intent.hops[-1].direction is Direction.OUT
        ends = [(one, one.target if out else one.source) for one in relations]
        types = {
            end: self.walk.entities[end].type.lower()
            for _, end in ends
            if end in self.walk.entities
        }
        own = [one for one, end in ends if types.get(end, "") == sort]
        return own or [one for one, end in ends if not types.get(end, "")]

    def _add(
        self,
        relations: Sequence[Relation],
        form: Form,
        *,
        complete: bool,
        otherwise: EdgeAnswer | None = None,
    ) -> None:
        if form is Form.COUNT:
            text = count_sentence(relations, self.walk.entities)
            self._put(text, relations, complete, otherwise)
            return
        answer = self._simple(relations, complete=complete, otherwise=otherwise)
        self.answers.append(answer)

    def _rival(
        self, rivals: Sequence[Relation], relations: Sequence[Relation]
    ) -> EdgeAnswer | None:
        """Return what contradicts edges; it is past if its sources are, or are all older."""
        if not rivals:
            return None
        newest = max(map(self.walk.date_of, relations))
        is_past = all(self.walk.is_past(one) or self.walk.date_of(one) < newest for one in rivals)
        return replace(self._simple(rivals, complete=True), is_past=is_past)

    def _simple(
        self,
        relations: Sequence[Relation],
        *,
        complete: bool,
        otherwise: EdgeAnswer | None = None,
    ) -> EdgeAnswer:
        """Return one edge in the words of its source, where these serve, or edges in ours."""
        if len(relations) == 1 and complete:
            for at, quote in enumerate(self.walk.statements(relations[0])):
                text = own_sentence(quote, relations[0], self.walk.entities)
                if text and (not at or figures(quote.text)):
                    sure = relations[0].confidence
                    return EdgeAnswer(text, (), (quote,), True, otherwise, sure)
        text = relation_sentence(relations, self.walk.entities)
        return self._answer(text, relations, complete, otherwise)

    def _put(
        self,
        text: str,
        relations: Sequence[Relation],
        complete: bool,
        otherwise: EdgeAnswer | None = None,
    ) -> None:
        self.answers.append(self._answer(text, relations, complete, otherwise))

    def _answer(
        self,
        text: str,
        relations: Sequence[Relation],
        complete: bool,
        otherwise: EdgeAnswer | None,
    ) -> EdgeAnswer:
        quotes = {quote.key: quote for one in relations for quote in self._cited(one, relations)}
        text = text if complete else with_more(text, self.phrases)
        sure = min(one.confidence for one in relations)
        return EdgeAnswer(text, tuple(relations), tuple(quotes.values()), complete, otherwise, sure)

    def _cited(self, relation: Relation, relations: Sequence[Relation]) -> list[Quote]:
        """Return the best source of an edge; of one alone, a second document that states it too."""
        sources = self.walk.sources(relation)
        if len(relations) > 1:
            return sources[:1]
        others = {one.passage.document.id: one for one in reversed(sources)}
        first = sources[:1]
        return first + [one for name, one in others.items() if name not in _documents(first)][:1]


def _documents(quotes: Iterable[Quote]) -> set[str]:
    return {one.passage.document.id for one in quotes}


def _ends(relations: Iterable[Relation], direction: Direction) -> list[str]:
    out = direction is Direction.OUT
    return list(dict.fromkeys(one.target if out else one.source for one in relations))


def _chain(
    relations: Sequence[Relation],
    starts: frozenset[str],
    ends: frozenset[str],
    direction: Direction,
) -> list[Relation]:
    """Return the edges that lead from the starts to one of the ends, or none."""
    out = direction is Direction.OUT
    came = {one.target if out else one.source: one for one in reversed(relations)}
    at = next((end for end in ends if end in came), "")
    chain: list[Relation] = []
    while at and at not in starts and len(chain) <= len(relations):
        one = came.get(at)
        if one is None:
            return []
        chain.append(one)
        at = one.source if out else one.target
    if not at:
        return []
    return chain[::-1] if out else chain


def _first_kind(kinds: Iterable[str]) -> str:
    own = frozenset(kinds)
    return next((kind for kind in _PREFERRED if kind in own), min(own))


_PREFERRED = ("depends_on", "owned_by", *relation_kinds())


def _singular(noun: str) -> str:
    if noun.endswith("sses"):
        return noun[:-2]
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
