"""The queries that a model plans. Its filter counts only where the question says the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sextant.ask.modelled.step import Talk
from sextant.ask.modelled.values import aligned
from sextant.ask.plan import Goal, Plan, Vocabulary, narrowed
from sextant.ask.reading.wants import wants_of
from sextant.ask.trace import Notes
from sextant.errors import InvalidInput
from sextant.query import Filter, Leaf, TimeRange, values_of, walk
from sextant.text.odata import parse
from sextant.text.words import fold
from sextant.types import JsonObject

_LONGEST = 400
"""Characters of a planned query."""


async def planned(
    talk: Talk, text: str, offline: Plan, vocabulary: Vocabulary, now: datetime, notes: Notes
) -> Plan:
    """Return the whole question and the model's queries, or the offline plan."""
    reply = await talk.ask(talk.agent("query-plan"), _told(text, now, vocabulary), notes)
    if reply is None:
        return offline
    pairs = list(aligned(reply, "queries", "retrieval_goals"))
    whole = _narrowed(offline.queries[0], text, reply, notes)
    goals = [_goal(query, goal, whole, now) for query, goal in pairs]
    known = {fold(whole.text)}
    new = [goal for goal in goals if goal.text and fold(goal.text) not in known]
    return replace(offline, queries=(whole, *new[: talk.chat.workflow.limits.queries]))


def _told(text: str, now: datetime, vocabulary: Vocabulary) -> str:
    lines = [f"Current date: {now.date().isoformat()}"]
    if vocabulary.tags:
        lines.append(f"Known tags: {', '.join(sorted(vocabulary.tags)[:50])}")
    if vocabulary.source_types:
        lines.append(f"Known source types: {', '.join(sorted(vocabulary.source_types)[:50])}")
    return "\n".join([*lines, "", "User question:", text])


def _goal(query: str, goal: str, whole: Goal, now: datetime) -> Goal:
    text = " ".join(query.split())[:_LONGEST]
    return Goal(text, " ".join(goal.split())[:_LONGEST], whole.filter, wants_of(text, now.date()))


def _narrowed(whole: Goal, text: str, reply: JsonObject, notes: Notes) -> Goal:
    """Return the question under the model's filter, unless that is none or is made up."""
    written = str(reply["filter"]).strip()
    if not written:
        return whole
    notes.facts["filter"] = written[:_LONGEST]
    try:
        tree = parse(written)
    except InvalidInput as error:
        notes.facts["filter_dropped"] = error.message
        return whole
    if not _is_stated(tree, text):
        notes.facts["filter_dropped"] = "The question does not say this."
        return whole
    return replace(whole, filter=narrowed(whole.filter, [tree]))


def _is_stated(tree: Filter, text: str) -> bool:
    """Whether the question has every value of a filter, and the year of every date."""
    said = fold(text)
    for node, _ in walk(tree):
        if isinstance(node, TimeRange):
            years = [str(moment.year) for moment in (node.start, node.end) if moment]
            if not any(year in said for year in years):
                return False
        elif isinstance(node, Leaf) and not all(fold(one) in said for one in values_of(node)):
            return False
    return True
