"""Answers that were sent as messages: what a word on one of them is about.

A channel names a message when somebody presses a button under it, and nothing else. Of each user
the last ones are remembered, beside the conversations.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sextant.ask.conversations.turns import owned_thread_id
from sextant.ask.record.fields import digest_of
from sextant.ask.record.opinion import opinion_on
from sextant.errors import NotFound
from sextant.ports import Store
from sextant.retrieval.feedback.opinions import Opinion, OpinionOn
from sextant.types import Answer, Append, EntryRange, Scope, Scores, ThreadEntry

MOST_SENT = 100
"""How many answers of one user are remembered: about a week of questions."""
_PREFIX, _NAME = "sent-answers/", "sent"


async def keep_sent(store: Store, scope: Scope, message_ids: Sequence[str], answer: Answer) -> None:
    """Remember which answer some messages told; a tenant without knowledge keeps nothing."""
    if not message_ids or not await store.truth.commit(scope):
        return
    own = opinion_on(answer, digest_of(answer), Opinion.HELPFUL)
    shown = {name: _row(scores) for name, scores in own.shown.items()}
    body = json.dumps([own.subject, own.cites, shown])
    entries = tuple(ThreadEntry(_mark(one), body) for one in message_ids)
    await store.records.append_entries(scope, [Append(_thread(scope), entries, keep=MOST_SENT)])


async def find_sent(store: Store, scope: Scope, message_id: str) -> OpinionOn:
    """Return a helpful word on the answer that a message of this user told."""
    last = EntryRange(limit=MOST_SENT, newest_first=True)
    for entry in await store.records.read_entries(scope, _thread(scope), last):
        if entry.kind == _mark(message_id):
            return _read(json.loads(entry.body))
    raise NotFound("That answer is no longer known here.", "Ask again, and rate the new answer.")


def with_verdict(own: OpinionOn, verdict: str, comment: str) -> OpinionOn:
    """Return the word with what somebody thinks."""
    return replace(own, verdict=verdict, comment=comment)


def _row(scores: Scores) -> list[float]:
    four = (scores.relevancy, scores.recency, scores.richness, scores.reputation)
    return [*four, scores.total]


def _read(row: Any) -> OpinionOn:
    subject, cites, shown = row
    scores = {name: Scores(*values) for name, values in shown.items()}
    return OpinionOn(subject, Opinion.HELPFUL, cites=tuple(cites), shown=scores)


def _mark(message_id: str) -> str:
    """Return what a message is known by, however long its channel's ids are."""
    return hashlib.sha256(message_id.encode()).hexdigest()


def _thread(scope: Scope) -> str:
    return owned_thread_id(_PREFIX, scope, _NAME)
