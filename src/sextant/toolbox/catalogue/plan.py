"""What has to be written so that a store holds what a source says now, and what that changes.

A source is replaced as a whole. The tools of others are never touched, and what people declared
stays as long as both tools are there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sextant.errors import InvalidInput
from sextant.limits import DEFAULT, Limits, check_tool, check_tool_relation
from sextant.toolbox.catalogue.cycles import dependency_cycles
from sextant.toolbox.catalogue.flags import flags_of
from sextant.toolbox.catalogue.nouns import Catalogue, RefusedTool
from sextant.toolbox.catalogue.report import (
    ChangedTool,
    FlaggedTool,
    ImportReport,
    MissingTool,
    RelationCounts,
)
from sextant.types import Category, LinkOrigin, StoredTool, Tool, ToolChange, ToolRelation

_COMPARED = (
    *("name", "category", "description", "schema", "returns", "server"),
    *("personas", "entity_ids", "flags"),
)
TEXT_FIELDS = frozenset({"name", "category", "description", "schema", "server"})
"""What the vectors of a tool are made of, or may be."""
Key = tuple[str, str, str]
"""What tells a relation from all others."""
_MOST_CYCLES = 20
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class StoredCatalogue:
    """What a store holds of a tenant's tools before an import."""

    tools: Mapping[str, Tool] = field(default_factory=dict)
    relations: Sequence[ToolRelation] = ()
    categories: Sequence[Category] = ()


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The change that an import makes, without vectors, the report of it, and what is there then.

    ``reworded`` are the tools whose texts are new, so that their vectors have to be made.
    """

    change: ToolChange
    report: ImportReport
    after: StoredCatalogue
    reworded: frozenset[str] = frozenset()


def plan_import(
    stored: StoredCatalogue, incoming: Catalogue, source: str, limits: Limits = DEFAULT
) -> ImportPlan:
    """Compare what is stored with what a source says now."""
    refused = list(incoming.refused)
    tools = {one.id: one for one in _taken(stored, incoming.tools, source, refused, limits)}
    added = tuple(one for one in tools if one not in stored.tools)
    changed = _changed(stored.tools, tools)
    removed = _removed(stored, tools, source)
    relations = tuple(_allowed(incoming.relations, refused, limits))
    own = frozenset({*tools, *removed})
    counts, put, gone = _relations(stored, relations, own, frozenset(removed))
    change = ToolChange(
        tuple(StoredTool(tools[one]) for one in (*added, *(one.id for one in changed))),
        removed,
        _categories(stored, incoming),
        put,
        gone,
    )
    after = _after(stored, tools, change)
    report = ImportReport(
        source,
        added,
        changed,
        removed,
        len(tools) - len(added) - len(changed),
        tuple(FlaggedTool(one.id, one.flags) for one in tools.values() if one.flags),
        tuple(refused),
        counts,
        _missing(after, relations),
        dependency_cycles(after.relations, tools)[:_MOST_CYCLES],
        incoming.notes,
    )
    reworded = {one.id for one in changed if not TEXT_FIELDS.isdisjoint(one.fields)}
    return ImportPlan(change, report, after, frozenset({*added, *reworded}))


def _taken(
    stored: StoredCatalogue,
    tools: Iterable[Tool],
    source: str,
    refused: list[RefusedTool],
    limits: Limits,
) -> Iterable[Tool]:
    """Yield the tools that a store takes, with their flags; the others are refused."""
    for tool in tools:
        held = stored.tools.get(tool.id)
        if held is not None and held.source != source:
            whose = f"the source {held.source!r}" if held.source else "no source, but by hand"
            refused.append(RefusedTool(tool.id, f"conflict: its id is taken, by {whose}"))
            continue
        try:
            check_tool(tool, limits)
        except InvalidInput as error:
            refused.append(RefusedTool(tool.id, error.message.rstrip(".")))
            continue
        yield _kept(held, replace(tool, source=source, flags=flags_of(tool)))


def _kept(held: Tool | None, tool: Tool) -> Tool:
    """Return a tool with what only people say of it: who may see it, and what it is about.

    A source that says nothing of that must not open a tool that somebody closed.
    """
    if held is None:
        return tool
    return replace(
        tool,
        personas=tool.personas or held.personas,
        entity_ids=tool.entity_ids or held.entity_ids,
    )


def _changed(before: Mapping[str, Tool], after: Mapping[str, Tool]) -> tuple[ChangedTool, ...]:
    compared = ((one, _differing(before[one], now)) for one, now in after.items() if one in before)
    return tuple(ChangedTool(one, fields) for one, fields in compared if fields)


def _differing(before: Tool, now: Tool) -> tuple[str, ...]:
    return tuple(name for name in _COMPARED if getattr(before, name) != getattr(now, name))


def _removed(stored: StoredCatalogue, tools: Mapping[str, Tool], source: str) -> tuple[str, ...]:
    held = (one.id for one in stored.tools.values() if one.source == source)
    return tuple(one for one in held if one not in tools)


def _categories(stored: StoredCatalogue, incoming: Catalogue) -> tuple[Category, ...]:
    known = {one.name: one for one in stored.categories}
    return tuple(one for one in incoming.categories if known.get(one.name) != one)


def _relations(
    stored: StoredCatalogue,
    incoming: Sequence[ToolRelation],
    own: frozenset[str],
    removed: frozenset[str],
) -> tuple[RelationCounts, tuple[ToolRelation, ...], tuple[Key, ...]]:
    """Return how relations change, those to put, and the keys of own imported ones that are gone.

    Relations of a removed tool go with it, and have to be put again where they are still named.
    """
    before = {one.key: one for one in stored.relations if removed.isdisjoint(one.key[:2])}
    given = {one.key: one for one in incoming}
    added = [one for key, one in given.items() if key not in before]
    changed = [one for key, one in given.items() if _is_news(before.get(key), one)]
    gone = [
        key
        for key, one in before.items()
        if key not in given and one.origin is LinkOrigin.IMPORTED and one.source in own
    ]
    counts = RelationCounts(
        len(added), len(changed), len(gone), len(given) - len(added) - len(changed)
    )
    return counts, (*added, *changed), tuple(gone)


def _allowed(
    relations: Sequence[ToolRelation], refused: list[RefusedTool], limits: Limits
) -> Iterable[ToolRelation]:
    for one in relations:
        try:
            check_tool_relation(one, limits)
        except InvalidInput as error:
            refused.append(RefusedTool(" ".join(one.key), error.message.rstrip(".")))
        else:
            yield one


def _is_news(before: ToolRelation | None, now: ToolRelation) -> bool:
    """Whether a relation replaces the one that is there: what was read never what was declared."""
    if before is None or before == now:
        return False
    return not (before.origin is LinkOrigin.DECLARED and now.origin is LinkOrigin.IMPORTED)


def _after(
    stored: StoredCatalogue, tools: Mapping[str, Tool], change: ToolChange
) -> StoredCatalogue:
    """Return what the store will hold."""
    removed, gone = set(change.removed), set(change.unrelated)
    kept = (one for one in stored.relations if removed.isdisjoint(one.key[:2]))
    related = {one.key: one for one in (*kept, *change.relations)}
    described = {one.name: one for one in (*stored.categories, *change.categories)}
    return StoredCatalogue(
        {key: one for key, one in {**stored.tools, **tools}.items() if key not in removed},
        [one for key, one in related.items() if key not in gone],
        tuple(described.values()),
    )


def _missing(after: StoredCatalogue, incoming: Sequence[ToolRelation]) -> tuple[MissingTool, ...]:
    found: dict[str, list[str]] = defaultdict(list)
    for relation in incoming:
        for one, other in ((relation.source, relation.target), (relation.target, relation.source)):
            if one not in after.tools:
                found[one].append(other)
    return tuple(
        MissingTool(one, tuple(dict.fromkeys(others))[:_MOST_SHOWN])
        for one, others in found.items()
    )
