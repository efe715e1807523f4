"""The words of a text that mean something. Knows small English words, and no grammar."""

from __future__ import annotations

import re

from sextant.text.words import Words, words_in

_WRITTEN = """
    's a about actually after again against all already also although always am among an and any
    anybody anyone are aren't around as at be because been before behind being below between
    both but by can can't cannot could couldn't currently describe did didn't directly do does
    doesn't don't during each else ever every everyone exactly explain first for formerly from
    generally give had hadn't happen happened happens has hasn't have haven't he her here him
    his how how's i i'd if immediately in inside into is isn't it its itself just kindly know
    least less let like mainly many may me might mine more most mostly much must mustn't my
    myself needn't never no nor normally not now of off officially often on one only onto or
    originally other otherwise ought our ours out over people per please previously primarily
    really regularly s same shall she should shouldn't show since so some somebody someone still
    such t tell than that the their theirs them themselves then there these they this those
    though through to today too toward towards typically ultimately under until up upon us
    usually very via want want's was wasn't we were weren't what what's whats when when's where
    where's whether which while who who's whom whos whose why will with within without won't
    would wouldn't yet you your yours
"""

STOP_WORDS = frozenset(_WRITTEN.split())

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
