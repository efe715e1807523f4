"""When two spellings are one name: case, width, spacing and punctuation do not count."""

from __future__ import annotations

import re
from functools import lru_cache

from sextant.text.words import fold

_SEPARATORS = re.compile(r"[\W_]+")
_DOUBLED = re.compile(r"([^\W\d_])\1")
_ENOUGH = 5
"""Shorter words are too alike for their endings to be left out."""


def normal_name(name: str) -> str:
    """Return the form under which a name is looked up; a name of signs alone stays as it is."""
    folded = fold(name)
    return _SEPARATORS.sub(" ", folded).strip() or folded.strip()


def spaced(text: str) -> str:
    """Return a text so that names in it can be found as whole words, between blanks."""
    return f" {normal_name(text)} "


@lru_cache(65_536)
def name_key(name: str) -> str:
    """Return what near spellings share: no spaces, no plural, no doubled letters in long words."""
    return "".join(_stump(word) for word in normal_name(name).split())


def near_slugs(name: str) -> frozenset[str]:
    """Return the ids of a name in words, as one word, and of one or several."""
    own = slug(name)
    forms = {own, own.replace("-", ""), f"{own}s", f"{own}es"}
    forms |= {own.removesuffix("s"), own.removesuffix("es")}
    if own.endswith("y"):
        forms.add(f"{own[:-1]}ies")
    if own.endswith("ies"):
        forms.add(f"{own[:-3]}y")
    return frozenset(forms - {""})


def slug(name: str) -> str:
    """Return a name as an id: its words in small letters, joined by hyphens."""
    return normal_name(name).replace(" ", "-")


def _stump(word: str) -> str:
    if len(word) < _ENOUGH or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _DOUBLED.sub(r"\1", word)
