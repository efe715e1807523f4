"""Where sentences end. Knows punctuation, blank lines, items, rows and labels, but no language."""

from __future__ import annotations

import re
from collections.abc import Sequence

_STOP = re.compile(
    r"[.!?…。！？\n](?:"  # noqa: RUF001 - a set in front lets the search skip to one of them
    r"(?<=[.!?…])(?<![.!?…]{2})[.!?…]*[\"'”’)\]]*(?=\s)"  # noqa: RUF001 - quotes as printed
    r"|(?<=[。！？])[」』”]*"  # noqa: RUF001 - these scripts have stops of their own
    r"|(?<=\n)[ \t]*(?=\n)"
    r"|(?<=\n)(?=[ \t]*(?:[-*+•|#>]|\d{1,3}[.)])[ \t])"
    r"|(?<=\n)(?=[^\n|]{0,500} \| |[ ]*-\n|[ ]+[\w.-]{1,60}:\n)"
    r"|(?<=\n)(?=[^:;|\n]{1,60}: [^;\n]{1,200}; [^:;\n]{1,60}: )"
    r"|(?<=\n)(?=[ \t]*[*_]{0,2}[A-Z][\w /-]{0,30}[*_]{0,2}:[*_]{0,2}[ \t]))"
)
_SHORT = frozenset(
    "e.g. i.e. vs. cf. approx. dept. fig. nos. pp. vol. mr. mrs. ms. dr. prof. st.".split()  # noqa: SIM905 - words read best as words
)
_SHORT_AT_ENDS = frozenset(
    "etc. al. inc. ltd. co. corp. sr. jr. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. "  # noqa: SIM905 - words read best as words
    "dec.".split()
)
"""Abbreviations that may also be the last word of a sentence."""

OPENERS = frozenset(
    "a add after all an and any are as ask at before both but can check configure could create "  # noqa: SIM905 - words read best as words
    "delete deploy did disable do does each enable every for from get had has have he how if in "
    "install is it its make most no note on once one our read restart run see set she should "
    "since so some that the their there these they this those to under until update use was we "
    "were what when where which while who why will with would you your".split()
)
"""Words that open a sentence, and with a capital letter are still no names."""

_HEADING = re.compile(
    r"#{1,6}[ \t][^\n]*\n|(?=[^\n]{1,200}\n[=~^*+-]{4})[^\n]*\n([=~^*+-])\1{3,}[ \t]*\n"
)
"""A heading with a line behind it: marked in front, or underlined."""

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
    words = text[max(0, stop - _LONGEST) : stop].split()
    last = words[-1].rpartition("(")[2]
    if last.lower() in _SHORT:
        return True
    after = text[stop : min(end, stop + _LONGEST)].split(None, 1)
    word = after[0] if after else ""
    if last.lower() in _SHORT_AT_ENDS:
        return not (word[:1].isupper() and word.lower() in OPENERS)
    if len(last.rpartition(".")[0].rpartition(".")[2]) == 1 and last[-2].isupper():
        begins = word[:1].isupper() and word.lower() not in OPENERS
        return begins and not _ends_a_name(words)
    return word[:1].islower() and text[stop] != "\n"


def _ends_a_name(words: Sequence[str]) -> bool:
    """Whether a letter before a full stop is the end of a name, as in ``Service A.``"""
    return len(words) > 1 and words[-2][0].isupper() and not words[-2].endswith(".")


def _keep(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    start, end = _trimmed(text, start, end)
    while start < end and (heading := _HEADING.match(text, start, end)):
        spans.append(_trimmed(text, start, heading.end()))
        start, end = _trimmed(text, heading.end(), end)
    if start < end:
        spans.append((start, end))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
