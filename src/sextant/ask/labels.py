"""What a source is called in an answer. Knows titles and sections, no quote and no question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain, count

from sextant.text.markdown import printable
from sextant.text.orders import has_order
from sextant.text.prose.units import headings_over
from sextant.types import Passage

_LONGEST = 60
_SIGNS = str.maketrans(dict.fromkeys("[]{}<>`*_|\\!#~^&@", " "))
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{0,20}:/+|\bwww\.|\b(?:mailto|javascript|data):", re.I)
"""What makes some readers of Markdown see a link, even in a title."""


def label_of(passage: Passage, taken: Mapping[str, str]) -> str:
    """Return the source's title; where that is taken, with its section, its type or a number.

    ``taken`` has the labels that others bear, each with its document's id.
    """
    used = {label.casefold() for label in taken}
    document = passage.document
    title = _short(document.title) or _short(document.id.rpartition("/")[2]) or "Source"
    known = document.id in taken.values()
    section = next(iter(headings_over(passage, 0)), "")
    more = _short(section if known else document.source_type)
    ways = [title, f"{title}, {more}"] if more and more != title else [title]
    numbered = (f"{title}, {number}" for number in count(2))
    return next(way for way in chain(ways, numbered) if way.casefold() not in used)


def _short(title: str) -> str:
    """Return a title that can stand between brackets; nothing of one that reads like an order."""
    if has_order(title):
        return ""
    words = " ".join(_ADDRESS.sub(" ", printable(title)).translate(_SIGNS).split())
    if len(words) <= _LONGEST:
        return words
    return words[:_LONGEST].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"
