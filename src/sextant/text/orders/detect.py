"""Where a text speaks to an assistant instead of telling something. Knows many disguises.

The sentence of an order tells nothing, nor does anything behind the mark of another speaker. Not
every order is found: what a model makes up under one still has no source.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache

from sextant.text.orders.reading import as_read, decoded_in
from sextant.text.orders.rule import stems_in
from sextant.text.orders.rules import ORDERS, OTHER_SCRIPTS
from sextant.text.orders.speakers import SPEAKERS

_STOP = re.compile(
    r"[.!?;](?=\s)|[。！？]|\n(?=[ \t]{0,8}(?:\n|[-*+•|#>]|\d{1,3}[.)]|[\w -]{1,30}:\s))"  # noqa: RUF001 - stops of other scripts
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_REST_OF_LINK = re.compile(r"[^\n\[\]]{0,200}\]\([^()\s]{0,2000}\)")
_LEADING = "\n.!?:;, "
_QUOTED = re.compile(r"[\"“`'‘][^\"”`'’\n]{1,80}[\"”`'’]")  # noqa: RUF001 - quotes as printed
_SPOKEN_OF = re.compile(r"\b(?:injections?|attack(?:s|ers?)?|jailbreaks?|malicious|adversarial)\b")
_LEFT_OUT = " [left out: reads like an order] "
_STRONG = tuple(rule for rule in ORDERS if not rule.only_near)
_WEAK = tuple(rule for rule in ORDERS if rule.only_near)
Span = tuple[int, int]


@lru_cache(512)  # a question looks at the same few passages several times
def orders_in(text: str) -> tuple[Span, ...]:
    """Return where a text speaks to an assistant: from where to where it tells nothing."""
    read, places = as_read(text)
    stems = stems_in(read)
    others = [span[0] for rule in SPEAKERS for span in rule.spans(read, stems, len(read))]
    end = min(others, default=len(read))
    coded = [place[:2] for place in decoded_in(text) if has_order(place[2])]
    found = [
        (_place(places, start, text), _place(places, stop, text))
        for start, stop in _sentences(read, stems, end)
    ]
    behind = [(places[end], len(text))] if others else []
    return _joined(sorted([*found, *coded, *behind]))


def has_order(text: str) -> bool:
    """Whether a text speaks to an assistant anywhere."""
    return bool(orders_in(text))


def is_within(spans: Sequence[Span], start: int, end: int) -> bool:
    """Whether a stretch of a text has something of these spans in it."""
    return any(first < end and start < last for first, last in spans)


def without_orders(text: str) -> str:
    """Return a text with a note in the place of each order."""
    return _with_orders_as(lambda _: _LEFT_OUT, text)


def blank_orders(text: str) -> str:
    """Return a text with line breaks in the place of each order, so that all else stays put."""
    return _with_orders_as(lambda length: "\n" * length, text)


def _with_orders_as(instead: Callable[[int], str], text: str) -> str:
    """Return a text with something else in the place of each order, by its length."""
    kept, at = [], 0
    for start, end in orders_in(text):
        kept += [text[at:start], instead(end - start)]
        at = end
    return "".join([*kept, text[at:]])


def _sentences(read: str, stems: frozenset[str], end: int) -> list[Span]:
    """Return the sentences that are orders, and those beside them that go on with one."""
    rules = _STRONG if read.isascii() else (*_STRONG, OTHER_SCRIPTS)
    found = [span for rule in rules for span in rule.spans(read, stems, end)]
    if not found:
        return []
    stops = [0, *(stop.end() for stop in _STOP.finditer(read, 0, end)), end]
    strong = [_sentence(stops, read, span) for span in found]
    strong = [span for span in strong if not _is_spoken_of(read[slice(*span)])]
    breaks = [one.end() for one in _PARAGRAPH.finditer(read, 0, end)]
    beside = {bisect_right(breaks, stop - 1) for _, stop in strong}
    weak = (span for rule in _WEAK for span in rule.spans(read, stems, end)) if strong else ()
    further = [
        _sentence(stops, read, span) for span in weak if bisect_right(breaks, span[0]) in beside
    ]
    return strong + further


def _sentence(stops: Sequence[int], read: str, span: Span) -> Span:
    """Return the sentence that a match stands in, with the rest of the link that it is in."""
    start, end = span
    first = end - len(read[start:end].lstrip(_LEADING))
    start, end = stops[bisect_right(stops, first) - 1], stops[bisect_left(stops, end)]
    is_open = read.count("[", start, end) > read.count("]", start, end)
    rest = _REST_OF_LINK.match(read, end) if is_open else None
    return start, rest.end() if rest else end


def _is_spoken_of(sentence: str) -> bool:
    """Whether a sentence is about orders and quotes a short one, as a page on injection does."""
    bare = _QUOTED.sub(" ", sentence)
    stems = stems_in(bare)
    return bool(_SPOKEN_OF.search(bare)) and not any(
        True for rule in _STRONG for _ in rule.spans(bare, stems, len(bare))
    )


def _joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return spans that do not touch each other."""
    held: list[Span] = []
    for span in spans:
        if held and span[0] <= held[-1][1]:
            held[-1] = held[-1][0], max(held[-1][1], span[1])
        else:
            held.append(span)
    return tuple(held)


def _place(places: Sequence[int], at: int, text: str) -> int:
    return places[at] if at < len(places) else len(text)
