"""A text that a reader writes block by block, so that spans are right by construction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sextant.ingest.read.decode import storable
from sextant.ingest.read.limits import ReadLimits, at_most
from sextant.ingest.values import Block, Hyperlink, Kind

_GAP = "\n\n"
_DEEPEST = 6


class Draft:
    """Collects blocks and links; the text between blocks is a blank line."""

    def __init__(self, limits: ReadLimits) -> None:
        self.limits = limits
        self.blocks: list[Block] = []
        self.links: list[Hyperlink] = []
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        """What was written so far."""
        return _GAP.join(self._parts)

    def add(self, kind: Kind, text: str, page: int | None = None, cuts: Sequence[int] = ()) -> int:
        """Write a block and return where it starts; cuts count from the start of the given text."""
        text = storable(text)
        body = text.strip()
        if not body:
            return self._length
        start = self._next()
        shift = start - (len(text) - len(text.lstrip()))
        end = start + len(body)
        inside = tuple(cut + shift for cut in cuts if start < cut + shift < end)
        self._append(body, [Block(kind, start, end, page=page, cuts=inside)])
        return start

    def heading(self, name: str, level: int, page: int | None = None) -> int:
        """Write a heading, marked as one for where it stands amid text; return where it starts."""
        name = " ".join(storable(name).split())
        if not name:
            return self._length
        start = self._next()
        marked = f"{'#' * min(level, _DEEPEST)} {name}"
        end = start + len(marked)
        self._append(marked, [Block(Kind.HEADING, start, end, level, name, page)])
        return start

    def rows(
        self, lines: Sequence[str], kind: Kind = Kind.TABLE, page: int | None = None, head: int = 0
    ) -> int:
        """Write lines as one block that may be cut between them, though not inside its head."""
        cuts, at = [], 0
        for number, line in enumerate(lines):
            if number > head:
                cuts.append(at)
            at += len(line) + 1
        return self.add(kind, "\n".join(lines), page, cuts)

    def include(self, text: str, blocks: Sequence[Block], links: Iterable[Hyperlink] = ()) -> None:
        """Write a text that was read already, with its blocks and links."""
        if not blocks:
            return
        first, last = blocks[0].start, blocks[-1].end
        shift = self._next() - first
        self.links.extend(
            replace(link, at=link.at + shift) for link in links if first <= link.at < last
        )
        self._append(text[first:last], [moved(block, shift) for block in blocks])

    def link(self, target: str, label: str, at: int) -> None:
        """Note a link that starts at a place in the text."""
        if target and len(self.links) < self.limits.links:
            self.links.append(Hyperlink(storable(target), storable(label), at))

    def _next(self) -> int:
        return self._length + len(_GAP) if self._parts else 0

    def _append(self, body: str, blocks: list[Block]) -> None:
        self._length = self._next() + len(body)
        at_most(self.limits.text, self._length, "characters of text")
        self._parts.append(body)
        self.blocks.extend(blocks)


def moved(block: Block, shift: int) -> Block:
    """Return the block as it lies in a text that starts elsewhere."""
    if not shift:
        return block
    cuts = tuple(cut + shift for cut in block.cuts)
    return replace(block, start=block.start + shift, end=block.end + shift, cuts=cuts)
