"""A store: five parts, which may live in different engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sextant.ports.admin import Admin
    from sextant.ports.graph import Graph, GraphReader
    from sextant.ports.index import Finder, Index
    from sextant.ports.records import Recall, Records
    from sextant.ports.truth import PassageReader, Truth


@dataclass(frozen=True, slots=True)
class Store:
    """All of it, for one installation; an adapter makes the parts once, when it opens."""

    truth: Truth
    index: Index
    graph: Graph
    records: Records
    admin: Admin


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
