"""Onward from what was found: a goal that names a sort of document starts from the best of them.

Knows goals; how edges are followed is the business of retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sextant.ask.plan import Goal
from sextant.ports import Knowledge
from sextant.retrieval.expand import Expansion, expand_from
from sextant.retrieval.sorts import singular, sorts
from sextant.text.names import normal_name
from sextant.text.words import fold, words_in
from sextant.types import Entity, Hit, Passage, Scope

_POINTED_AT = re.compile(r"\b(?:the|this|that|its|their|which|what) ([^\W_]+)")
_PEOPLE = frozenset({"team", "person", "group", "people", "user"})
"""Whoever asks who does something asks for these, and does not start from them."""


async def reach(
    store: Knowledge, scope: Scope, hits: Sequence[Hit], goals: Sequence[Goal]
) -> tuple[Expansion, ...]:
    """Follow each goal's cues from what was found, where it asks for a sort of document by name.

    ``who owns the runbook for this`` goes on from the best runbook among the hits.
    """
    return tuple([await _reached(store, scope, hits, goal) for goal in goals])


async def _reached(store: Knowledge, scope: Scope, hits: Sequence[Hit], goal: Goal) -> Expansion:
    asked = frozenset(singular(word) for word in _POINTED_AT.findall(fold(goal.text))) - _PEOPLE
    own = [hit.passage for hit in hits if asked.intersection(sorts(hit.passage.document))]
    if not goal.wants.cues or not own:
        return Expansion()
    told = frozenset(words_in(fold(goal.text)))
    own.sort(key=lambda one: -len(told.intersection(words_in(fold(one.document.title)))))
    ids = dict.fromkeys(name for passage in own for name in passage.chunk.entity_ids)
    entities = await store.graph.entities(scope, list(ids))
    seeds = [name for one in own if (name := _subject(one, entities))]
    for seed in dict.fromkeys(seeds):
        found = await expand_from(store, scope, [seed], goal.wants.cues)
        if found.paths:
            return found
    return Expansion()


def _subject(passage: Passage, entities: Mapping[str, Entity]) -> str:
    """Return the entity that a document is about, by its title."""
    title = normal_name(passage.document.title)
    for name in passage.chunk.entity_ids:
        known = entities.get(name)
        if known and title in map(normal_name, (known.name, *sorted(known.aliases))):
            return name
    return ""
