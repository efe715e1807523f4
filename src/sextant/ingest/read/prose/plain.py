"""Plain text: paragraphs between blank lines, and nothing else is known."""

from __future__ import annotations

import re

from sextant.ingest.read.decode import decode_within
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.prose.marks import links
from sextant.ingest.values import Block, Kind, Reading

_PARAGRAPH = re.compile(r"\S(?:[^\n]++|\n(?![ \t\r\f\v]*+(?:\n|\Z)))*+")
_LISTED = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]")


def read_text(given: Given) -> list[Reading]:
    """Read a plain text; its text is the file."""
    decoded = decode_within(given.data, given.limits)
    blocks = paragraphs(decoded.text)
    return [
        Reading(
            decoded.text,
            blocks,
            title=readable_name(given.path),
            source_type=given.format,
            links=links(decoded.text, blocks, given.limits.links),
            notes=decoded.notes,
        )
    ]


def paragraphs(text: str, start: int = 0) -> tuple[Block, ...]:
    """Return what stands between blank lines as blocks."""
    blocks = []
    for found in _PARAGRAPH.finditer(text, start):
        end = found.start() + len(found[0].rstrip())
        kind = Kind.LIST if _LISTED.match(found[0]) else Kind.TEXT
        blocks.append(Block(kind, found.start(), end))
    return tuple(blocks)
