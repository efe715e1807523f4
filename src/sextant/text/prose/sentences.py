"""Where sentences end. Knows punctuation, blank lines, items, rows and labels, but no language."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter

from sextant.text.code_spans import code_spans
from sextant.text.prose.headings import HEADING, is_shouted

_STOP = re.compile(
    r"[.!?…。！？\n](?:"  # noqa: RUF001 - a set in front lets the search skip to one of them
    r"(?<=[.!?…])(?<![.!?…]{2})[.!?…]*+"
    r"(?:[\"'”’)\]*_`]|\[\^?[\w#*-]{1,20}+\]|</\w{1,20}+>)*+(?=\s)"  # noqa: RUF001 - quotes as printed
    r"|(?<=[a-z\d%)][.!?])(?=[A-Z])"
    r"|(?<=[。！？])[」』”]*"  # noqa: RUF001 - these scripts have stops of their own
    r"|(?<=\n)[ \t]*(?=\n)"
    r"|(?<=\n)(?=[ \t]*(?:[-•|>]|[*+]{1,6}|[#=]{1,6}|\d{1,3}[.)])[ \t])"
    r"|(?<=\n)(?=[^\n|]{0,500} \| |[ ]*-\n|[ ]+[\w.-]{1,60}:\n)"
    r"|(?<=\n)(?=[^:;|\n]{1,60}: [^;\n]{1,200}; [^:;\n]{1,60}: )"
    r"|(?<=\n)(?=[ \t]*[*_]{0,2}[A-Z][\w /-]{0,30}[*_]{0,2}:[*_]{0,2}[ \t])"
    r"|(?<=\n)(?=:[^\W\d][\w -]{0,30}:[ \t])"
    r"|(?<=\n)(?=[^\n]{1,200}\n(?:={3,}|-{3,}|([~^*+])\1{3,})[ \t]*(?:\n|\Z))"
    r"|(?<=  \n)(?=[ \t]*[*_`\[]{0,3}[A-Z\d]))"
)
_SHORT = frozenset(
    "e.g. i.e. vs. cf. approx. dept. fig. nos. pp. vol. mr. mrs. ms. dr. prof. st.".split()  # noqa: SIM905 - words read best as words
)
_SHORT_AT_ENDS = frozenset(
    "etc. al. inc. ltd. co. corp. sr. jr. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. "  # noqa: SIM905 - words read best as words
    "dec.".split()
)
"""Abbreviations that may also be the last word of a sentence."""

_SHORT_BEFORE_NUMBERS = frozenset(
    "no. nr. tel. ext. max. min. art. sec. ch. p. v. ver. rm. ca. est.".split()  # noqa: SIM905 - words read best as words
)
_HOURS = frozenset({"a.m.", "p.m."})

OPENERS = frozenset(
    "a add after all an and any are as ask at before both but can check configure could create "  # noqa: SIM905 - words read best as words
    "delete deploy did disable do does each enable every for from get had has have he how if in "
    "install is it its make most no note on once one our read restart run see set she should "
    "since so some that the their there these they this those to under until update use was we "
    "were what when where which while who why will with would you your".split()
)
"""Words that open a sentence, and with a capital letter are still no names."""

_STARTS = frozenset(
    "although another because but during he here how however it its our she since the their there "  # noqa: SIM905 - words read best as words
    "these they this those thus we what which who why you your".split()
)
"""Words that open a sentence, and that hardly any call or value is named by."""

_GLUED = re.compile(r"(?<=[a-z\d%)][.!?])(?!\w[a-z]+[A-Z])([A-Z][\w-]*),?(?: [\w(]\S*){2}")
"""What follows a stop when the blank between two sentences is lost."""

_NAMED = re.compile(r"[./\\:@_`].*[^)]$")
"""A last word that is a path or a name of several parts; in brackets it may be ``(P < .001)``."""

_FAR_BACK = 400
_FEWEST_WORDS = 4
"""A sentence is longer, a call such as ``client.Get returns`` is not."""

_SPACED = re.compile(r"(?<=[a-z\d%)][.!?])\s[A-Z]")
_FEWEST_LOST = 2
"""A text that surely loses so many blanks, and most of them, does so everywhere."""

_QUOTED = re.compile(r"[ \t]*>[> \t]*")
_NOTE = re.compile(r"\[!\w+\]\s*")
"""What says of a quote that it is a note: ``> [!NOTE]``"""

_BEGINS = re.compile(r"(?:[-*+•#]|\d{1,3}[.)])[ \t]")
_NUMBERED = re.compile(r"[ \t]*(?:\d{1,3}[.)][ \t]+)?")
_MARKS = "*_`"
_LEADER = "...."
"""What leads the eye to a value: ``Phone ..... 4410``"""

_LONGEST_SHOUT = 80

_LONGEST = 40
"""Longer than most words, with the initial behind them."""


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Return where each sentence starts and ends, without blanks at its ends."""
    return Sentences(text).spans(start, end)


class Sentences:
    """Finds the sentences of one text, stretch by stretch; what holds for all is found once."""

    def __init__(self, text: str) -> None:
        self.text, self._lost = text, _LostBlanks(text)

    def spans(self, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
        """Return where each sentence of a stretch starts and ends, without blanks at its ends."""
        text, lost = self.text, self._lost
        end = len(text) if end is None else end
        spans: list[tuple[int, int]] = []
        code = code_spans(text[start:end])
        at = start
        for stop in _STOP.finditer(text, start, end):
            sign = text[stop.start()]
            if sign != "\n" and _is_inside(code, stop.start() - start):
                continue
            if _is_glued(text, stop.end(), end) and not lost.between(at, stop.end(), end):
                continue
            if sign == "." and _goes_on(text, stop.end(), end):
                continue
            if sign == "\n" and _is_quoted_on(text, stop.start(), end):
                continue
            _keep(spans, text, at, stop.end())
            at = stop.end()
        _keep(spans, text, at, end)
        return spans


def _is_inside(spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Whether a place stands in one of these spans, which are in order."""
    before = bisect_right(spans, at, key=itemgetter(0)) - 1
    return before >= 0 and at < spans[before][1] - 1


def _is_glued(text: str, stop: int, end: int) -> bool:
    """Whether a letter stands directly behind a stop that wants a blank."""
    return stop < end and text[stop - 1] in ".!?" and not text[stop].isspace()


class _LostBlanks:
    """Where a text lost the blank between two sentences: ``is kept.The next one``."""

    def __init__(self, text: str) -> None:
        self._text = text

    def between(self, start: int, stop: int, end: int) -> bool:
        """Whether a sentence ends here, and not in the middle of a name like ``util.List``."""
        after = _GLUED.match(self._text, stop, end)
        if after is None or not self._ends(start, stop):
            return False
        return _opens(after) or (not self._text[stop - 2].isdigit() and self._is_usual)

    @cached_property
    def _is_usual(self) -> bool:
        """Whether words that open sentences show that the text loses its blanks."""
        glued = list(_GLUED.finditer(self._text))
        sure = [one for one in glued if _opens(one) and self._ends(0, one.start())]
        kept = sum(1 for _ in _SPACED.finditer(self._text))
        return len(sure) >= _FEWEST_LOST and len(glued) > kept

    def _ends(self, start: int, stop: int) -> bool:
        words = self._text[max(start, stop - _FAR_BACK) : stop - 1].split()
        return len(words) >= _FEWEST_WORDS and not _NAMED.search(words[-1])


def _opens(glued: re.Match[str]) -> bool:
    return glued[1].lower() in _STARTS


def _goes_on(text: str, stop: int, end: int) -> bool:
    """Whether a full stop belongs to an abbreviation, or a small letter follows it."""
    words = text[max(0, stop - _LONGEST) : stop].split()
    last = words[-1].rpartition("(")[2].strip(_MARKS)
    if last.lower() in _SHORT or last.endswith(_LEADER):
        return True
    after = text[stop : min(end, stop + _LONGEST)].split(None, 1)
    word = after[0] if after else ""
    if last.lower() in _HOURS:
        return word[:1].islower()
    if last.lower() in _SHORT_BEFORE_NUMBERS and word[:1].isdigit():
        return True
    if last.lower() in _SHORT_AT_ENDS:
        return not (word[:1].isupper() and word.lower() in OPENERS)
    if word[:1].isupper() and _is_initial(last):
        return word.lower() not in OPENERS and not _ends_a_name(words)
    return word[:1].islower() and text[stop] != "\n"


def _is_initial(word: str) -> bool:
    return len(word.rpartition(".")[0].rpartition(".")[2]) == 1 and word[-2].isupper()


def _ends_a_name(words: Sequence[str]) -> bool:
    """Whether a letter before a full stop is the end of a name, as in ``Service A.``"""
    before = words[-2].strip(_MARKS) if len(words) > 1 else ""
    return before[:1].isupper() and not before.endswith(".")


def _is_quoted_on(text: str, at: int, end: int) -> bool:
    """Whether a line of a quote goes on in the next one: ``> a line`` and ``> that goes on``."""
    below = _QUOTED.match(text, at + 1, end)
    above = _QUOTED.match(text, text.rfind("\n", 0, at) + 1, at) if below else None
    if below is None or above is None:
        return False
    ends = above.end() == at or _NOTE.fullmatch(text, above.end(), at)
    return not ends and not _BEGINS.match(text, below.end(), end)


def _keep(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    start, end = _trimmed(text, start, end)
    small: int | None = None
    # A heading has marks in front or a line under it, and so has a line in capitals.
    while start < end and (text[start] in "#=" or text.find("\n", start, end) >= 0):
        stop = _heading_end(text, start, end)
        if not stop and (stop := _shout_end(text, start, end)):
            # Looked for once, from the end: there may be a line in capitals over each other one.
            small = _last_small(text, start, end) if small is None else small
            stop = stop if small >= stop else 0
        if not stop:
            break
        spans.append(_trimmed(text, start, stop))
        start, end = _trimmed(text, stop, end)
    if start < end:
        spans.append((start, end))


def _heading_end(text: str, start: int, end: int) -> int:
    """Return where a heading ends that stands here, or 0."""
    heading = HEADING.match(text, start, end)
    return heading.end() if heading else 0


def _shout_end(text: str, start: int, end: int) -> int:
    """Return where a line in capitals ends that stands here over a line with one, or 0."""
    stop = text.find("\n", start, min(end, start + _LONGEST_SHOUT))
    if stop < 0 or not is_shouted(text[start:stop]):
        return 0
    line = text.rfind("\n", 0, start) + 1
    below, _ = _trimmed(text, stop, end)
    leads = _NUMBERED.fullmatch(text, line, start) and text[below : below + 1].isupper()
    return stop if leads and below < end else 0


def _last_small(text: str, start: int, end: int) -> int:
    """Return the last place with a letter that is no capital, or -1."""
    for at in range(end - 1, start - 1, -1):
        sign = text[at]
        if sign.islower() or (sign.istitle() and not sign.isupper()):
            return at
    return -1


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
