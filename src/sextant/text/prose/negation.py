"""Whether a text denies something. Knows English; two texts of which one denies are not alike."""

from __future__ import annotations

from sextant.text.words import fold, words_in

NEGATIONS = frozenset(
    {"not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "cannot"}
)
_SHORTENED = "n't"


def denies(text: str) -> bool:
    """Whether a text has a word that turns it round."""
    folded = fold(text).replace("’", "'")  # noqa: RUF001 - an apostrophe as it is printed
    return _SHORTENED in folded or not NEGATIONS.isdisjoint(words_in(folded))
