"""From a reading to chunks along its structure. Every chunk is ``text[start:end]``, to the letter.

Blocks of one section are put together up to a size, and only a block larger than that is cut.
Headings are not repeated in the text of a chunk: they are its path.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sextant.ingest.values import Block, Kind, Reading
from sextant.text.layouts.rows import head_row
from sextant.text.prose.sentences import Sentences
from sextant.types import Chunk

_WHOLE = 2
"""Code, tables and numbered steps may be this many times the usual size before they are cut."""

_SMALL = 6
"""A section under this fraction of the usual size joins the one after it."""

_LONGEST_HEADS = 400
"""Longer heads of columns are no heading."""

_WORD = re.compile(r"[^\W_]")
_LINE = re.compile(r"\n")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text that becomes a chunk, under its headings.

    ``lead`` is where its own heading starts, if it is the first under that heading.
    """

    start: int
    end: int
    headings: tuple[str, ...]
    page: int | None
    lead: int


def split(reading: Reading, document_id: str, size: int) -> tuple[Chunk, ...]:
    """Cut a reading into chunks of at most about this many characters."""
    text = reading.text
    blocks = reading.blocks or _one_block(text)
    pieces = _join_small(list(_pieces(text, blocks, size)), size)
    kept = (piece for piece in pieces if _WORD.search(text, piece.start, piece.end))
    return tuple(
        Chunk(
            f"{document_id}#c{number}",
            text[piece.start : piece.end],
            piece.start,
            piece.end,
            piece.headings,
            piece.page,
        )
        for number, piece in enumerate(kept)
    )


def _one_block(text: str) -> tuple[Block, ...]:
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return (Block(Kind.TEXT, start, end),) if start < end else ()


def _pieces(text: str, blocks: Sequence[Block], size: int) -> Iterator[Piece]:
    """Yield the pieces of each section; a heading with nothing under it is a piece by itself."""
    path: list[Block] = []
    body: list[Block] = []
    sentences = Sentences(text)
    for block in blocks:
        if block.kind != Kind.HEADING:
            body.append(block)
            continue
        yield from _section(sentences, path, body, size)
        if path and not body and path[-1].level >= block.level:
            yield _bare(path)
        path = [heading for heading in path if heading.level < block.level] + [block]
        body = []
    yield from _section(sentences, path, body, size)
    if path and not body:
        yield _bare(path)


def _bare(path: Sequence[Block]) -> Piece:
    own = path[-1]
    return Piece(own.start, own.end, _names(path[:-1]), own.page, own.start)


def _section(
    sentences: Sentences, path: Sequence[Block], body: Sequence[Block], size: int
) -> Iterator[Piece]:
    headings, text = _names(path), sentences.text
    lead = path[-1].start if path else None
    for start, end, page, heads in _stretches(sentences, body, size):
        if lead is not None and not _WORD.search(text, start, end):
            yield replace(_bare(path), end=end)
        else:
            own = (*headings, heads) if heads else headings
            yield Piece(start, end, own, page, start if lead is None else lead)
        lead = None


def _stretches(
    sentences: Sentences, body: Sequence[Block], size: int
) -> Iterator[tuple[int, int, int | None, str]]:
    """Put blocks together up to a size; cut those that are larger by themselves.

    A paragraph that leads into code, a list or a table goes with it. With what goes on with a
    table are the heads of its columns.
    """
    held: list[Block] = []
    for block in body:
        large = block.end - block.start > _longest(sentences.text, block, size)
        if held and (large or block.end - held[0].start > size):
            lead = _lead_into(sentences.text, held[-1], block, size)
            before = held[: len(held) - len(lead)]
            if before:
                yield before[0].start, before[-1].end, before[0].page, ""
            held = lead
        if large:
            heads = _heads(sentences.text, block)
            for low, high in _cut(sentences, block, size):
                yield low, high, block.page, "" if low == block.start else heads
        else:
            held.append(block)
    if held:
        yield held[0].start, held[-1].end, held[0].page, ""


def _longest(text: str, block: Block, size: int) -> int:
    """Return how long a block may be to stay whole."""
    is_steps = block.kind is Kind.LIST and text[block.start].isdigit()
    return _WHOLE * size if is_steps or block.kind in (Kind.CODE, Kind.TABLE) else size


def _lead_into(text: str, last: Block, block: Block, size: int) -> list[Block]:
    """Return the last block if it is a paragraph that leads into this one, and both fit."""
    is_lead = last.kind is Kind.TEXT and text[last.end - 1] == ":" and block.kind is not Kind.TEXT
    return [last] if is_lead and block.end - last.start <= _WHOLE * size else []


def _heads(text: str, block: Block) -> str:
    """Return the heads of the columns of a table whose first row may not be cut off from them."""
    if block.kind is not Kind.TABLE or not block.cuts:
        return ""
    heads = head_row(text[block.start : block.cuts[0]])
    return heads if len(heads) <= _LONGEST_HEADS else ""


def _names(path: Sequence[Block]) -> tuple[str, ...]:
    return tuple(heading.name for heading in path if heading.name)


def _cut(sentences: Sentences, block: Block, size: int) -> Iterator[tuple[int, int]]:
    """Cut a large block where it hurts least, into stretches without blanks at their ends."""
    places, text = _places(sentences, block), sentences.text
    start = block.start
    while block.end - start > size:
        at = bisect_right(places, start + size)
        end = places[at - 1] if at and places[at - 1] > start else _blank(text, start, size)
        yield from _trimmed(text, start, end)
        start = end
    yield from _trimmed(text, start, block.end)


def _places(sentences: Sentences, block: Block) -> Sequence[int]:
    """Return the places where a block may be cut, in order."""
    if block.cuts:
        return block.cuts
    if block.kind in (Kind.CODE, Kind.TABLE):
        return [line.end() for line in _LINE.finditer(sentences.text, block.start, block.end)]
    return [end for _, end in sentences.spans(block.start, block.end)]


def _blank(text: str, start: int, size: int) -> int:
    """Return the last blank before a size is reached, or the size itself."""
    for at in range(start + size, start + size // 2, -1):
        if text[at - 1].isspace():
            return at
    return start + size


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    stretch = text[start:end]
    start, end = (
        start + len(stretch) - len(stretch.lstrip()),
        end - (len(stretch) - len(stretch.rstrip())),
    )
    if start < end:
        yield start, end


def _join_small(pieces: list[Piece], size: int) -> list[Piece]:
    """Let tiny sections join the next one beside or under them; both headings are in the text."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        shared = _shared(last.headings, piece.headings) if last else ()
        if last and _may_join(last, piece, shared, size):
            joined[-1] = Piece(last.lead, piece.end, shared, last.page, last.lead)
        else:
            joined.append(piece)
    return joined


def _may_join(last: Piece, piece: Piece, shared: tuple[str, ...], size: int) -> bool:
    tiny = last.end - last.start < size // _SMALL
    # Only its own heading, which is taken along from where it leads in, may leave its path.
    kin = len(shared) >= len(last.headings) - (last.lead < last.start)
    return tiny and kin and last.page == piece.page and piece.end - last.lead <= size


def _shared(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return tuple(one[:same])
