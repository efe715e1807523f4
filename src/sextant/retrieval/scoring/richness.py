"""How much a passage has to say: its length, its different words, its facts. Knows no question."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

from sextant.text.words import words_in
from sextant.types import Chunk

_READ = 320
_ENOUGH_WORDS = 80
_LISTS = ("\n- ", "\n* ", "\n• ", "\n|", "\n1. ", "\n2. ")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_LINKS = ("http", "https", "www")
_BOILERPLATE = frozenset(
    {"cookies", "copyright", "permalink", "sidebar", "signin", "sitemap", "subscribe"}
)


def richness(chunk: Chunk) -> float:
    """Return 0 for nothing said, near 1 for a full passage of different words and facts."""
    text = chunk.text[:_READ]
    words = words_in(text)
    units = _units(text, words)
    if not units:
        return 0.0
    size, spelt = len(units), set(units)
    folded = set(map(str.lower, spelt))
    length = min(1.0, size * len(chunk.text) / len(text) / _ENOUGH_WORDS)
    different = _between(len(folded) / size, 0.45, 0.8)
    facts = min(1.0, _facts(spelt, folded) / (0.15 * size))
    structure = 0.5 * bool(chunk.headings) + 0.5 * any(mark in text for mark in _LISTS)
    said = math.sqrt(length) * (0.5 * different + 0.3 * facts + 0.2 * structure)
    return round(said * (1.0 - _noise(text, words, folded)), 3)


def _units(text: str, words: Sequence[str]) -> Sequence[str]:
    """Return the words, or pairs of letters where a script sets no spaces between them."""
    if text.isascii() or 2 * len(_UNSPACED.findall(text)) < len(text):
        return words
    run = "".join(words)
    return [run[at : at + 2] for at in range(0, len(run), 2)]


def _facts(spelt: set[str], folded: set[str]) -> int:
    """Count the different words with a capital, which most names have, and numbers."""
    return len(spelt - folded) + sum(map(str.isdecimal, spelt))


def _noise(text: str, words: Sequence[str], folded: Collection[str]) -> float:
    """Return how much of a text only leads elsewhere, or stands on every page."""
    links = sum(map(words.count, _LINKS)) + text.count("](")
    phrases = len(_BOILERPLATE.intersection(folded))
    return min(0.9, (6 * links + 5 * phrases) / max(len(words), 1))


def _between(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))
