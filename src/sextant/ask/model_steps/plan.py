"""The queries that a model plans. Its filter counts where it names what exists."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sextant.ask.model_steps.step import Talk
from sextant.ask.model_steps.values import aligned
from sextant.ask.plan import PartQuery, Plan, narrowed
from sextant.errors import InvalidFilter, InvalidInput
from sextant.ports import Knowledge
from sextant.prompting.fence import fenced_text
from sextant.query import (
    AllOf,
    AnyOf,
    EntitiesAny,
    Filter,
    Not,
    Query,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
)
from sextant.retrieval.recorder import Notes
from sextant.text.odata.filters import parse
from sextant.text.words import fold
from sextant.types import Facets, NameMode, Scope

_LISTED = 50
_LONGEST = 2_000
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_FILTER_HINT = "Name what the store has."


@dataclass(frozen=True, slots=True)
class Asking:
    """What is planned for: a question, on which day, and of whose knowledge."""

    text: str
    now: datetime
    filter: Filter | None
    vocabulary: Facets
    store: Knowledge
    scope: Scope


async def planned(talk: Talk, asking: Asking, offline: Plan, notes: Notes) -> Plan:
    """Return what is asked, under the model's filter, and the model's queries to search with.

    Where it plans none, the question itself is searched for.
    """
    reply = await talk.ask(talk.agent("query-plan"), _plan_prompt(asking), notes)
    if reply is None:
        return offline
    queries, written = offline.queries, str(reply["filter"]).strip()
    if talk.chat.retriever:
        queries = tuple(replace(one, outside_filter=_whole(written, notes)) for one in queries)
    elif tree := await _filter(written, asking, notes):
        queries = tuple(_under(one, tree) for one in queries)
    pairs = aligned(reply, "queries", "retrieval_goals")
    goals = {fold(query): _query(query, goal, queries[0]) for query, goal in pairs if query}
    most = talk.chat.workflow.limits.queries
    planned = tuple(goals.values())[:most] or queries[:1]
    return replace(offline, queries=queries, planned=planned)


def _under(part: PartQuery, tree: Filter) -> PartQuery:
    return replace(part, filter=narrowed(part.filter, [tree]))


def _plan_prompt(asking: Asking) -> str:
    known = {"tags": asking.vocabulary.tags, "kinds of source": asking.vocabulary.source_types}
    lists = [
        fenced_text(name, ", ".join(sorted(own)[:_LISTED])) for name, own in known.items() if own
    ]
    day = f"Current date: {asking.now.date().isoformat()}"
    return "\n\n".join([day, *lists, f"User question:\n{asking.text}"])


def _query(query: str, goal: str, whole: PartQuery) -> PartQuery:
    return PartQuery(query, goal or query, whole.filter, whole.outside_filter)


def _whole(written: str, notes: Notes) -> str:
    """Return a filter for an outside retriever, unless it could get out of its parentheses.

    Its fields are not ours to know, but beside a caller's filter it must only narrow.
    """
    depth = lowest = 0
    for sign in _QUOTED.sub("", written):
        depth += (sign == "(") - (sign == ")")
        lowest = min(lowest, depth)
    if lowest < 0 or depth or "'" in _QUOTED.sub("", written) or len(written) > _LONGEST:
        notes.facts["filter_dropped"] = "Its quotes or parentheses do not match, or it is too long."
        return ""
    return written


async def _filter(written: str, asking: Asking, notes: Notes) -> Filter | None:
    """Return the model's filter, unless that is none, names nothing, or lets nothing through."""
    if not written:
        return None
    notes.facts["filter"] = written[:400]
    try:
        tree = await _known(parse(written), asking)
    except InvalidInput as error:
        notes.facts["filter_dropped"] = error.message
        return None
    both = narrowed(asking.filter, [tree])
    found = await asking.store.index.search(asking.scope, Query(filter=both, k=1))
    if not found.matches:
        notes.facts["filter_dropped"] = "Nothing would be left."
        return None
    return tree


async def _known(tree: Filter, asking: Asking) -> Filter:
    """Return a filter with every value as the store has it, or say which one it does not have."""
    match tree:
        case AllOf(parts):
            return AllOf(tuple([await _known(part, asking) for part in parts]))
        case AnyOf(parts):
            return AnyOf(tuple([await _known(part, asking) for part in parts]))
        case Not(part):
            return Not(await _known(part, asking))
        case TagsAny(values):
            return TagsAny(_spelt(values, asking.vocabulary.tags, "tag"))
        case TagsAll(values):
            return TagsAll(_spelt(values, asking.vocabulary.tags, "tag"))
        case SourceTypes(values):
            return SourceTypes(_spelt(values, asking.vocabulary.source_types, "kind of source"))
        case EntitiesAny(values):
            return EntitiesAny(await _entities(values, asking))
        case TimeRange():
            return tree
        case _:
            raise InvalidFilter("A plan filters by entities, tags, types and dates.", _FILTER_HINT)


def _spelt(values: Sequence[str], known: Collection[str], what: str) -> tuple[str, ...]:
    """Return values as they are spelt in the store, whatever their case."""
    spelt = {one.casefold(): one for one in sorted(known)}
    found = [one if one in known else spelt.get(one.casefold(), "") for one in values]
    unknown = [one for one, own in zip(values, found, strict=True) if not own]
    if unknown:
        raise InvalidFilter(f"There is no {what} {unknown[0]!r}.", _FILTER_HINT)
    return tuple(found)


async def _entities(values: Sequence[str], asking: Asking) -> tuple[str, ...]:
    """Return the ids of entities that are named by an id or by their name."""
    graph = asking.store.graph
    known = await graph.entities(asking.scope, values)
    names = [one for one in values if one not in known]
    found = await graph.lookup(asking.scope, names, NameMode.EXACT) if names else {}
    ids = {name: [one.entity.id for one in own] for name, own in found.items() if own}
    unknown = [name for name in names if name not in ids]
    if unknown:
        raise InvalidFilter(f"There is no entity {unknown[0]!r}.", _FILTER_HINT)
    return tuple(dict.fromkeys(one for value in values for one in ids.get(value, [value])))
