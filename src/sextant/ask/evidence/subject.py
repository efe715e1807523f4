"""Sentences that do not say of what they speak, and how to say it for them. Knows English."""

from __future__ import annotations

import re
from collections.abc import Container

from sextant.retrieval.sorts import sorts
from sextant.text.markdown import readable
from sextant.text.names import near_slugs, normal_name, spaced
from sextant.text.orders import has_order
from sextant.text.prose.headings import heading_of
from sextant.text.prose.sentences import sentence_spans
from sextant.text.prose.units import Unit, headings_over

_STAND_IN = re.compile(
    r"(?:It|Its|They|Their|This|These|Those|He|She|His|Her|We|Our|Then|That)\b(?!')"
)
_FRAGMENT = re.compile(
    r"(?:[A-Z][a-z]+ed|Led|Written|Run|Built|Kept|Held|Sent|Made|Known|Sold|Leads|Follows|Keeps|"
    r"Runs|Owns|Handles|Stores|Sends|Holds|Provides|Manages|Checks|Serves|Answers) "
)

_LONG = 4
"""Shorter words, such as ``of``, have small letters in names too."""


def told(unit: Unit, noun: str = "", *, whole: bool = True, asked: Container[str] = ()) -> str:
    """Return a piece as a reader sees it; under what it is about if it does not name its subject.

    The title is the answer where a sort of document is asked for: ``which runbook``. The names that
    are asked about have a blank before and behind them.
    """
    text, document = unit.text, unit.passage.document
    is_title_wanted = not whole or noun in sorts(document)
    about = _title(unit) if is_title_wanted else unnamed_subject(unit, asked)
    return f"{about}: {text}" if about else text


def unnamed_subject(unit: Unit, asked: Container[str] = ()) -> str:
    """Return of what a piece speaks that does not say so itself; nothing of one that does."""
    is_unnamed = _STAND_IN.match(unit.text) or _FRAGMENT.match(unit.text)
    return _about(unit, asked) if is_unnamed else ""


def _about(unit: Unit, asked: Container[str]) -> str:
    """Return the nearest heading over a piece that names something, or else the title."""
    title = _title(unit)
    for heading in map(readable, headings_over(unit.passage, unit.start)):
        if has_order(heading):
            continue
        if spaced(heading) in asked or (
            _looks_like_a_name(heading) and (_is_listed(heading, title) or _opens(heading, unit))
        ):
            return heading
    return title


def _title(unit: Unit) -> str:
    """Return the title over a piece, unless it reads like an order."""
    title = readable(unit.passage.document.title)
    return "" if has_order(title) else title


def _looks_like_a_name(heading: str) -> bool:
    words = heading.split()
    return len(words) > 1 and all(not word[0].islower() or len(word) < _LONG for word in words)


def _is_listed(heading: str, title: str) -> bool:
    """Whether a page lists things of this sort: Team Heron stands under Teams."""
    words = normal_name(heading).split()
    plurals = {one for word in words for one in near_slugs(word) if len(one) > len(word)}
    return not plurals.isdisjoint(normal_name(title).split())


def _opens(heading: str, unit: Unit) -> bool:
    """Whether a sentence before a piece begins with the name that is in the heading."""
    text, names = unit.passage.chunk.text, (spaced(heading), spaced(f"the {heading}"))
    before = [text[start:end] for start, end in sentence_spans(text, 0, unit.start)]
    return any(spaced(one).startswith(names) for one in before if not heading_of(one))


def points_elsewhere(unit: Unit) -> bool:
    """Whether a piece does not tell something but links to where it is told."""
    quote = unit.passage.chunk.text[unit.start : unit.end]
    return "](" in quote and bool(_POINTER.search(quote))


_POINTER = re.compile(
    r"\b(?:see(?: also)?|refer to|(?:is|are)(?: \w+)? (?:in|on|by|under)(?: the| our)?) \[",
    re.IGNORECASE,
)
