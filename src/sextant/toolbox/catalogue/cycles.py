"""Required dependencies that lead back to where they start. Knows no store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from sextant.types import ToolLink, ToolRelation


def dependency_cycles(
    relations: Sequence[ToolRelation], touching: Collection[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the groups of tools that all need each other, as far as one of some tools is in them.

    Tarjan's components, without recursion: a chain may be as long as the catalogue.
    """
    needs: dict[str, list[str]] = defaultdict(list)
    for one in relations:
        if one.kind is ToolLink.DEPENDS_ON and one.required:
            needs[one.source].append(one.target)
    groups = _Components(needs).all()
    return tuple(
        tuple(sorted(group))
        for group in groups
        if len(group) > 1 and not _is_apart(group, touching)
    )


def _is_apart(group: Sequence[str], touching: Collection[str]) -> bool:
    return not any(one in touching for one in group)


class _Components:
    """The search for strongly connected components over a mapping of neighbours."""

    def __init__(self, needs: dict[str, list[str]]) -> None:
        self._needs = needs
        self._index: dict[str, int] = {}
        self._low: dict[str, int] = {}
        self._open: list[str] = []
        self._is_open: set[str] = set()

    def all(self) -> list[list[str]]:
        """Return every component."""
        return [group for start in list(self._needs) for group in self._from(start)]

    def _from(self, start: str) -> Iterator[list[str]]:
        if start in self._index:
            return
        self._enter(start)
        path = [(start, iter(self._needs.get(start, ())))]
        while path:
            one, rest = path[-1]
            for other in rest:
                if other not in self._index:
                    self._enter(other)
                    path.append((other, iter(self._needs.get(other, ()))))
                    break
                if other in self._is_open:
                    self._low[one] = min(self._low[one], self._index[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    self._low[above] = min(self._low[above], self._low[one])
                if self._low[one] == self._index[one]:
                    yield self._closed(one)

    def _enter(self, one: str) -> None:
        self._index[one] = self._low[one] = len(self._index)
        self._open.append(one)
        self._is_open.add(one)

    def _closed(self, one: str) -> list[str]:
        at = self._open.index(one) if self._open[-1] != one else len(self._open) - 1
        group = self._open[at:]
        del self._open[at:]
        self._is_open.difference_update(group)
        return group
