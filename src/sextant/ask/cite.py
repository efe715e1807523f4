"""Edges and blocks become Markdown with its sources named. Knows labels and quotes, no question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count

from sextant.ask.blocks import Block
from sextant.ask.edges import EdgeAnswer
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.quotes import Quote
from sextant.text.code_spans import code_spans
from sextant.text.markdown import inert, printable
from sextant.text.orders import has_order
from sextant.text.prose.units import headings_over
from sextant.types import Citation, Passage, Statement

_UNDER = " › "  # noqa: RUF001 - how paths of headings are printed
_LONGEST_LABEL = 60
_SIGNS = str.maketrans(dict.fromkeys("[]{}<>`*_|\\!#~^&@", " "))
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{0,20}:/+|\bwww\.|\b(?:mailto|javascript|data):", re.I)
"""What makes some readers of Markdown see a link, even in a title."""

Piece = EdgeAnswer | Block | str
"""A paragraph of an answer: what the graph says, a run of a page, or a fixed sentence."""


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer as Markdown, its statements, and the sources that they rest on."""

    text: str
    statements: tuple[Statement, ...]
    citations: tuple[Citation, ...]


def cite(pieces: Sequence[Piece], phrases: Phrases = ENGLISH) -> Cited:
    """Return the pieces of an answer as paragraphs, each with the labels of its sources."""
    sources = _Sources(_quotes_of(pieces))
    statements: list[Statement] = []
    paragraphs: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            paragraphs.append(piece)
            continue
        statements.append(sources.statement_of(piece))
        paragraphs.append(lines_of(statements[-1]))
        if isinstance(piece, EdgeAnswer) and piece.otherwise:
            statements.append(replace(sources.statement_of(piece.otherwise), otherwise=True))
            is_past = piece.otherwise.is_past
            paragraphs.append(_contradiction(statements[-1], phrases, is_past=is_past))
    return Cited("\n\n".join(paragraphs), tuple(statements), tuple(sources.citations.values()))


def listed(lead: str, items: Sequence[str]) -> str:
    """Return a list under the line that leads into it."""
    return "\n".join([lead, *(f"- {inert(item)}" for item in items)])


def with_contradictions(cited: Cited, edges: Sequence[EdgeAnswer], phrases: Phrases) -> Cited:
    """Say behind a written answer what another source says, where it tells one side alone."""
    known = {one.chunk_id for one in cited.citations}
    untold = list(_untold(edges, known))
    sources = _Sources([quote for edge in untold for quote in edge.quotes])
    sources.citations.update({(one.chunk_id, one.start, one.end): one for one in cited.citations})
    others = [replace(sources.statement_of(one), otherwise=True) for one in untold]
    if not others:
        return cited
    said = zip(others, untold, strict=True)
    told = (_contradiction(one, phrases, is_past=edge.is_past) for one, edge in said)
    paragraphs = [cited.text, *told]
    statements = (*cited.statements, *others)
    return Cited("\n\n".join(paragraphs), statements, tuple(sources.citations.values()))


def _untold(edges: Sequence[EdgeAnswer], known: set[str]) -> Iterator[EdgeAnswer]:
    """Yield the side of each disagreement that is not cited, if the other side is."""
    for edge in edges:
        other = edge.otherwise
        if other and _is_cited(edge, known) != _is_cited(other, known):
            yield other if _is_cited(edge, known) else replace(edge, otherwise=None)


def _is_cited(edge: EdgeAnswer, known: set[str]) -> bool:
    return any(quote.passage.chunk.id in known for quote in edge.quotes)


def _contradiction(statement: Statement, phrases: Phrases, *, is_past: bool) -> str:
    lead = phrases.formerly if is_past else phrases.otherwise
    return f"{lead}\n- {lines_of(statement)}"


def _quotes_of(pieces: Sequence[Piece]) -> list[Quote]:
    quotes: list[Quote] = []
    for piece in pieces:
        if isinstance(piece, Block):
            quotes.append(piece.quote)
        elif isinstance(piece, EdgeAnswer):
            quotes += piece.quotes
            quotes += piece.otherwise.quotes if piece.otherwise else ()
    return quotes


@dataclass(slots=True)
class _Sources:
    """The sources of an answer; a quote within a longer one of the same chunk is cited by that."""

    quotes: Sequence[Quote]
    citations: dict[tuple[str, int, int], Citation] = field(default_factory=dict)

    def statement_of(self, piece: EdgeAnswer | Block) -> Statement:
        """Return a piece with the labels of its quotes, which are citations from then on."""
        if isinstance(piece, Block):
            label, point = self._label_of(piece.quote), piece.point or ()
            row = Statement(piece.markdown, (label,))
            block = replace(row, block=True, headings=piece.headings, marked=point)
            return row if piece.is_row else replace(block, goes_on=piece.goes_on)
        labels = dict.fromkeys(map(self._label_of, piece.quotes))
        return Statement(piece.text, tuple(labels), piece.relations)

    def _label_of(self, quote: Quote) -> str:
        whole = max(
            (own for own in self.quotes if _contains(own, quote)),
            key=lambda own: own.end - own.start,
            default=quote,
        )
        if whole.key not in self.citations:
            taken = {one.label: one.document_id for one in self.citations.values()}
            self.citations[whole.key] = citation_of(whole, label_of(whole.passage, taken))
        return self.citations[whole.key].label


def _contains(whole: Quote, quote: Quote) -> bool:
    is_same_chunk = whole.passage.chunk.id == quote.passage.chunk.id
    return is_same_chunk and whole.start <= quote.start and quote.end <= whole.end


def citation_of(quote: Quote, label: str) -> Citation:
    """Return a quote as a source under its label."""
    chunk, document = quote.passage.chunk, quote.passage.document
    return Citation(
        label,
        chunk.id,
        document.id,
        quote.passage.title,
        quote.passage.url,
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
    lead = f"*{path}*\n\n" if path and not statement.goes_on else ""
    return f"{lead}{shown}{gap}{labels}"


def _with_point(statement: Statement) -> str:
    """Return a block with what answers the question in bold, unless that is code or in a table."""
    text = statement.text
    if not statement.has_point:
        return text
    start, end = statement.marked
    before, point = text[:start], text[start:end]
    line = before.rpartition("\n")[2].lstrip()
    if (
        "\n" in point
        or f"{line}{point}".startswith("|")
        or before.count("`" * 3) % 2
        or "*" in point
    ):
        return text
    if _cuts_code(text, start) or _cuts_code(text, end):
        return text
    return f"{before}**{point}**{text[end:]}"


def _cuts_code(text: str, at: int) -> bool:
    """Whether a place is within code in its line."""
    begun = text.rfind("\n", 0, at) + 1
    line = text[begun:].partition("\n")[0]
    return any(start < at - begun < end for start, end in code_spans(line))


def label_of(passage: Passage, taken: Mapping[str, str]) -> str:
    """Return the source's title; where that is taken, with its section, its type or a number.

    ``taken`` has the labels that others bear, each with its document's id.
    """
    used = {label.casefold() for label in taken}
    document = passage.document
    title = _short(passage.title) or _short(document.id.rpartition("/")[2]) or "Source"
    known = document.id in taken.values()
    section = next(iter(headings_over(passage, 0)), "")
    more = _short(section if known else document.source_type)
    ways = [title, f"{title}, {more}"] if more and more != title else [title]
    numbered = (f"{title}, {number}" for number in count(2))
    return next(way for way in chain(ways, numbered) if way.casefold() not in used)


def _short(title: str) -> str:
    """Return a title that can stand between brackets; nothing of one that reads like an order."""
    if has_order(title):
        return ""
    words = " ".join(_ADDRESS.sub(" ", printable(title)).translate(_SIGNS).split())
    if len(words) <= _LONGEST_LABEL:
        return words
    return words[:_LONGEST_LABEL].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"
