"""Lines of a printed page to paragraphs and headings, by place and size of letters."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sextant.ingest.read.decode import storable

_HYPHENATED = re.compile("[\ufffe\u00ad\x02]\n?")
_LARGER = 1.15
_LONGEST_HEADING = 120
_GAP = 1.6
_LEVELS = 3


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line, where it stands on the page from below, and how large its letters are."""

    text: str
    bottom: float
    top: float
    size: float


def read_lines(textpage: Any) -> Iterator[Line]:
    """Yield the lines of a page as the parser orders them."""
    import pypdfium2.raw as pdfium

    count = textpage.count_chars()
    text = textpage.get_text_range() if count else ""
    at = 0
    for raw in text.split("\n"):
        body = raw.strip()
        first = at + len(raw) - len(raw.lstrip())
        at += len(raw) + 1
        if not body:
            continue
        bottom = top = size = 0.0
        if first < count:
            _, bottom, _, top = textpage.get_charbox(first, loose=True)
            size = round(float(pdfium.FPDFText_GetFontSize(textpage, ctypes.c_int(first))), 1)
        yield Line(storable(body), bottom, top, size or round(top - bottom, 1))


def body_size(lines: Sequence[Line]) -> float:
    """Return the size that most letters have."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def paragraphs_of(
    lines: Sequence[Line], usual: float, outline: Mapping[str, int]
) -> Iterator[tuple[int, str]]:
    """Yield level and text: 0 is a paragraph, more is a heading."""
    held: list[Line] = []
    level = 0
    for line in lines:
        found = _level(line, usual, outline)
        if held and (found != level or _apart(held[-1], line)):
            yield level, _joined(held)
            held = []
        level = found
        held.append(line)
    if held:
        yield level, _joined(held)


def _level(line: Line, usual: float, outline: Mapping[str, int]) -> int:
    known = outline.get("".join(line.text.split()).casefold())
    if known:
        return known
    if not usual or line.size < usual * _LARGER or len(line.text) > _LONGEST_HEADING:
        return 0
    if not any(letter.isalpha() for letter in line.text):
        return 0
    steps = int((line.size / usual - 1) / 0.3)
    return max(_LEVELS - steps, 1)


def _apart(above: Line, below: Line) -> bool:
    """Whether the distance of two lines is more than that of lines in a paragraph."""
    height = max(above.top - above.bottom, below.top - below.bottom, 1.0)
    distance = above.bottom - below.bottom
    return distance > height * _GAP or distance < -height


def _joined(lines: Sequence[Line]) -> str:
    return _HYPHENATED.sub("", "\n".join(line.text for line in lines))
