"""A piece of a passage, and how the fields of a row or a record become one. Knows no layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sextant.text.layouts.code_blocks import format_of
from sextant.text.markdown import readable
from sextant.types import Passage

LONGEST = 600
"""A longer piece is cut; nobody reads it as a sentence."""

_LEAD = 120
"""A longer first field is not told again before the rest of a long row."""

Line = tuple[int, int, str]
"""Where a line starts and ends in its passage, and what it says."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a passage: ``chunk.text[start:end]``, how it reads, and what it is read under."""

    passage: Passage
    start: int
    end: int
    text: str
    under: str = ""
    layout: str = "sentence"


@dataclass(frozen=True, slots=True)
class Field:
    """A named value, and where it stands in its passage."""

    label: str
    value: str
    start: int
    end: int

    @property
    def said(self) -> str:
        """The value under its name."""
        return f"{self.label}: {self.value}" if self.label and self.value else self.value


def cut(text: str, start: int, end: int) -> int:
    """Return where a piece ends that is not too long, between two words if it can be."""
    if end - start <= LONGEST:
        return end
    at = max(text.rfind(blank, start + 1, start + LONGEST) for blank in " \n")
    return at if at > start else start + LONGEST


def stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces that a stretch is cut into, without blanks at their starts."""
    while start < end:
        stop = cut(text, start, end)
        yield start, stop
        start = stop
        while start < end and text[start].isspace():
            start += 1


def record_pieces(
    passage: Passage, fields: Sequence[Field], layout: str, under: str = "", lead: str = ""
) -> list[Unit]:
    """Return a row or a record as one piece; where it is long, as several that say whose they are.

    The lead is what all its pieces begin with; without one, later pieces begin as the first does.
    """
    found: list[Unit] = []
    held: list[Field] = []
    for field in _short(passage.chunk.text, fields):
        if held and field.end - held[0].start > LONGEST:
            found += _unit(passage, held, layout, under, lead)
            lead = lead or _lead(held[0])
            held = []
        held.append(field)
    return found + _unit(passage, held, layout, under, lead)


def _short(text: str, fields: Sequence[Field]) -> Iterator[Field]:
    for field in fields:
        if field.end - field.start <= LONGEST:
            yield field
            continue
        for start, end in stretches(text, field.start, field.end):
            yield replace(field, label="", value=text[start:end], start=start, end=end)


def _lead(field: Field) -> str:
    return field.said if len(field.said) <= _LEAD else ""


def _unit(
    passage: Passage, fields: Sequence[Field], layout: str, under: str, lead: str
) -> list[Unit]:
    own = "; ".join(filter(None, (lead, *(field.said for field in fields))))
    said = readable(own, format_of(passage))
    if not fields or not said:
        return []
    stop = "" if said.endswith((".", "!", "?")) else "."
    return [Unit(passage, fields[0].start, fields[-1].end, said + stop, under, layout)]
