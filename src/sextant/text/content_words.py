"""The words of a text that mean something. Knows small English words, and no grammar."""

from __future__ import annotations

import re

from sextant.text.tokens import STOP_WORDS
from sextant.text.words import Words, words_in

_STEMS = STOP_WORDS.union(Words().terms(" ".join(sorted(STOP_WORDS))))


def content_terms(words: Words, text: str) -> list[str]:
    """Return the stems of the words that mean something, each once."""
    return list(dict.fromkeys(term for term in words.terms(text) if term not in _STEMS))


_ASKING = re.compile(
    r"\bhow (?:long|soon|often|much|many|far|big|large|old|high|fast|late|early)\b"
    r"|\b(?:stands? for|meant by|means?|meant|called|named)\b",
    re.IGNORECASE,
)
"""Words that ask, which no answer need have."""


def asked_terms(words: Words, text: str) -> list[str]:
    """Return the stems of the words of a question that an answer may have, each once."""
    return content_terms(words, _ASKING.sub(" ", text))


def spoken_terms(words: Words, text: str) -> dict[str, str]:
    """Return for each stem that means something the word as it was written."""
    found: dict[str, str] = {}
    for word in words_in(text):
        for term in words.terms(word):
            if term not in _STEMS:
                found.setdefault(term, word)
    return found
