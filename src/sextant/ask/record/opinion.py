"""From a saved answer to what is said of it: of all its sources, or of one.

An answer that is not as it was saved is refused: what it shows was never told to anybody.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sextant.ask.record.fields import digest_of
from sextant.ask.record.load import Saved
from sextant.errors import Conflict, NotFound
from sextant.retrieval.feedback.opinions import ANSWER, DOCUMENT, OpinionOn
from sextant.retrieval.feedback.shown import shown_in
from sextant.types import Answer


def said_of(
    saved: Saved,
    verdict: str,
    source: str = "",
    comment: str = "",
    at: datetime | None = None,
) -> OpinionOn:
    """Return a word on an answer with its sources, or on the source of this label alone."""
    answer = saved.answer
    if saved.digest != digest_of(answer):
        raise Conflict(
            "The answer is not as it was saved.", "Give feedback on exactly what was answered."
        )
    if source:
        subject = DOCUMENT + _document(answer, source)
        return OpinionOn(subject, verdict, comment, at, shown=shown_in(answer.trace))
    own = opinion_on(answer, saved.name or saved.digest, verdict)
    return replace(own, comment=comment, at=at)


def opinion_on(answer: Answer, name: str, verdict: str) -> OpinionOn:
    """Return a word on an answer that is known by a name, with its sources."""
    cites = tuple(one.document_id for one in answer.citations)
    return OpinionOn(ANSWER + name, verdict, cites=cites, shown=shown_in(answer.trace))


def _document(answer: Answer, source: str) -> str:
    for citation in answer.citations:
        if citation.label.casefold() == source.strip("[]").casefold():
            return citation.document_id
    known = ", ".join(one.label for one in answer.citations)
    raise NotFound(f"The answer has no source {source[:80]!r}.", f"It has: {known or 'none'}.")
