"""The queries that a model plans. Its filter counts only where the question says the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sextant.ask.model_steps.step import Talk
from sextant.ask.model_steps.values import aligned
from sextant.ask.plan import Goal, Plan, Vocabulary, narrowed
from sextant.ask.reading.wants import wants_of
from sextant.errors import InvalidInput
from sextant.ports import Knowledge
from sextant.prompting.fence import fenced_text
from sextant.query import (
    Filter,
    Leaf,
    Query,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
    values_of,
    walk,
)
from sextant.retrieval.recorder import Notes
from sextant.text.odata.filters import parse
from sextant.text.words import fold, words_in
from sextant.types import Scope

_LISTED = 50


@dataclass(frozen=True, slots=True)
class Asking:
    """What is planned for: a question, on which day, and of whose knowledge."""

    text: str
    now: datetime
    filter: Filter | None
    vocabulary: Vocabulary
    store: Knowledge
    scope: Scope


async def planned(talk: Talk, asking: Asking, offline: Plan, notes: Notes) -> Plan:
    """Return the offline plan under the model's filter, with the model's queries besides."""
    reply = await talk.ask(talk.agent("query-plan"), _plan_prompt(asking), notes)
    if reply is None:
        return offline
    tree = await _filter(str(reply["filter"]).strip(), asking, notes)
    queries = [_under(one, tree) for one in offline.queries] if tree else offline.queries
    pairs = aligned(reply, "queries", "retrieval_goals")
    goals = [_goal(query, goal, queries[0], asking.now) for query, goal in pairs]
    known = {fold(one.text) for one in queries}
    new = [goal for goal in goals if goal.text and fold(goal.text) not in known]
    most = talk.chat.workflow.limits.queries
    return replace(offline, queries=tuple(queries), besides=tuple(new[:most]))


def _under(goal: Goal, tree: Filter) -> Goal:
    return replace(goal, filter=narrowed(goal.filter, [tree]))


def _plan_prompt(asking: Asking) -> str:
    known = {"tags": asking.vocabulary.tags, "kinds of source": asking.vocabulary.source_types}
    lists = [
        fenced_text(name, ", ".join(sorted(own)[:_LISTED])) for name, own in known.items() if own
    ]
    day = f"Current date: {asking.now.date().isoformat()}"
    return "\n\n".join([day, *lists, f"User question:\n{asking.text}"])


def _goal(query: str, goal: str, whole: Goal, now: datetime) -> Goal:
    return Goal(query, goal or query, whole.filter, wants_of(query, now.date()))


async def _filter(written: str, asking: Asking, notes: Notes) -> Filter | None:
    """Return the model's filter, unless that is none, made up, or lets nothing through."""
    if not written:
        return None
    notes.facts["filter"] = written[:400]
    try:
        tree = parse(written)
    except InvalidInput as error:
        notes.facts["filter_dropped"] = error.message
        return None
    if not _is_stated(tree, asking):
        notes.facts["filter_dropped"] = "The question does not say this."
        return None
    both = narrowed(asking.filter, [tree])
    found = await asking.store.index.search(asking.scope, Query(filter=both, k=1))
    if not found.matches:
        notes.facts["filter_dropped"] = "Nothing would be left."
        return None
    return tree


def _is_stated(tree: Filter, asking: Asking) -> bool:
    """Whether the question names every tag and source type of a filter, and a year of each date."""
    said = frozenset(words_in(fold(asking.text)))
    for node, _ in walk(tree):
        match node:
            case TimeRange(start=start, end=end):
                if not any(str(moment.year) in said for moment in (start, end) if moment):
                    return False
            case TagsAny() | TagsAll() | SourceTypes():
                known = asking.vocabulary.tags | asking.vocabulary.source_types
                values = values_of(node)
                if not known.issuperset(values) or not _words(values) <= said:
                    return False
            case _ if isinstance(node, Leaf):
                return False
    return True


def _words(values: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for value in values for word in words_in(fold(value)))
