"""Which sentence of a passage says something of two names. Knows no store and no relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sextant.text.names import spaced
from sextant.text.prose.sentences import sentence_spans

_SAID = 2
"""What a sentence says counts for more than which names it has: the subject may be left out."""


def telling_sentence(
    text: str,
    one: Iterable[str],
    other: Iterable[str],
    says: Callable[[str], bool] = lambda _: False,
) -> str:
    """Return the sentence that says it, else with a name of each, else of either, else the first.

    Of those that say it, one with both names is the best.
    """
    best, most = "", -1
    sought = [[spaced(name) for name in names] for names in (one, other)]
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        words = spaced(sentence)
        hits = sum(any(name in words for name in names) for names in sought)
        if hits and says(sentence):
            hits += _SAID
        if hits > most:
            best, most = sentence, hits
    return " ".join(best.split())
