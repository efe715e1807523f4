"""From a draft to Markdown with its sources named. Knows labels and quotes, no question."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, count, groupby

from sextant.ask.answer import Draft
from sextant.ask.evidence.claim import Quote
from sextant.ask.evidence.markdown import inert, printable
from sextant.types import Citation, Passage, Statement

_LONGEST = 60
_LISTED = 3
"""From so many statements on a part is a list."""

_SIGNS = str.maketrans(dict.fromkeys("[]{}<>`*_|\\!#~^&", " "))


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer as Markdown, its statements, and the sources that they rest on."""

    text: str
    statements: tuple[Statement, ...]
    citations: tuple[Citation, ...]


def cite(draft: Draft) -> Cited:
    """Name for each claim the words of the sources that say it; sources not used are not named."""
    citations: dict[tuple[str, int, int], Citation] = {}
    statements = []
    for claim in draft.claims:
        for quote in claim.quotes:
            if quote.key not in citations:
                citations[quote.key] = _citation(quote, _label(quote.passage, citations.values()))
        labels = dict.fromkeys(citations[quote.key].label for quote in claim.quotes)
        statements.append(Statement(claim.text, tuple(labels), claim.relations))
    return Cited(_text(draft, statements), tuple(statements), tuple(citations.values()))


def _label(passage: Passage, taken: Collection[Citation]) -> str:
    """Return the source's title; where that is taken, with its section, its type or a number."""
    used = {one.label.casefold() for one in taken}
    document = passage.document
    title = _short(document.title) or _short(document.id.rpartition("/")[2]) or "Source"
    known = any(one.document_id == document.id for one in taken)
    section = passage.chunk.headings[-1] if passage.chunk.headings else ""
    more = _short(section if known else document.source_type)
    ways = [title, f"{title}, {more}"] if more and more != title else [title]
    numbered = (f"{title}, {number}" for number in count(2))
    return next(way for way in chain(ways, numbered) if way.casefold() not in used)


def _short(title: str) -> str:
    """Return a title that can stand between brackets."""
    words = " ".join(printable(title).translate(_SIGNS).split())
    if len(words) <= _LONGEST:
        return words
    return words[:_LONGEST].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"


def _citation(quote: Quote, label: str) -> Citation:
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


def _text(draft: Draft, statements: Sequence[Statement]) -> str:
    told = [line_of(one) for one in statements]
    numbered = zip((claim.part for claim in draft.claims), told, strict=True)
    blocks = [draft.opening] if draft.opening else []
    if draft.opening and told:
        blocks.append(KNOWN)
    for _, own in groupby(numbered, key=lambda one: one[0]):
        lines = [line for _, line in own]
        blocks.append(
            "\n".join(f"- {line}" for line in lines) if len(lines) >= _LISTED else "\n".join(lines)
        )
    if draft.missing:
        blocks.append("\n".join([MISSING, *(f"- {inert(one)}" for one in draft.missing)]))
    return "\n\n".join(blocks)


KNOWN = "What is known:"
MISSING = "What would help to know:"
