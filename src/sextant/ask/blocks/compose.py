"""From what was found to the blocks of an answer: runs of pages, with the point marked in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sextant.ask.blocks.choose import Likely, enough, likely
from sextant.ask.blocks.signs import passage_signs
from sextant.ask.evidence.asked import Part, asked
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.marking.score import Mark, marked
from sextant.ask.evidence.meant import OddsOf
from sextant.ask.evidence.read import Read, Reader
from sextant.ask.quotes import Quote
from sextant.text.blocks.bounds import LONGEST, Span, run_around
from sextant.text.blocks.rendering import render_prose, render_run
from sextant.text.layouts.code_blocks import format_of
from sextant.text.layouts.rows import is_head_row
from sextant.text.markdown import readable
from sextant.text.orders import has_order, orders_in
from sextant.text.words import Words
from sextant.types import Hit, Passage

_LONGEST, _FRAME = 2_200, 80
"""Characters that the blocks of an answer have together at most, and what headings and labels add
to each."""

_ANSWERED = 0.35
"""A part is open if its best passage is less likely to answer it. Of 21 questions with parts in
bench/documentation that were told as known this keeps all 12 right ones, and 4 of 9 others not."""

_BELIEVED = 0.5
"""A block is told beside another one if its source is worth this much of the other's."""

_ALIKE = 0.85
"""From this share of common words on two texts are one."""

_ROWS = frozenset({"csv", "xlsx"})
"""Formats of which a row is told, and not the rows around it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a question, best first, and the sentences that say something to it."""

    hits: tuple[Hit, ...]
    claims: tuple[Claim, ...]
    odds: OddsOf


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of an answer, and the parts of the question that no passage likely answers."""

    told: tuple[Claim, ...] = ()
    open_parts: tuple[str, ...] = ()


def blocks_of(parts: Sequence[Part], found: Found, now: datetime, reader: Reader) -> Blocks:
    """Return the blocks that an answer is made of, the likeliest first."""
    reads = reader.read(found.hits, parts[0].goal.text if parts else "")
    if not reads:
        return Blocks()
    composer = _Composer(found, reads, now, reader.words)
    whole, *further = (composer.ranked(part) for part in parts)
    chosen = enough(whole, further, composer.claimed())
    kept = [hit for hit in chosen if composer.is_told_beside(hit, chosen)]
    blocks: list[Claim] = []
    for hit in kept:
        room = _LONGEST - sum(len(one.text) + _FRAME for one in blocks)
        block = composer.block(hit, min(LONGEST, room))
        if block and _is_new(block, blocks) and (not blocks or len(block.text) <= room):
            blocks.append(block)
    return Blocks(tuple(blocks), tuple(_open_parts(parts[1:], further)))


def _open_parts(parts: Sequence[Part], ranked: Sequence[Sequence[Likely]]) -> Iterator[str]:
    """Yield the parts to which no passage is likely enough to answer."""
    for part, own in zip(parts, ranked, strict=True):
        if own and own[0].likelihood < _ANSWERED:
            yield part.goal.text


def _is_new(block: Claim, blocks: Sequence[Claim]) -> bool:
    """Whether a block says what none before it does; pages may differ in what is not told."""
    own = block.headings
    return not any(block.text in one.text for one in blocks if one.headings == own)


class _Composer:
    """Ranks passages for a part and cuts blocks out of them."""

    def __init__(self, found: Found, reads: Sequence[Read], now: datetime, words: Words) -> None:
        self._found, self._reads, self._now, self._words = found, reads, now, words
        quotes = [quote for claim in found.claims for quote in claim.quotes]
        self._claimed = {quote.passage.chunk.id for quote in quotes}
        self._worth = {one.unit.passage.document.id: one.worth for one in reads}
        self._covered: dict[str, float] = {}
        self._sentences: dict[str, Claim] = {}
        self._points: dict[str, Span] = {}
        for claim in found.claims:
            for quote in () if claim.relations else claim.quotes:
                self._sentences.setdefault(quote.passage.chunk.id, claim)
                self._points.setdefault(quote.passage.chunk.id, (quote.start, quote.end))

    def claimed(self) -> list[Hit]:
        """Return the passages that sentences were chosen from, in their order."""
        hits = {hit.passage.chunk.id: hit for hit in self._found.hits}
        names = (claim.quotes[0].passage.chunk.id for claim in self._found.claims)
        return [hits[name] for name in dict.fromkeys(names) if name in hits]

    def ranked(self, part: Part) -> list[Likely]:
        """Return the passages with how likely each answers a part."""
        wanted = asked(part, self._reads, self._words, self._now.date())
        wanted = replace(wanted, odds=self._found.odds(part))
        marks = marked(wanted, self._reads)
        self._point_out(marks)
        hits = list(self._unopposed())
        signs = passage_signs(wanted, hits, marks, self._claimed, self._words)
        found = likely(hits, signs, [self._worth_of(hit) for hit in hits])
        for one in found:
            name = one.hit.passage.chunk.id
            self._covered[name] = max(one.covered, self._covered.get(name, 0.0))
        return found

    def _point_out(self, marks: Sequence[Mark]) -> None:
        for mark in marks:
            unit = mark.read.unit
            self._points.setdefault(unit.passage.chunk.id, (unit.start, unit.end))

    def _unopposed(self) -> Iterator[Hit]:
        """Yield the passages but those that only say otherwise than what is told."""
        others = [one.otherwise for one in self._found.claims if one.otherwise]
        opposed = {quote.passage.chunk.id for one in others for quote in one.quotes}
        for hit in self._found.hits:
            if hit.passage.chunk.id not in opposed - self._claimed:
                yield hit

    def is_told_beside(self, hit: Hit, chosen: Sequence[Hit]) -> bool:
        """Whether a passage is believed beside the best one and says something of its own."""
        if self._worth_of(hit) < _BELIEVED * self._worth_of(chosen[0]):
            return False
        before = chosen[: chosen.index(hit)]
        return not any(self._are_alike(hit, one) for one in before)

    def _worth_of(self, hit: Hit) -> float:
        return self._worth.get(hit.passage.document.id, 1.0)

    def _are_alike(self, one: Hit, other: Hit) -> bool:
        own, theirs = (set(self._words.terms(hit.passage.chunk.text)) for hit in (one, other))
        return len(own & theirs) >= _ALIKE * len(own | theirs)

    def block(self, hit: Hit, room: int) -> Claim | None:
        """Return a passage as a block, or nothing of one that has nothing to tell."""
        passage = hit.passage
        text, kind = passage.chunk.text, format_of(passage)
        if kind in _ROWS and (row := self._sentences.get(passage.chunk.id)):
            return row
        orders = orders_in(text)
        place = self._points.get(passage.chunk.id)
        if place is None and orders:
            return None
        start, end = run_around(text, kind, place or (0, len(text)), orders, room)
        shown = render_run(passage, start, end)
        if not shown or (shown.endswith(":") and "\n" not in shown):  # its list is elsewhere
            return None
        at = _place_of(passage, place, shown) if place else ()
        return Claim(
            shown,
            (Quote(passage, start, end),),
            score=self._covered.get(passage.chunk.id, 0.0),
            is_block=True,
            headings=headings_of(passage),
            marked=at,
        )


def headings_of(passage: Passage) -> tuple[str, ...]:
    """Return the headings over a passage as a reader sees them, without the title of its page."""
    title = readable(passage.document.title)
    names = [readable(name) for name in passage.chunk.headings if not is_head_row(name)]
    return tuple(name for name in names if name and name != title and not has_order(name))


def _place_of(passage: Passage, place: Span, shown: str) -> tuple[int, ...]:
    """Return where a piece of a passage stands in how a run of it is shown; nothing if nowhere."""
    said = passage.chunk.text[slice(*place)]
    for form in (render_prose(said, format_of(passage)), said.strip()):
        at = shown.find(form) if form else -1
        if at >= 0 and len(form) < len(shown):
            return at, at + len(form)
    return ()
