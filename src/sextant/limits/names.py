"""Which characters a name may not have: those that reorder what is read, or cannot be seen.

Two names that look the same could be two tenants, personas or documents.
"""

from __future__ import annotations

import unicodedata

from sextant.errors import InvalidInput
from sextant.limits.values import DEFAULT, label

_JOINERS = "\u200c\u200d"
"""Persian, Indic scripts and emoji need them; after a letter of ASCII they only hide."""
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters of Hangul, and a cell of Braille, that look like nothing."""
_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd")
"""Format characters that are drawn: signs of Arabic, Syriac and Kaithi numbers."""


def check_name(what: str, value: str, limit: int = DEFAULT.id) -> None:
    """Refuse a name that is no text, empty or too long, or does not show what it is."""
    label(what, value, limit)
    if not value.isascii() and any(map(_is_disguise, f" {value}", value)):
        raise InvalidInput(
            f"The {what} {ascii(value)[:80]} has characters that cannot be seen or that turn "
            "its direction.",
            "Leave them out.",
        )


def _is_disguise(before: str, letter: str) -> bool:
    """Whether a letter, after another one, hides or reorders what a name says."""
    if letter in _JOINERS:
        return before.isascii()
    is_format = unicodedata.category(letter) == "Cf" and letter not in _SIGNS
    return is_format or letter in _FILLERS
