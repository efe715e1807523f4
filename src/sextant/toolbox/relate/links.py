"""The relations of a tenant's tools by their places in the index, ready to be followed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sextant.types import ToolLink, ToolRelation

Places = dict[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Links:
    """Who needs whom, who must not meet whom, who stands in for whom, and who comes first."""

    needs: Places = field(default_factory=dict)
    unknown: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Required tools that are in no catalogue, by who needs them."""
    hidden: frozenset[int] = frozenset()
    """Who needs a tool that exists and may not be seen."""
    exclusive: Mapping[int, frozenset[int]] = field(default_factory=dict)
    successors: Places = field(default_factory=dict)
    alternatives: Places = field(default_factory=dict)
    """The surest first."""
    before: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Who is declared to come before each."""


def make_links(
    relations: Iterable[ToolRelation], places: Mapping[str, int], hidden: frozenset[str]
) -> Links:
    """Return the relations among tools; of ends that are not there only requirements are kept."""
    needs, unknown, barred = (
        defaultdict[int, list[int]](list),
        defaultdict[int, list[str]](list),
        set(),
    )
    other = {kind: defaultdict[int, dict[int, float]](dict) for kind in ToolLink}
    for one in sorted(relations, key=lambda own: own.key):
        source, target = places.get(one.source), places.get(one.target)
        if source is None or source == target:
            continue
        if one.kind is ToolLink.DEPENDS_ON and one.required:
            if target is not None:
                needs[source].append(target)
            elif one.target in hidden:
                barred.add(source)
            else:
                unknown[source].append(one.target)
        elif target is not None:
            other[one.kind][source][target] = 1.0 if one.confidence is None else one.confidence
    return Links(
        needs={own: tuple(found) for own, found in needs.items()},
        unknown={own: tuple(found) for own, found in unknown.items()},
        hidden=frozenset(barred),
        exclusive=_sets(_both(other[ToolLink.MUTUALLY_EXCLUSIVE])),
        successors=_sorted(_reversed(other[ToolLink.REPLACES])),
        alternatives=_sorted(_both(other[ToolLink.ALTERNATIVE_TO])),
        before=_sets(_reversed(other[ToolLink.PRECEDES])),
    )


_Edges = Mapping[int, Mapping[int, float]]


def _reversed(edges: _Edges) -> dict[int, dict[int, float]]:
    found: dict[int, dict[int, float]] = {}
    for source, targets in edges.items():
        for target, worth in targets.items():
            found.setdefault(target, {})[source] = worth
    return found


def _both(edges: _Edges) -> dict[int, dict[int, float]]:
    found = _reversed(edges)
    for source, targets in edges.items():
        own = found.setdefault(source, {})
        for target, worth in targets.items():
            own[target] = max(worth, own.get(target, 0.0))
    return found


def _sets(edges: _Edges) -> dict[int, frozenset[int]]:
    return {source: frozenset(targets) for source, targets in edges.items()}


def _sorted(edges: _Edges) -> Places:
    """Return the targets of each, the surest first."""
    return {
        source: tuple(sorted(targets, key=lambda one: (-targets[one], one)))
        for source, targets in edges.items()
    }
