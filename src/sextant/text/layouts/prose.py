"""Sentences and items of prose, each under the heading or the lead that it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sextant.text.layouts.code_blocks import format_of
from sextant.text.layouts.piece import Line, Unit, cut, stretches
from sextant.text.markdown import readable
from sextant.text.prose.headings import (
    HEADING,
    heading_of,
    headings_before,
    headings_in,
    is_shouted,
)
from sextant.text.prose.sentences import sentence_spans
from sextant.types import Passage

_NOTE = (
    r"(?:admonition|attention|caution|danger|deprecated|error|hint|important|note|seealso|tip|topic|"
    r"versionadded|versionchanged|warning)::\s"
)
_META = re.compile(rf"^\.\. (?!{_NOTE})|^>?[ \t]*\[!\w+\]$|^:\w[\w -]*:$")
_WORD = re.compile(r"\w")
_CONTINUES = re.compile(
    r"(?:After that|After this|Then|Otherwise|So|Therefore|Thus|Hence|That is why|This is why|"
    r"In that case|In this case|If so|If not|If none|Instead|This means|That means)\b"
)
_NUMBER = re.compile(r"^\d{1,3}[.)]$")
MARK = re.compile(r"^[> \t]*(?:[-•]|[*+]{1,6}|\d{1,3}[.)])[ \t]+")
_ASIDE = re.compile(rf"^(?:>[> \t]*|\.\. {_NOTE}\s*)")
"""What stands before a sentence that is set apart: a quote, or a note in reStructuredText."""

_TOGETHER = 300


def sentences_in(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    """Return sentences; those of an item of a list that is not long stay together."""
    text = passage.chunk.text
    found: list[Unit] = []
    under = heading = next(iter(headings_before(headings_in(text), block[0][0])), "")
    numbered = False
    for start, stop in sentence_spans(text, block[0][0], block[-1][1]):
        said = text[start:stop]
        name = "" if numbered else heading_of(said)
        if name or _META.match(said) or _NUMBER.match(said):
            under = heading = name or heading
            numbered = bool(_NUMBER.match(said))
            continue
        unit, stop = _sentence(passage, start, stop, under, numbered=numbered)
        numbered = False
        if unit.layout != "item" and found and found[-1].layout == "item":
            under = heading if "\n\n" in text[found[-1].end : start] else under
            unit = replace(unit, under=under)
        if unit.layout != "item" and found and _goes_on(found[-1], unit):
            before = found.pop()
            unit = replace(piece(passage, before.start, stop, before.under), layout=before.layout)
        if _WORD.search(unit.text):
            found.append(unit)
            found += _rest(unit, stop)
        under, heading = _led(unit, under, heading)
    return found


def piece(passage: Passage, start: int, stop: int, under: str) -> Unit:
    """Return a stretch of a passage as a sentence that is not too long."""
    end = cut(passage.chunk.text, start, stop)
    said = readable(passage.chunk.text[start:end], format_of(passage))
    return Unit(passage, start, end, said, under)


def _sentence(
    passage: Passage, start: int, stop: int, under: str, *, numbered: bool
) -> tuple[Unit, int]:
    """Return a sentence without what is before it, and its end; over a rule, without the rule."""
    said = passage.chunk.text[start:stop]
    ruled = HEADING.fullmatch(said)
    stop = start + ruled.end("title") if ruled and ruled["title"] else stop
    mark = MARK.match(said)
    aside = mark or _ASIDE.match(said)
    unit = piece(passage, start + aside.end() if aside else start, stop, under)
    is_item = mark or (numbered and not is_shouted(unit.text))
    return replace(unit, layout="item") if is_item else unit, stop


def _led(unit: Unit, under: str, heading: str) -> tuple[str, str]:
    """Return what the sentences behind one stand under, and which heading they have."""
    if unit.layout == "item":
        return under, heading
    if is_shouted(unit.text):
        return unit.text, unit.text
    return (unit.text if unit.text.endswith(":") else under), heading


def _rest(unit: Unit, stop: int) -> Iterator[Unit]:
    """Yield what is left of a sentence that was cut."""
    for start, end in stretches(unit.passage.chunk.text, unit.end, stop):
        rest = replace(piece(unit.passage, start, end, unit.under), layout=unit.layout)
        if rest.text:
            yield rest


def _goes_on(before: Unit, unit: Unit) -> bool:
    """Whether a sentence belongs to the item before it, or cannot be read without what is there."""
    between = before.passage.chunk.text[before.end : unit.start]
    if unit.end - before.start > _TOGETHER or "\n\n" in between or "\n>" in between:
        return False
    return before.layout == "item" or bool(_CONTINUES.match(unit.text))
