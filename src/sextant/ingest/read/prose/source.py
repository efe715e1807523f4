"""Source code, whatever the language: what stands at the left margin is kept whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sextant.ingest.read.decode import decode_within
from sextant.ingest.read.given import Given
from sextant.ingest.read.prose.marks import links
from sextant.ingest.values import Block, Kind, Reading

_START = re.compile(r"(?<=\n)[ \t]*\n(?=([ \t]*)(\S{1,20}))")
_CLOSER = re.compile(r"[)\]}>]|(?:end|else|elif|except|finally|fi|done|esac)\b")
_SHEBANG = re.compile(r"\A(?:#![^\n]*\n|<\?php\s*|#[^\n]*coding[:=][^\n]*\n)+")
_COMMENT = re.compile(
    r"""\s*(?:
      (?:(?:\#(?!!|include|define|if|pragma|import|\[)|//|--|;|%)[^\n]*+(?:\n[ \t]*|\Z))++
    | /\*.{0,20000}?\*/
    | \"{3}.{0,20000}?\"{3}
    | '{3}.{0,20000}?'{3}
    | <!--.{0,20000}?-->
    | \{-.{0,20000}?-\}
    )""",
    re.VERBOSE | re.DOTALL,
)


def read_source(given: Given) -> list[Reading]:
    """Read a source file; its text is the file, its first comment prose."""
    decoded = decode_within(given.data, given.limits)
    text = decoded.text
    blocks = tuple(_blocks(text))
    return [
        Reading(
            text,
            blocks,
            title=given.path.rstrip("/").rpartition("/")[2],
            source_type=given.format,
            links=links(text, (), given.limits.links) if "://" in text else (),
            notes=decoded.notes,
        )
    ]


def _blocks(text: str) -> Iterator[Block]:
    shebang = _SHEBANG.match(text)
    start = shebang.end() if shebang else 0
    comment = _COMMENT.match(text, start)
    if shebang:
        yield from _block(Kind.CODE, text, 0, start, [])
    if comment:
        yield from _block(Kind.TEXT, text, start, comment.end(), [])
        start = comment.end()
    cuts: list[int] = []
    deepest = 0
    for found in _START.finditer(text, start):
        indent = len(found[1].expandtabs(4))
        if indent == 0 and not _CLOSER.match(found[2]):
            yield from _block(Kind.CODE, text, start, found.end(), cuts)
            start, cuts, deepest = found.end(), [], 0
        elif indent and (not cuts or indent <= deepest):
            deepest = indent
            cuts.append(found.end())
    yield from _block(Kind.CODE, text, start, len(text), cuts)


def _block(kind: Kind, text: str, start: int, end: int, cuts: list[int]) -> Iterator[Block]:
    piece = text[start:end]
    body = piece.strip()
    if body:
        first = start + len(piece) - len(piece.lstrip())
        last = first + len(body)
        yield Block(kind, first, last, cuts=tuple(cut for cut in cuts if first < cut < last))
