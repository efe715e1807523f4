"""Misspelt words of a question, read as the words of the passages that were found. Knows no store.

A word that is spelt like a name, or that some passage has, is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from sextant.text.content_words import asked_terms
from sextant.text.words import Words, fold, words_in

_WORD = re.compile(r"(?<![\w./@:-])[a-z]{4,24}(?![\w/@:-]|\.\w)")
_ALIKE, _SHORTEST = 0.85, 5
"""How alike a word must be, and how long at least unless its letters are only turned round. Of 591
questions spelt rightly these change 3, of which two to the spelling of the pages (licence); with
0.8, and where one word may begin the other, 38 (bench/documentation and the sample)."""

_MOST = 3
"""Where more words are not known, another language is spoken."""


def respell(text: str, texts: Iterable[str], words: Words) -> str:
    """Return a question with its misspelt words as the passages found for it spell them."""
    asked = frozenset(asked_terms(words, text))
    found = [word for word in _WORD.findall(text) if asked.intersection(words.terms(word))]
    if not found:
        return text
    known = frozenset(word for own in texts for word in words_in(fold(own)))
    stems = frozenset(words.terms(" ".join(known)))
    unknown = [word for word in found if stems.isdisjoint(words.terms(word))]
    if not 0 < len(unknown) <= _MOST:
        return text
    spelt = {word: _nearest(word, known) for word in unknown}
    return _WORD.sub(lambda one: spelt.get(one.group(), one.group()), text)


def _nearest(word: str, known: Collection[str]) -> str:
    """Return the known word that is most alike and begins alike, else the word itself."""
    alike = [one for one in sorted(known) if one[0] == word[0] and abs(len(one) - len(word)) <= 2]
    turned = [one for one in alike if sorted(one) == sorted(word)]
    if turned or len(word) < _SHORTEST:
        return next(iter(turned), word)
    others = [one for one in alike if not one.startswith(word) and not word.startswith(one)]
    return next(iter(get_close_matches(word, others, 1, _ALIKE)), word)
