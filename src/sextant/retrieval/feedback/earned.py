"""What documents earned by feedback and by use, and what that does to a reputation. Pure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from sextant.types import Document

BY_FEEDBACK = 0.15
BY_USE = 0.05
_DOUBT = 4
_MUCH_USE = 1_000
_LONGEST = 200
Leads = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many found a document helpful, and how many did not."""

    helpful: int = 0
    unhelpful: int = 0

    @property
    def move(self) -> float:
        """What that adds to a reputation; few voices move little."""
        voices = self.helpful + self.unhelpful
        return BY_FEEDBACK * (self.helpful - self.unhelpful) / (voices + _DOUBT)


@dataclass(frozen=True, slots=True)
class Use:
    """How often a document was cited in an answer, and opened by somebody."""

    cited: int = 0
    opened: int = 0

    @property
    def move(self) -> float:
        """What that adds to a reputation.

        An opening counts as much as four citations: a person chose it, a citation is our own word.
        """
        used = max(0, self.opened) + max(0, self.cited) / 4
        return round(BY_USE * min(1.0, math.log1p(used) / math.log1p(_MUCH_USE)), 6)


@dataclass(frozen=True, slots=True)
class Leaning:
    """Where a user's helpful sources excelled, in thousandths of each R, over so many words."""

    leads: Leads = (0, 0, 0, 0)
    words: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What a tenant's documents earned, from the feedback up to a number."""

    number: int = 0
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    uses: Mapping[str, Use] = field(default_factory=dict)
    leanings: Mapping[str, Leaning] = field(default_factory=dict)

    def tally(self, document_id: str) -> Tally:
        """Return what people said of a document."""
        return self.tallies.get(key_of(document_id), _NOTHING_SAID)

    def use(self, document_id: str) -> Use:
        """Return how often a document was used, as far as it was asked for."""
        return self.uses.get(document_id, _NEVER_USED)

    def reputation(self, document: Document) -> float:
        """Return a document's reputation, moved by what it earned, within 0 to 1."""
        moved = document.reputation + self.tally(document.id).move + self.use(document.id).move
        return round(min(1.0, max(0.0, moved)), 6)

    def notes(self, document: Document) -> tuple[str, ...]:
        """Return what moved a document's reputation, in words."""
        tally, use = self.tally(document.id), self.use(document.id)
        said = f"{tally.helpful} found it helpful, {tally.unhelpful} did not"
        used = f"cited {use.cited} and opened {use.opened} times"
        moves = ((said, tally.move), (used, use.move))
        return tuple(f"{words}: {move:+.3f} reputation" for words, move in moves if move)


_NOTHING_SAID, _NEVER_USED = Tally(), Use()
UNKNOWN = Standing()


def key_of(document_id: str) -> str:
    """Return what stands for a document in records; a long id would not fit."""
    if len(document_id) <= _LONGEST:
        return document_id
    return f"sha256:{hashlib.sha256(document_id.encode('utf-8', 'replace')).hexdigest()}"
