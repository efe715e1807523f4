"""Code in running text: where it stands, and how it is written so that no sign of it changes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

_TICKS = re.compile("`+")
_FENCE = re.compile(r"^[ \t]*`{3,}", re.MULTILINE)
_BREAK = re.compile(r"\n(?=[ \t]*(?:\n|[-*+•|#>]|\d{1,3}[.)][ \t]|```|~~~))")
"""Where a line ends that the next one does not go on with: no code goes beyond it."""

Span = tuple[int, int]


def code_spans(text: str) -> list[Span]:
    """Return where code stands between back-ticks, these included; fences are something else."""
    if "`" not in text:
        return []
    fences = {found.end() for found in _FENCE.finditer(text)}
    runs = [run for run in _TICKS.finditer(text) if run.end() not in fences]
    by_length: dict[int, list[int]] = defaultdict(list)
    for run in runs:
        by_length[len(run[0])].append(run.start())
    breaks = [found.start() for found in _BREAK.finditer(text)]
    spans, at = [], 0
    for run in runs:
        start, end = run.start() + _is_escaped(text, run.start()), run.end()
        if start < at or start == end:
            continue
        alike = by_length[end - start]
        closing = bisect_left(alike, end)
        limit = bisect_left(breaks, start)
        last = breaks[limit] if limit < len(breaks) else len(text)
        if closing < len(alike) and alike[closing] < last:
            at = alike[closing] + end - start
            spans.append((start, at))
    return spans


def _is_escaped(text: str, at: int) -> bool:
    """Whether the first of some back-ticks begins no code; in code a backslash is one more sign."""
    first = at
    while first and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def code_in(span: str) -> str:
    """Return what stands between the back-ticks of a span, without the blank that pads it."""
    ticks = len(span) - len(span.lstrip("`"))
    code = span[ticks:-ticks]
    is_padded = code[:1] == code[-1:] == " " and bool(code.strip())
    return code[1:-1] if is_padded else code


def code_span(code: str) -> str:
    """Return a line of code between back-ticks, so many that nothing in it ends it."""
    ticks = "`" * (_longest_run(code) + 1)
    is_padded = code[:1] == "`" or code[-1:] == "`" or (code[:1] == code[-1:] == " " != code)
    return f"{ticks} {code} {ticks}" if is_padded or not code else f"{ticks}{code}{ticks}"


def code_fence(code: str) -> str:
    """Return lines of code in a fence that nothing in them ends; nothing of blank ones."""
    ticks = "`" * max(3, _longest_run(code) + 1)
    own = code.rstrip().strip("\n")
    return f"{ticks}\n{own}\n{ticks}" if own else ""


def _longest_run(code: str) -> int:
    return max(map(len, re.findall("`+", code)), default=0)
