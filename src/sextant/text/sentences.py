"""Where sentences end. Knows punctuation, blank lines and list items, but no language."""

from __future__ import annotations

import re
from collections.abc import Sequence

_STOP = re.compile(
    r"[.!?…。！？\n](?:"  # noqa: RUF001 - a set in front lets the search skip to one of them
    r"(?<=[.!?…])[.!?…]*[\"'”’)\]]*(?=\s)"  # noqa: RUF001 - quotes as they are printed
    r"|(?<=[。！？])[」』”]*"  # noqa: RUF001 - these scripts have stops of their own
    r"|(?<=\n)[ \t]*(?=\n)"
    r"|(?<=\n)(?=[ \t]*(?:[-*+•|#>]|\d{1,3}[.)])[ \t]))"
)
_SHORT = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|cf|al|approx|dept|fig|inc|ltd|nos|pp|vol|mr|mrs|ms|dr|prof|sr|jr|st|"
    r"jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)\.$",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"(?:^|[\s(.])[A-Z]\.$")
OPENERS = frozenset(
    "a after all an and any as at before both but each every for from he if in it its most no on "  # noqa: SIM905 - thirty quoted words would hide what they are
    "once one our she since so some that the their there these they this those to under until we "
    "what when where which while who with you your".split()
)
"""Words that open a sentence, and with a capital letter are still no names."""

_BEFORE = 12
"""Longer than any abbreviation that does not end a sentence."""

_LONGEST = 40
"""Longer than most words, with the initial behind them."""


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Return where each sentence starts and ends, without blanks at its ends."""
    end = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    at = start
    for stop in _STOP.finditer(text, start, end):
        if text[stop.start()] == "." and _goes_on(text, stop.end(), end):
            continue
        _keep(spans, text, at, stop.end())
        at = stop.end()
    _keep(spans, text, at, end)
    return spans


def _goes_on(text: str, stop: int, end: int) -> bool:
    """Whether a full stop belongs to an abbreviation, or a small letter follows it."""
    before, after = text[max(0, stop - _BEFORE) : stop], text[stop : min(end, stop + _BEFORE)]
    if _SHORT.search(before):
        return True
    word = after.split(maxsplit=1)[0] if after.strip() else ""
    if _INITIAL.search(before):
        begins = word[:1].isupper() and word.lower() not in OPENERS
        return begins and not _ends_a_name(text[max(0, stop - _LONGEST) : stop].split())
    return word[:1].islower() and "\n" not in after[:2]


def _ends_a_name(words: Sequence[str]) -> bool:
    """Whether a letter before a full stop is the end of a name, as in ``Service A.``"""
    return len(words) > 1 and words[-2][0].isupper() and not words[-2].endswith(".")


def _keep(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))
