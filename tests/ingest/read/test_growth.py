"""Twice as long a file is twice as much work, whatever its shape, for every reader and for shaping.

Work is counted, not timed: every call of a function counts one, and a method that looks at each
sign of a string counts these. What happens inside one call of a regular expression or of a parser
in C is not seen here: ``bench/readers.py`` measures the time of the same shapes. Nor is a slice,
but what is cut out of a text is nearly always looked at by one of these methods, and counted then.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest

from sextant.errors import SextantError
from sextant.ingest.read import read
from sextant.ingest.shaping.rules import Marks, Ruling
from sextant.ingest.shaping.shape import Shaping, drafts_of
from sextant.ingest.values import Item
from sextant.limits import Limits
from tests.ingest.read.shapes import PATHS, shapes_of

SIZE = 1_700
"""More than a block that is kept whole: 1,600 signs of code, at 800 a chunk."""
GROWTH = 2.3
"""Twice the work, and what a few more digits, chunks and names add."""
FIXED = 4_000
"""What any file costs; a shape that hardly costs more can be in any proportion to it."""
WHOLE = frozenset(
    "strip lstrip rstrip split splitlines isupper islower isspace lower upper casefold replace "  # noqa: SIM905 - words read best as words
    "translate encode decode".split()
)
SIZES = {"a.docx": 100, "a.pptx": 400, "a.xlsx": 500, "a.mbox": 3_500}
"""Of formats whose parsers take a thousand calls for a paragraph, and of mail, whose numbered steps
are kept whole up to 3,200 signs of the file."""
SHAPING = Shaping("docs", Ruling(), 800, Limits())


def work_of(path: str, data: bytes) -> int:
    """Return how much reading and shaping a file takes."""
    work = 0

    def count(_frame: FrameType, event: str, function: Any) -> None:
        nonlocal work
        if event == "call":
            work += 1
        elif event == "c_call":
            work += 1
            if function.__name__ in WHOLE and isinstance(function.__self__, str | bytes):
                work += len(function.__self__)

    item = Item(path, lambda: data, len(data))
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        with suppress(SextantError):
            drafts_of(item, read(path, data), "", SHAPING, Marks())
    finally:
        sys.setprofile(before)
    return work


@pytest.mark.parametrize("path", PATHS)
def test_work_grows_no_faster_than_a_file_of_any_shape(path: str) -> None:
    shapes, size = shapes_of(path), SIZES.get(path, SIZE)
    assert len(shapes) >= 40
    for make in shapes.values():  # what is loaded and compiled on first use is no work on a file
        work_of(path, make(100))
    grown = {
        name: (work_of(path, make(size)), work_of(path, make(2 * size)))
        for name, make in shapes.items()
    }
    faster = {name: pair for name, pair in grown.items() if pair[1] > GROWTH * pair[0] + FIXED}
    assert faster == {}


def test_a_reader_that_looks_at_all_above_each_line_is_found_out() -> None:
    text = "=\n" * SIZE

    def look(text: str) -> None:
        for at in range(0, len(text), 2):
            text[:at].rstrip()

    work = []
    for part in (text[: len(text) // 2], text):
        counted = 0

        def count(_frame: FrameType, event: str, function: Any) -> None:
            nonlocal counted
            if event == "c_call" and function.__name__ in WHOLE:
                counted += len(function.__self__)

        sys.setprofile(count)
        look(part)
        sys.setprofile(None)
        work.append(counted)
    assert work[1] > GROWTH * work[0] + FIXED
