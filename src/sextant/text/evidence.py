"""Which sentence of a passage says something of two names. Knows no store and no relation."""

from __future__ import annotations

from collections.abc import Iterable

from sextant.text.names import normal_name
from sextant.text.sentences import sentence_spans


def telling_sentence(text: str, one: Iterable[str], other: Iterable[str]) -> str:
    """Return the sentence with a name of each, else with a name of either, else the first."""
    spans = sentence_spans(text)
    best, most = "", -1
    sought = [[f" {normal_name(name)} " for name in names] for names in (one, other)]
    for start, end in spans:
        words = f" {normal_name(text[start:end])} "
        hits = sum(any(name in words for name in names) for names in sought)
        if hits > most:
            best, most = text[start:end], hits
    return " ".join(best.split())
