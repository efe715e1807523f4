"""Searches that were asked before, kept as long as nothing has changed what they find.

A search is the same as before if the scope, the question, the day, the weights, the feedback and
the tenant's commit are. One in which a model or a clock takes part is never kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from sextant.ask import flow
from sextant.ask.question import Emit, Event, Means, Question
from sextant.ask.run import Run, begin
from sextant.ask.standing.folding import Folded
from sextant.ports import Store
from sextant.types import Ranked, Scope

_HITS = 10
"""How many hits each search may have on average, so that a few long ones do not fill the memory."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a search found, and what its listener heard on the way."""

    ranked: Ranked
    heard: tuple[Event, ...]


class Searches:
    """The last searches, up to a number of them; 0 keeps none."""

    def __init__(self, store: Store, most: int) -> None:
        self._store, self._most = store, most
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._hits = 0

    async def search(
        self, means: Means, scope: Scope, question: Question, folded: Folded, emit: Emit
    ) -> Ranked:
        """Return what the line finds; whoever listens hears the same both ways."""
        if not self._most or not _is_repeatable(means, question):
            return await flow.search(means, scope, question, folded, emit)
        heard: list[Event] = []

        def hear(event: Event) -> None:
            heard.append(event)
            emit(event)

        run = await begin(means, scope, question, folded, hear)
        commit = await self._store.commit(scope)
        key = _key(run, commit)
        known = self._kept.get(key)
        if known:
            self._kept.move_to_end(key)
            for event in known.heard:
                emit(event)
            return known.ranked
        ranked = await flow.ranked(run)
        if _is_whole(ranked) and await self._store.commit(scope) == commit:
            self._keep(key, _Kept(ranked, tuple(heard)))
        return ranked

    def _keep(self, key: Hashable, kept: _Kept) -> None:
        known = self._kept.pop(key, None)
        self._hits += len(kept.ranked.hits) - (len(known.ranked.hits) if known else 0)
        self._kept[key] = kept
        while len(self._kept) > self._most or self._hits > self._most * _HITS:
            _, oldest = self._kept.popitem(last=False)
            self._hits -= len(oldest.ranked.hits)


def _is_repeatable(means: Means, question: Question) -> bool:
    """Whether the same search finds the same again: no model, no clock and no use counts in it."""
    chat = means.chat
    asks = question.rephrase or question.rerank
    is_modelled = chat is not None and (asks or chat.retriever is not None)
    return not (is_modelled or question.budget.milliseconds or means.settings.ask.count_use)


def _is_whole(ranked: Ranked) -> bool:
    """Whether the embedder was there; what was found without it is not worth keeping."""
    return not any(step.fallback for step in ranked.trace.steps if step.name == "embed")


def _key(run: Run, commit: int) -> Hashable:
    question, vector = run.question, run.question.vector
    meaning = None if vector is None else np.asarray(vector, np.float64).tobytes()
    asked = repr(replace(question, vector=None))
    return run.scope, asked, meaning, run.now, run.choice, run.standing.number, commit
