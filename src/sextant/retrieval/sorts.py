"""What sort of document something is, in one word: its source type, its folders. Pure."""

from __future__ import annotations

from sextant.text.words import fold
from sextant.types import Document

_SHORT = 3
"""Words of so few letters end in an s of their own: bus, gas."""


def sorts(document: Document) -> list[str]:
    """Return what sort of document it is, in one word each: its source type, its folders."""
    folders = document.id.partition("#")[0].split("/")[:-1]
    words = (document.source_type, *folders[1:])
    return list(dict.fromkeys(singular(fold(word)) for word in words if word))


def singular(word: str) -> str:
    """Return an English noun without its plural s."""
    return word.removesuffix("s") if len(word) > _SHORT else word
