"""Catalogues that are lists: our own form, nodes and edges, and tools as MCP or OpenAI list them.

One entry that cannot be taken is refused with its place; the others are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from sextant.errors import InvalidInput
from sextant.toolbox.catalogue.formats.entries import (
    Naming,
    category_of,
    is_category,
    is_relation,
    membership_of,
    relation_of,
    tool_of,
)
from sextant.toolbox.catalogue.nouns import Catalogue, RefusedTool
from sextant.types import Category, Tool, ToolRelation

T = TypeVar("T")
Place = tuple[str, Any]
"""Where an entry stands, and the entry."""


def read_tables(value: Mapping[str, Any], naming: Naming) -> Catalogue:
    """Return a catalogue of tools, categories and relations, or of nodes and edges."""
    reading = _Reading(naming)
    nodes = list(_places(value, "nodes"))
    named = value.get("server")
    if isinstance(named, str) and named:
        reading.naming = replace(naming, server=named)
    reading.tools(place for place in nodes if not _is_category(place))
    reading.tools(_places(value, "tools", "functions"))
    reading.categories(place for place in nodes if _is_category(place))
    reading.categories(_places(value, "categories"))
    reading.relations(_places(value, "relations", "edges", "relationships"))
    return reading.catalogue()


def read_list(entries: Sequence[Any], naming: Naming) -> Catalogue:
    """Return a catalogue that is one list, in which relations and categories may stand too."""
    reading = _Reading(naming)
    places = [(f"entry {number}", entry) for number, entry in enumerate(entries, 1)]
    related = [one for one in places if isinstance(one[1], Mapping) and is_relation(one[1])]
    known = {id(one[1]) for one in related}
    others = [one for one in places if id(one[1]) not in known]
    reading.tools(place for place in others if not _is_category(place))
    reading.categories(place for place in others if _is_category(place))
    reading.relations(related)
    return reading.catalogue()


@dataclass(slots=True)
class _Reading:
    """A catalogue under way; the first of several entries with one id is taken."""

    naming: Naming
    _tools: dict[str, Tool] = field(default_factory=dict)
    _categories: dict[str, Category] = field(default_factory=dict)
    _relations: dict[tuple[str, str, str], ToolRelation] = field(default_factory=dict)
    _refused: list[RefusedTool] = field(default_factory=list)

    def tools(self, places: Iterable[Place]) -> None:
        for place, tool in self._taken(places, lambda entry: tool_of(entry, self.naming)):
            if tool.id in self._tools:
                self._refuse(place, tool.id, "its id comes twice; the first is taken")
            self._tools.setdefault(tool.id, tool)

    def categories(self, places: Iterable[Place]) -> None:
        for _, category in self._taken(places, category_of):
            self._categories.setdefault(category.name, category)

    def relations(self, places: Iterable[Place]) -> None:
        others: list[Place] = []
        for place, entry in places:
            joined = membership_of(entry)
            if joined is None:
                others.append((place, entry))
            elif joined[0] in self._tools:
                tool = self._tools[joined[0]]
                self._tools[tool.id] = replace(tool, category=tool.category or joined[1])
        for place, relation in self._taken(others, relation_of):
            if self._relations.setdefault(relation.key, relation) is not relation:
                self._refuse(place, " ".join(relation.key), "it comes twice; the first is taken")

    def catalogue(self) -> Catalogue:
        return Catalogue(
            tuple(self._tools.values()),
            tuple(self._categories.values()),
            tuple(self._relations.values()),
            tuple(self._refused),
        )

    def _taken(self, places: Iterable[Place], make: Callable[[Any], T]) -> Iterable[tuple[str, T]]:
        for place, entry in places:
            try:
                yield place, make(entry)
            except InvalidInput as error:
                self._refuse(place, _called(entry), error.message.rstrip("."))

    def _refuse(self, place: str, name: str, reason: str) -> None:
        self._refused.append(RefusedTool(name or place, f"{place}: {reason}" if name else reason))


def _places(value: Mapping[str, Any], *names: str) -> Iterable[Place]:
    """Yield the entries of the lists of these names, each with where it stands."""
    for name in names:
        listed = value.get(name, [])
        if not isinstance(listed, list):
            raise InvalidInput(f"{name} is no list", "Write a list there.")
        yield from ((f"{name}[{at}]", entry) for at, entry in enumerate(listed))


def _is_category(place: Place) -> bool:
    return isinstance(place[1], Mapping) and is_category(place[1])


def _called(entry: Any) -> str:
    """Return what a refused entry calls itself, if it does."""
    given = entry if isinstance(entry, Mapping) else {}
    found = given.get("id") or given.get("name")
    return found[:200] if isinstance(found, str) else ""
