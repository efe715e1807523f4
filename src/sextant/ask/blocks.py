"""From scored passages to the blocks of an answer: runs of pages, with the point marked in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from sextant.ask.quotes import Quote
from sextant.ask.score import Readings, Scored, Span
from sextant.text.blocks.bounds import LONGEST as LONGEST_RUN
from sextant.text.blocks.bounds import run_around
from sextant.text.blocks.rendering import render_prose, render_run
from sextant.text.layouts.code_blocks import format_of
from sextant.text.layouts.rows import is_head_row
from sextant.text.markdown import readable
from sextant.text.orders import has_order, orders_in
from sextant.types import Passage

MOST = 3
LONGEST, _FRAME = 2_200, 80
"""Characters that the blocks of an answer have together at most, and what headings and labels add
to each."""

_SURE = 0.85
"""With so much likelihood told nothing is added. Of 336 questions of bench/documentation 266 are
shown the answer in 2.0 blocks; 267 in 2.1 with 0.9, 256 in 1.7 with 0.6, 263 in 2.9 with no bound.
"""

_BELIEVED = 0.5
"""A block is told beside another one if its source is worth this much of the other's."""

_GAP = 40
"""Characters between two passages that are one behind the other: blank lines, marks of a fence."""

_ALIKE = 0.85
"""From this share of common words on two texts are one."""

_ROWS = frozenset({"csv", "xlsx"})
"""Formats of which a row is told, and not the rows around it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A run of a page in Markdown under its headings; the point in it answers the question.

    ``part`` is the number of the part that it answers. A row is one of a sheet, each value under
    the name of its column. What goes on stands behind the block before it, under its headings.
    """

    quote: Quote
    markdown: str
    headings: tuple[str, ...] = ()
    point: tuple[int, ...] = ()
    likelihood: float = 0.0
    covered: float = 0.0
    part: int = 0
    is_row: bool = False
    goes_on: bool = False


def cut_blocks(
    scored: Sequence[Sequence[Scored]], readings: Readings, room: int = LONGEST
) -> tuple[Block, ...]:
    """Return the blocks that an answer is made of, the likeliest first.

    Scored are the passages for the whole question, and then for each of its parts, if it has some:
    then the best for each part is told, else the best, and further ones while it is not sure that
    the answer is among them.
    """
    taken: list[Scored] = []
    blocks: list[Block] = []
    for part, one in _in_turn(scored):
        left = room - sum(len(block.markdown) + _FRAME for block in blocks)
        is_new = _is_believed_beside(one, taken) and _says_more(one, taken, readings)
        block = _block(one, readings, min(LONGEST_RUN, left)) if is_new else None
        if block and not _is_told(block, blocks) and len(blocks) < MOST:
            taken.append(one)
            blocks.append(replace(block, part=part))
    rest = _rest_of_section(blocks, scored[0], readings, room) if blocks else None
    blocks += [rest] if rest else []
    return tuple(_joined(blocks))


def _rest_of_section(
    blocks: Sequence[Block], whole: Sequence[Scored], readings: Readings, room: int
) -> Block | None:
    """Return what was found right before or behind the first block in its section, if it has room.

    Of 336 questions of bench/documentation 272 instead of 265 are shown the answer with it, each
    set left out of the fit, in 140 characters more.
    """
    told = {block.quote.passage.chunk.id for block in blocks}
    left = room - sum(len(block.markdown) + _FRAME for block in blocks)
    for one in whole if not blocks[0].is_row else ():
        passage = one.hit.passage
        if passage.chunk.id not in told and _is_beside(passage, blocks[0]):
            rest = _block(one, readings, min(LONGEST_RUN, left))
            return replace(rest, point=(), part=blocks[0].part) if rest else None
    return None


def _is_beside(passage: Passage, block: Block) -> bool:
    """Whether a passage is next to a block under the same headings of its page."""
    own, other = passage.chunk, block.quote.passage.chunk
    gap = min(abs(own.start - other.end), abs(other.start - own.end))
    is_same = (passage.document.id, headings_of(passage)) == _path(block)
    return is_same and gap <= _GAP


def _in_turn(scored: Sequence[Sequence[Scored]]) -> Iterator[tuple[int, Scored]]:
    """Yield the passages to tell: the first for each part, then the second for each, and so on."""
    parts = list(enumerate(scored))[1:] or list(enumerate(scored))
    rows = [[(number, one) for one in _surest(own)] for number, own in parts]
    seen: set[str] = set()
    for row in zip_longest(*rows):
        for number, one in filter(None, row):
            if one.hit.passage.chunk.id not in seen:
                seen.add(one.hit.passage.chunk.id)
                yield number, one


def _surest(scored: Sequence[Scored]) -> Iterator[Scored]:
    """Yield the likeliest passages, until it is sure that the answer is among them."""
    told = 0.0
    for one in scored[:MOST]:
        if told < _SURE:
            yield one
        told += one.likelihood


def _is_believed_beside(one: Scored, taken: Sequence[Scored]) -> bool:
    return not taken or one.worth >= _BELIEVED * taken[0].worth


def _says_more(one: Scored, taken: Sequence[Scored], readings: Readings) -> bool:
    """Whether a passage has not nearly the same words as one that is told."""
    own = readings.read(one.hit.passage).terms
    others = (readings.read(other.hit.passage).terms for other in taken)
    return not any(len(own & theirs) >= _ALIKE * len(own | theirs) for theirs in others)


def _is_told(block: Block, blocks: Sequence[Block]) -> bool:
    """Whether another block has all of this; pages may differ in what is not told."""
    own = block.headings
    return any(block.markdown in one.markdown for one in blocks if one.headings == own)


def _block(one: Scored, readings: Readings, room: int) -> Block | None:
    """Return a passage as a block, or nothing of one that has nothing to tell or has no room."""
    passage = one.hit.passage
    text, kind = passage.chunk.text, format_of(passage)
    if kind in _ROWS:
        return _row(one, readings)
    orders = orders_in(text)
    if one.point is None and orders:
        return None
    start, end = run_around(text, kind, one.point or (0, len(text)), orders, room)
    shown = render_run(passage, start, end)
    if not shown or len(shown) > max(room, 0) or _lacks_its_list(shown):
        return None
    point = _place_of(passage, one.point, shown) if one.point else ()
    quote = Quote(passage, start, end)
    return Block(quote, shown, headings_of(passage), point, one.likelihood, one.covered)


def _row(one: Scored, readings: Readings) -> Block | None:
    """Return the row of a sheet that answers, each value under the name of its column."""
    passage = one.hit.passage
    unit = readings.units(passage).get(one.point) if one.point else None
    if unit is None:
        return None
    quote = Quote(passage, unit.start, unit.end)
    return Block(quote, unit.text, (), (), one.likelihood, one.covered, is_row=True)


def _lacks_its_list(shown: str) -> bool:
    """Whether a run is a line that leads into a list which stands elsewhere."""
    return shown.endswith(":") and "\n" not in shown


def _joined(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks, those of one heading path in a row and in the order of their page."""
    left = list(blocks)
    while left:
        first = left[0]
        own = [one for one in left if not one.is_row and _path(one) == _path(first)] or [first]
        left = [one for one in left if one not in own]
        told = sorted(own, key=lambda one: one.quote.passage.chunk.start + one.quote.start)
        for at, one in enumerate(told):
            yield replace(one, goes_on=at > 0)


def _path(block: Block) -> tuple[str, tuple[str, ...]]:
    return block.quote.passage.document.id, block.headings


def headings_of(passage: Passage) -> tuple[str, ...]:
    """Return the headings over a passage as a reader sees them, without the title of its page."""
    title = readable(passage.document.title)
    names = [readable(name) for name in passage.chunk.headings if not is_head_row(name)]
    return tuple(name for name in names if name and name != title and not has_order(name))


def _place_of(passage: Passage, point: Span, shown: str) -> tuple[int, ...]:
    """Return where a piece of a passage stands in how a run of it is shown; nothing if nowhere."""
    words = passage.chunk.text[slice(*point)]
    for form in (render_prose(words, format_of(passage)), words.strip()):
        at = shown.find(form) if form else -1
        if at >= 0 and len(form) < len(shown):
            return at, at + len(form)
    return ()
