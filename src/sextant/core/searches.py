"""Searches that were asked before, kept as long as nothing has changed what they find.

A search is the same as before if the scope, the question, the day, the weights, the feedback and
the tenant's commit are. One in which a model or a clock takes part is never kept.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from sextant.ask import flow
from sextant.ask.passages import BEHIND
from sextant.ask.question import Means, Question
from sextant.ask.run import Run, begin
from sextant.ports import Store
from sextant.retrieval.events import Emit, Event
from sextant.retrieval.feedback.folding import Folded
from sextant.types import Ranked, Scope

_LARGEST = 64 * 1_024
"""What is larger is not kept: by the question's own words, anybody could fill the memory."""
_USUAL = 32 * 1_024
"""So large each search may be on average."""
_HIT = 1_000
"""What a hit takes beside its passage, about."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a search found, and what its listener heard on the way."""

    ranked: Ranked
    heard: tuple[Event, ...]
    size: int


class Searches:
    """The last searches, up to a number of them; 0 keeps none."""

    def __init__(self, store: Store, most: int) -> None:
        self._store, self._most = store, most
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._size = 0

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
        commit = await self._store.truth.commit(scope)
        key = _key(run, commit)
        known = self._kept.get(key)
        if known:
            self._kept.move_to_end(key)
            for event in known.heard:
                emit(event)
            return known.ranked
        ranked = await flow.ranked(run)
        is_whole = _is_whole(ranked) and not run.late.failure
        if is_whole and await self._store.truth.commit(scope) == commit:
            self._keep(key, _Kept(ranked, tuple(heard), _size(ranked)))
        return ranked

    def _keep(self, key: Hashable, kept: _Kept) -> None:
        if kept.size > _LARGEST:
            return
        known = self._kept.pop(key, None)
        self._size += kept.size - (known.size if known else 0)
        self._kept[key] = kept
        while len(self._kept) > self._most or self._size > self._most * _USUAL:
            _, oldest = self._kept.popitem(last=False)
            self._size -= oldest.size


def _is_repeatable(means: Means, question: Question) -> bool:
    """Whether the same search finds the same again: no model, no clock and no use counts in it."""
    chat = means.chat
    asks = question.rephrase or question.rerank
    is_modelled = chat is not None and (asks or chat.retriever is not None)
    return not (is_modelled or question.budget.milliseconds or means.settings.ask.count_use)


def _is_whole(ranked: Ranked) -> bool:
    """Whether the embedder was there and the index up to date; else it is not worth keeping."""
    steps = ranked.trace.steps
    is_behind = any(step.facts.get(BEHIND) for step in steps)
    return not is_behind and not any(step.fallback for step in steps if step.name == "embed")


def _size(ranked: Ranked) -> int:
    """Return about how many bytes of memory a search takes; its listener hears of the same."""
    told = json.dumps([step.facts for step in ranked.trace.steps], default=str)
    return len(told) + sum(_HIT + len(repr(hit.passage)) for hit in ranked.hits)


def _key(run: Run, commit: int) -> Hashable:
    """Return what tells searches apart; of the question only a digest, as it may be long."""
    question, vector = run.question, run.question.vector
    asked = blake2b(repr(replace(question, vector=None)).encode("utf-8", "backslashreplace"))
    if vector is not None:
        asked.update(b"\0" + np.asarray(vector, np.float64).tobytes())
    return run.scope, asked.digest(), run.now, run.choice, run.standing.number, commit
