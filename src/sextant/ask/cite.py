"""From a draft to Markdown with its sources named. Knows labels and quotes, no question."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from sextant.ask.answer import Draft
from sextant.ask.evidence.claim import Claim
from sextant.ask.labels import label_of
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.quotes import Quote
from sextant.text.code_spans import code_spans
from sextant.text.markdown import inert
from sextant.types import Citation, Statement

_LISTED = 3
"""From so many statements on a part is a list."""

_UNDER = " › "  # noqa: RUF001 - how paths of headings are printed


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer as Markdown, its statements, and the sources that they rest on."""

    text: str
    statements: tuple[Statement, ...]
    citations: tuple[Citation, ...]


def cite(draft: Draft, phrases: Phrases = ENGLISH) -> Cited:
    """Name for each claim the words of the sources that say it; sources not used are not named."""
    citations: dict[tuple[str, int, int], Citation] = {}
    said = [(claim.part, _statement(claim, citations)) for claim in draft.claims]
    others = [
        (claim.part, replace(_statement(claim.otherwise, citations), otherwise=True))
        for claim in draft.claims
        if claim.otherwise
    ]
    in_order = sorted([*said, *others], key=lambda one: (one[0], one[1].otherwise))
    text = _text(draft, in_order, phrases)
    return Cited(text, tuple(one for _, one in in_order), tuple(citations.values()))


def with_others(cited: Cited, claims: Sequence[Claim], phrases: Phrases) -> Cited:
    """Say behind a written answer what another source says, where it tells one side alone."""
    known = {one.chunk_id for one in cited.citations}
    citations = {(one.chunk_id, one.start, one.end): one for one in cited.citations}
    others = [replace(_statement(one, citations), otherwise=True) for one in _untold(claims, known)]
    if not others:
        return cited
    text = "\n".join([phrases.otherwise, *(f"- {lines_of(one)}" for one in others)])
    return Cited(f"{cited.text}\n\n{text}", (*cited.statements, *others), tuple(citations.values()))


def _untold(claims: Sequence[Claim], known: Collection[str]) -> Iterator[Claim]:
    """Yield the side of each disagreement that is not cited, if the other one is."""
    for claim in claims:
        other = claim.otherwise
        if other and _is_cited(claim, known) != _is_cited(other, known):
            yield other if _is_cited(claim, known) else replace(claim, otherwise=None)


def _is_cited(claim: Claim, known: Collection[str]) -> bool:
    return any(quote.passage.chunk.id in known for quote in claim.quotes)


def _statement(claim: Claim, citations: dict[tuple[str, int, int], Citation]) -> Statement:
    """Return a claim with the labels of its quotes, each of which is a citation from then on."""
    for quote in claim.quotes:
        if quote.key not in citations:
            taken = {one.label: one.document_id for one in citations.values()}
            citations[quote.key] = citation_of(quote, label_of(quote.passage, taken))
    labels = dict.fromkeys(citations[quote.key].label for quote in claim.quotes)
    return Statement(
        claim.text,
        tuple(labels),
        claim.relations,
        block=claim.is_block,
        headings=claim.headings,
        marked=claim.marked,
    )


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


def lines_of(statement: Statement) -> str:
    """Return what a statement is in an answer, with its labels behind it."""
    labels = " ".join(f"[{label}]" for label in statement.labels)
    if not statement.block:
        return f"{inert(statement.text)} {labels}"
    shown = _with_point(statement)
    gap = "\n\n" if shown.rpartition("\n")[2].lstrip().startswith(("`" * 3, "|")) else " "
    path = _UNDER.join(map(inert, statement.headings))
    return f"*{path}*\n\n{shown}{gap}{labels}" if path else f"{shown}{gap}{labels}"


def _with_point(statement: Statement) -> str:
    """Return a block with what answers the question in bold, unless that is code or in a table."""
    text = statement.text
    if not statement.has_point:
        return text
    start, end = statement.marked
    before, point = text[:start], text[start:end]
    line = before.rpartition("\n")[2].lstrip()
    if "\n" in point or line.startswith("|") or before.count("`" * 3) % 2 or "*" in point:
        return text
    if _cuts_code(text, start) or _cuts_code(text, end):
        return text
    return f"{before}**{point}**{text[end:]}"


def _cuts_code(text: str, at: int) -> bool:
    """Whether a place is within code in its line."""
    begun = text.rfind("\n", 0, at) + 1
    line = text[begun:].partition("\n")[0]
    return any(start < at - begun < end for start, end in code_spans(line))


def _group(one: tuple[int, Statement]) -> tuple[int, bool, bool]:
    return one[0], one[1].otherwise, one[1].block


def _text(draft: Draft, said: Sequence[tuple[int, Statement]], phrases: Phrases) -> str:
    blocks = [draft.opening] if draft.opening else []
    for (_, is_otherwise, is_block), own in groupby(said, key=_group):
        lines = [lines_of(one) for _, one in own]
        if is_block:
            blocks += lines
            continue
        if is_otherwise or len(lines) >= _LISTED:
            lines = [f"- {line}" for line in lines]
        blocks.append("\n".join([phrases.otherwise, *lines] if is_otherwise else lines))
    if draft.missing:
        blocks.append("\n".join([phrases.missing, *(f"- {inert(one)}" for one in draft.missing)]))
    return "\n\n".join(blocks)
