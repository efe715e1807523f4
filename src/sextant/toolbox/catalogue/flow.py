"""From sources to the store: each is read whole, compared, and written in batches.

A source that cannot be read is left as it was, and the others go on.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from sextant.errors import InvalidInput, SextantError
from sextant.limits import DEFAULT, Limits
from sextant.ports import ToolGraph
from sextant.toolbox.catalogue.infer import inferred_relations
from sextant.toolbox.catalogue.nouns import Catalogue, ToolSource
from sextant.toolbox.catalogue.plan import ImportPlan, StoredCatalogue, plan_import
from sextant.toolbox.catalogue.report import Emit, ImportReport, ImportStep, ignore_steps
from sextant.types import OPERATOR, Scope, StoredTool, Tool, ToolChange

T = TypeVar("T")
Embed = Callable[[Sequence[Tool]], Awaitable[Sequence[StoredTool]]]
"""Gives tools their vectors, in the same order."""

_BATCH = 500
"""Tools or relations of one change: half a second of embedding, and few enough to be in memory."""
_PAGE = 1_000
_AT_ONCE = 4
"""Sources that are read at a time: most of them wait for a server to start."""


async def import_tools(
    graph: ToolGraph,
    scope: Scope,
    sources: Sequence[ToolSource],
    *,
    embed: Embed,
    dry_run: bool = False,
    emit: Emit = ignore_steps,
    limits: Limits = DEFAULT,
) -> tuple[ImportReport, ...]:
    """Take in what all sources describe, or say what that would change."""
    _check_names(sources)
    everything = replace(scope, roles=scope.roles | {OPERATOR})  # what is hidden is there too
    turn = asyncio.Semaphore(_AT_ONCE)
    reading = [asyncio.create_task(_read(source, turn, emit)) for source in sources]
    reports: list[ImportReport] = []
    try:
        stored = await _stored(graph, everything)
        for source, read in zip(sources, reading, strict=True):
            found = await read
            if isinstance(found, SextantError):
                reports.append(ImportReport(source.name, error=found))
                continue
            plan = await asyncio.to_thread(plan_import, stored, found, source.name, limits)
            if not dry_run:
                await _write(graph, everything, plan, embed, emit)
            reports.append(plan.report)
            stored = plan.after
    finally:
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
    return tuple(_without_found(report, stored) for report in reports)


def _check_names(sources: Sequence[ToolSource]) -> None:
    """Refuse two sources of one name: the second would remove what the first brought."""
    counted = Counter(source.name for source in sources)
    twice = next((name for name, count in counted.items() if count > 1), None)
    if twice is not None:
        raise InvalidInput(
            f"Two sources are called {twice!r}.", "Give one of them another name: NAME=SOURCE."
        )


def _without_found(report: ImportReport, stored: StoredCatalogue) -> ImportReport:
    """Return a report that does not miss what a later source brought."""
    return replace(
        report, missing=tuple(one for one in report.missing if one.id not in stored.tools)
    )


async def _read(
    source: ToolSource, turn: asyncio.Semaphore, emit: Emit
) -> Catalogue | SextantError:
    """Return what a source describes, with what can be inferred, or why it cannot be read."""
    async with turn:
        emit(ImportStep(source.name, "reading"))
        try:
            found = await source.read()
        except SextantError as error:
            return error
    if not found.tools and not found.relations:
        return InvalidInput(
            f"{source.name} describes no tool that can be taken.",
            "Nothing was changed. " + (found.refused[0].reason if found.refused else ""),
        )
    inferred = await asyncio.to_thread(inferred_relations, found.tools)
    known = {one.key for one in found.relations}
    new = tuple(one for one in inferred if one.key not in known)
    return replace(found, relations=(*found.relations, *new))


async def _stored(graph: ToolGraph, scope: Scope) -> StoredCatalogue:
    """Return what is there now; the vectors are left where they are."""
    tools: dict[str, Tool] = {}
    after = ""
    while page := await graph.read_tools(scope, after, _PAGE):
        tools |= {one.tool.id: one.tool for one in page}
        after = page[-1].tool.id
    return StoredCatalogue(tools, await graph.relations(scope), await graph.categories(scope))


async def _write(
    graph: ToolGraph, scope: Scope, plan: ImportPlan, embed: Embed, emit: Emit
) -> None:
    """Write tools, then what goes, then what joins the rest, which may name what is gone."""
    change, source = plan.change, plan.report.source
    total, done = len(change.puts), 0
    if change.categories:
        await graph.change_tools(scope, ToolChange(categories=change.categories))
    for puts in _batches(change.puts):
        whole = await _with_vectors(graph, scope, plan, puts, embed)
        await graph.change_tools(scope, ToolChange(puts=tuple(whole)))
        done += len(puts)
        emit(ImportStep(source, "writing tools", done, total))
    for removed in _batches(change.removed):
        await graph.change_tools(scope, ToolChange(removed=tuple(removed)))
    for gone in _batches(change.unrelated):
        await graph.change_tools(scope, ToolChange(unrelated=tuple(gone)))
    for relations in _batches(change.relations):
        await graph.change_tools(scope, ToolChange(relations=tuple(relations)))
    emit(ImportStep(source, "done", total, total))


async def _with_vectors(
    graph: ToolGraph, scope: Scope, plan: ImportPlan, puts: Sequence[StoredTool], embed: Embed
) -> list[StoredTool]:
    """Return tools with vectors: new ones where the text is new, else those that are there."""
    reworded = [one.tool for one in puts if one.tool.id in plan.reworded]
    others = [one.tool.id for one in puts if one.tool.id not in plan.reworded]
    made = {one.tool.id: one.vectors for one in (await embed(reworded) if reworded else ())}
    there = await graph.tools(scope, others) if others else {}
    made |= {one: held.vectors for one, held in there.items()}
    return [replace(one, vectors=made.get(one.tool.id)) for one in puts]


def _batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    return (values[at : at + _BATCH] for at in range(0, len(values), _BATCH))
