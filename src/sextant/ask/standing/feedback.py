"""Saying what an answer or a source was worth. Only appends; what follows of it is folded later.

A word on an answer is one on the answer and one on each document that it cites. Where it is known
how a source scored, a line before its word tells how far it was above what was shown beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from statistics import fmean

from sextant.ask.standing.earned import Leads, key_of
from sextant.errors import InvalidInput, NotFound
from sextant.ports import Store
from sextant.types import Feedback, Hit, Scope, Scores

DOCUMENT, ANSWER, SHOWN = "document:", "answer:", "shown:"
THOUSAND = 1_000


class Opinion(StrEnum):
    """What somebody may think; withdrawn is as if nothing had been said."""

    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Said:
    """A word on ``document:<id>`` or ``answer:<digest>``, with the documents an answer cites."""

    subject: str
    verdict: str
    comment: str = ""
    at: datetime | None = None
    cites: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()


async def record(store: Store, scope: Scope, said: Said) -> int:
    """Append a word, and return the number from which on it counts."""
    _check(said)
    document_ids = await _about(store, scope, said)
    items = [item for name in document_ids for item in _items(scope, said, name)]
    if said.subject.startswith(ANSWER):
        items.append(_item(scope, said, said.subject))
    return await store.append_feedback(scope, _commented(items, said.comment))


def document_of(subject: str) -> str:
    """Return what stands for the document that a subject is about, if it is about one."""
    if subject.startswith(ANSWER):
        subject = subject.partition("/")[2]
    return subject.removeprefix(DOCUMENT) if subject.startswith(DOCUMENT) else ""


def leads_of(text: str) -> Leads | None:
    """Read how far a source was ahead, in thousandths of each R."""
    try:
        relevancy, recency, richness, reputation = json.loads(text)
        leads = (int(relevancy), int(recency), int(richness), int(reputation))
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None
    return leads if all(-THOUSAND <= lead <= THOUSAND for lead in leads) else None


def _check(said: Said) -> None:
    if said.verdict not in list(Opinion):
        raise InvalidInput(
            f"The verdict {said.verdict[:40]!r} is unknown.", f"Use one of {', '.join(Opinion)}."
        )
    kind, _, rest = said.subject.partition(":")
    if f"{kind}:" not in (DOCUMENT, ANSWER) or not rest or (kind == "answer" and "/" in rest):
        raise InvalidInput(
            f"{said.subject[:80]!r} is nothing to give feedback on.",
            "Name document:<id> or answer:<digest>.",
        )


async def _about(store: Store, scope: Scope, said: Said) -> list[str]:
    """Return the documents that a word is about and the scope sees, each once."""
    named = [said.subject.removeprefix(DOCUMENT)]
    if said.subject.startswith(ANSWER):
        named = list(dict.fromkeys(said.cites))
    seen = await store.chunk_ids(scope, named)
    if said.subject.startswith(DOCUMENT) and not seen:
        raise NotFound("There is no such document to give feedback on.", "Check its id.")
    return [name for name in named if name in seen]


def _items(scope: Scope, said: Said, document_id: str) -> Iterable[Feedback]:
    subject = DOCUMENT + key_of(document_id)
    if said.subject.startswith(ANSWER):
        subject = f"{said.subject}/{subject}"
    leads = _leads(document_id, said.hits)
    if leads is not None:
        yield Feedback(SHOWN + subject, json.dumps(leads), scope.user or "", at=said.at)
    yield _item(scope, said, subject)


def _item(scope: Scope, said: Said, subject: str) -> Feedback:
    return Feedback(subject, said.verdict, scope.user or "", at=said.at)


def _commented(items: Sequence[Feedback], comment: str) -> list[Feedback]:
    """Put the comment beside the last item, so that it is kept once."""
    *rest, last = items
    return [*rest, Feedback(last.subject, last.verdict, last.user, comment, last.at)]


def _leads(document_id: str, hits: Sequence[Hit]) -> list[int] | None:
    """Return how far a document's best hit is above the mean of all, in thousandths of each R."""
    own = [hit for hit in hits if hit.passage.document.id == document_id]
    if not own or len(own) == len(hits):
        return None
    best = max(own, key=lambda hit: hit.scores.total)
    rows = [_four(hit.scores) for hit in hits]
    means = [fmean(column) for column in zip(*rows, strict=True)]
    ahead = zip(_four(best.scores), means, strict=True)
    return [max(-THOUSAND, min(THOUSAND, round(THOUSAND * (a - b)))) for a, b in ahead]


def _four(scores: Scores) -> tuple[float, float, float, float]:
    return scores.relevancy, scores.recency, scores.richness, scores.reputation
