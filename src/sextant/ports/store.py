"""A store: five parts, which may live in different engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sextant.types import PROMISES

if TYPE_CHECKING:
    from sextant.ports.admin import Admin
    from sextant.ports.graph import Graph, GraphReader
    from sextant.ports.index import Finder, Index
    from sextant.ports.records import Recall, Records
    from sextant.ports.tools import ToolGraph
    from sextant.ports.truth import PassageReader, Truth
    from sextant.types import StoreAbility


@dataclass(frozen=True, slots=True)
class Store:
    """All of it, for one installation; an adapter makes the parts once, when it opens."""

    truth: Truth
    index: Index
    graph: Graph
    records: Records
    admin: Admin
    tools: ToolGraph | None = None
    """The tools of a tenant; a store may have none, and another engine may take their place."""

    @property
    def abilities(self) -> dict[str, frozenset[StoreAbility]]:
        """What each part promises."""
        return {part: getattr(self, part).abilities for part in PROMISES}

    @property
    def lacking(self) -> dict[str, frozenset[StoreAbility]]:
        """What each part could promise and does not; parts that lack nothing are left out."""
        missing = {part: PROMISES[part] - own for part, own in self.abilities.items()}
        return {part: own for part, own in missing.items() if own}


def names_by_part(abilities: Mapping[str, frozenset[StoreAbility]]) -> dict[str, list[str]]:
    """Return abilities by their names, in order, for whoever shows them."""
    return {part: sorted(one.value for one in own) for part, own in abilities.items()}


class Knowledge(Protocol):
    """What a question needs of a store: it only reads."""

    @property
    def truth(self) -> PassageReader:
        """Passages by id."""

    @property
    def index(self) -> Finder:
        """Passages by what they say."""

    @property
    def graph(self) -> GraphReader:
        """Names and edges."""

    @property
    def records(self) -> Recall:
        """What was counted, kept and said."""
