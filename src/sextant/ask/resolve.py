"""Make a question stand alone with the turns before it. Knows names by their shape only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.types import Turn


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that stands alone, and what was replaced by what; nothing is an empty note."""

    text: str
    note: str = ""


def resolve(text: str, history: Sequence[Turn]) -> Resolved:
    """Return the question with what earlier turns say in place of what it leaves out."""
    return Resolved(text)
