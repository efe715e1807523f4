"""Saying what an answer or a source was worth. Only appends; what follows of it is folded later.

A word on an answer is one on the answer and one on each document that it cites. Where it is known
how a source scored, a line before its word tells how far it was above what was shown beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from sextant.errors import InvalidInput, NotFound
from sextant.ports import Store
from sextant.retrieval.feedback.earned import key_of
from sextant.retrieval.feedback.shown import leads, written
from sextant.types import Feedback, Scope, Scores

DOCUMENT, ANSWER, SHOWN = "document:", "answer:", "shown:"


class Opinion(StrEnum):
    """What somebody may think; withdrawn is as if nothing had been said."""

    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class OpinionOn:
    """A word on ``document:<id>`` or ``answer:<digest>``.

    An answer comes with the documents that it cites. What was shown, and how it scored, teaches
    weights; it is kept only for who has a name.
    """

    subject: str
    verdict: str
    comment: str = ""
    at: datetime | None = None
    cites: tuple[str, ...] = ()
    shown: Mapping[str, Scores] = field(default_factory=dict)


async def record(store: Store, scope: Scope, said: OpinionOn) -> int:
    """Append a word, and return the number from which on it counts."""
    _check(said)
    document_ids = await _about(store, scope, said)
    items = [item for name in document_ids for item in _items(scope, said, name)]
    if said.subject.startswith(ANSWER):
        items.append(_item(scope, said, said.subject))
    return await store.records.append_feedback(scope, _commented(items, said.comment))


def document_of(subject: str) -> str:
    """Return what stands for the document that a subject is about, if it is about one."""
    if subject.startswith(ANSWER):
        subject = subject.partition("/")[2]
    return subject.removeprefix(DOCUMENT) if subject.startswith(DOCUMENT) else ""


def _check(said: OpinionOn) -> None:
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


async def _about(store: Store, scope: Scope, said: OpinionOn) -> list[str]:
    """Return the documents that a word is about and the scope sees, each once.

    What is no longer there, or no longer seen, can still be taken back; a tenant that never had
    any knowledge is not made to have feedback.
    """
    if not await store.truth.commit(scope):
        raise _unknown()
    named = [said.subject.removeprefix(DOCUMENT)]
    if said.subject.startswith(ANSWER):
        named = list(dict.fromkeys(said.cites))
    if said.verdict == Opinion.WITHDRAWN:
        return named
    seen = await store.truth.chunk_ids(scope, named)
    if named and not seen:
        raise _unknown()
    return [name for name in named if name in seen]


def _unknown() -> NotFound:
    return NotFound(
        "There is no such document to give feedback on.",
        "Check its id, and whose knowledge it is; it must be seen by whoever speaks of it.",
    )


def _items(scope: Scope, said: OpinionOn, document_id: str) -> Iterable[Feedback]:
    subject = DOCUMENT + key_of(document_id)
    if said.subject.startswith(ANSWER):
        subject = f"{said.subject}/{subject}"
    ahead = leads(document_id, said.shown)
    if ahead is not None and scope.user:
        yield Feedback(SHOWN + subject, written(ahead), scope.user, at=said.at)
    yield _item(scope, said, subject)


def _item(scope: Scope, said: OpinionOn, subject: str) -> Feedback:
    return Feedback(subject, said.verdict, scope.user or "", at=said.at)


def _commented(items: Sequence[Feedback], comment: str) -> list[Feedback]:
    """Put the comment beside the last item, so that it is kept once."""
    *rest, last = items
    return [*rest, replace(last, comment=comment)]
