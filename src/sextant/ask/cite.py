"""From a draft to Markdown with its sources named. Knows labels and quotes, no question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sextant.ask.answer import Draft
from sextant.ask.evidence.claim import Quote
from sextant.ask.labels import label_of
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.text.markdown import inert
from sextant.types import Citation, Statement

_LISTED = 3
"""From so many statements on a part is a list."""


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer as Markdown, its statements, and the sources that they rest on."""

    text: str
    statements: tuple[Statement, ...]
    citations: tuple[Citation, ...]


def cite(draft: Draft, phrases: Phrases = ENGLISH) -> Cited:
    """Name for each claim the words of the sources that say it; sources not used are not named."""
    citations: dict[tuple[str, int, int], Citation] = {}
    statements = []
    for claim in draft.claims:
        for quote in claim.quotes:
            if quote.key not in citations:
                taken = {one.label: one.document_id for one in citations.values()}
                citations[quote.key] = citation_of(quote, label_of(quote.passage, taken))
        labels = dict.fromkeys(citations[quote.key].label for quote in claim.quotes)
        statements.append(Statement(claim.text, tuple(labels), claim.relations))
    return Cited(_text(draft, statements, phrases), tuple(statements), tuple(citations.values()))


def citation_of(quote: Quote, label: str) -> Citation:
    """Return a quote as a source under its label."""
    chunk, document = quote.passage.chunk, quote.passage.document
    return Citation(
        label,
        chunk.id,
        document.id,
        document.title,
        document.url,
        quote.text,
        chunk.start + quote.start,
        chunk.start + quote.end,
        quote.passage.version,
    )


def line_of(statement: Statement) -> str:
    """Return the line of an answer that a statement is, with its labels behind it."""
    return f"{inert(statement.text)} {' '.join(f'[{label}]' for label in statement.labels)}"


def _text(draft: Draft, statements: Sequence[Statement], phrases: Phrases) -> str:
    told = [line_of(one) for one in statements]
    numbered = zip((claim.part for claim in draft.claims), told, strict=True)
    blocks = [draft.opening] if draft.opening else []
    if draft.opening and told:
        blocks.append(phrases.known)
    for _, own in groupby(numbered, key=lambda one: one[0]):
        lines = [line for _, line in own]
        blocks.append(
            "\n".join(f"- {line}" for line in lines) if len(lines) >= _LISTED else "\n".join(lines)
        )
    if draft.missing:
        blocks.append("\n".join([phrases.missing, *(f"- {inert(one)}" for one in draft.missing)]))
    return "\n\n".join(blocks)
