"""What is asked of the graph, and whom the words of a clause stand for. Knows no words."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from sextant.ask.intent_names import Named
from sextant.types import Cue, Direction

PLACE, LISTED = "§", "¦"
"""What placeholders begin with, and what stands between those of a list."""

MOST_HOPS = 2


class Form(StrEnum):
    """In what form an answer is wanted."""

    NAMES = "names"
    YES_NO = "yes-no"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Hop:
    """Edges of these kinds, away from whom one comes from, or towards."""

    kinds: frozenset[str]
    direction: Direction


@dataclass(frozen=True, slots=True)
class Intent:
    """Edges that are asked for: from a subject over hops, as far as they go where a closure is.

    Of a yes or no, ``other`` is whom they should lead to. ``sort`` is the noun that names what is
    asked for, such as ``services``.
    """

    subject: Named
    hops: tuple[Hop, ...]
    form: Form = Form.NAMES
    closure: bool = False
    other: Named | None = None
    sort: str = ""

    @property
    def cues(self) -> tuple[Cue, ...]:
        """The relations that are asked for, as the graph is searched by."""
        return tuple(Cue(hop.kinds, hop.direction, min(hop.kinds)) for hop in self.hops)

    @property
    def names(self) -> tuple[Named, ...]:
        """Whom it is about."""
        return (self.subject, self.other) if self.other else (self.subject,)


@dataclass(frozen=True, slots=True)
class Ref:
    """Whom a placeholder stands for: names, or those whom hops lead to from them."""

    names: tuple[Named, ...]
    hops: tuple[Hop, ...] = ()
    sort: str = ""


@dataclass(slots=True)
class Refs:
    """The placeholders of one question."""

    _kept: list[Ref] = field(default_factory=list)

    def put(self, ref: Ref) -> str:
        """Return a placeholder for somebody."""
        self._kept.append(ref)
        return f"{PLACE}{len(self._kept) - 1}"

    def at(self, token: str) -> Ref:
        """Return whom a placeholder stands for."""
        return self._kept[int(token.removeprefix(PLACE))]


def is_ref(token: str) -> bool:
    """Whether a word is a placeholder."""
    return token.startswith(PLACE)
