"""Long answers in parts that a channel takes: cut between blocks, never within code.

Knows Markdown's fences and blank lines, and no channel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_SHORTENED = "…"


def cut_parts(text: str, limit: int) -> list[str]:
    """Return a text in parts of at most so many characters each, cut between blocks if at all."""
    if len(text) <= limit:
        return [text]
    parts: list[str] = []
    held = ""
    for block in _blocks(text):
        for piece in _fitting(block, limit):
            joined = f"{held}\n\n{piece}" if held else piece
            if len(joined) > limit:
                parts.append(held)
                joined = piece
            held = joined
    return [*parts, held] if held else parts


def _blocks(text: str) -> Iterator[str]:
    """Yield the blocks of a Markdown text: runs of lines between blank ones, a fence as one."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if not fence and not line.strip():
            yield from _joined(lines)
            lines = []
            continue
        lines.append(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and _closes(mark, fence):
            fence = ""
    yield from _joined(lines)


def _joined(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield "\n".join(lines)


def _closes(mark: re.Match[str], fence: str) -> bool:
    return mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip()


def _fitting(block: str, limit: int) -> Iterator[str]:
    """Yield a block in pieces that fit: code that is too long is shortened, and still closed."""
    if len(block) <= limit:
        yield block
    elif _FENCE.search(block.split("\n", 1)[0]):
        yield _shortened_code(block, limit)
    else:
        yield from _runs(block, limit)


def _shortened_code(block: str, limit: int) -> str:
    opening, *rest = block.splitlines()
    mark = _FENCE.match(opening)
    closing = mark[1] if mark else "```"
    room = limit - len(opening) - len(closing) - len(_SHORTENED) - 3
    kept: list[str] = []
    for line in rest[:-1]:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([opening, *kept, _SHORTENED, closing])


def _runs(block: str, limit: int) -> Iterator[str]:
    """Yield a paragraph in pieces: cut behind a line, else behind a word, else where it must be."""
    rest = block
    while len(rest) > limit:
        cut = rest.rfind("\n", 1, limit)
        cut = cut if cut > 0 else rest.rfind(" ", 1, limit)
        cut = cut if cut > 0 else limit
        yield rest[:cut].rstrip()
        rest = rest[cut:].lstrip()
    if rest:
        yield rest
