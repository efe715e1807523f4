"""One run of ingest from an empty store to a closed one, and what each of its steps costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.clock import Figures, folder_bytes, memory
from bench.ingesting.cost import Cost
from sextant.ingest.extract.index import Names
from sextant.ingest.extract.link import link
from sextant.ingest.extract.mentions import Finder
from sextant.ingest.flow import AS_USUAL, ingest
from sextant.ingest.keeping.draft import Draft
from sextant.ingest.keeping.keep import Keeper
from sextant.ingest.read import read
from sextant.ingest.report import Report
from sextant.ingest.shaping.rules import Ruling
from sextant.ingest.shaping.shape import Shaping, drafts_of
from sextant.ingest.sources import SourceRules, gather, place_of
from sextant.ingest.values import Item, Reading
from sextant.llms.minilm import embedder as minilm
from sextant.ports import Embedder, Store
from sextant.settings import Settings
from sextant.stores.sqlite.store import open_store
from sextant.types import OPERATOR, Put, Scope

SCOPE = Scope(roles=frozenset({OPERATOR}))
SETTINGS = Settings()
_COMMIT = 16

Loaded = tuple[Item, bytes]
Read = tuple[Item, list[Reading]]


async def open_at(store: str) -> Store:
    """Open a store that the bundled embedder may write to, whether or not it does."""
    return await open_store(store, SETTINGS, minilm.IDENTITY)


async def take_in(store: str, source: str, embed: bool = False) -> Figures:
    """Open, ingest and close, so that what goes on behind is counted; imports are not."""
    before = memory()["VmRSS"]
    with Cost() as cost:
        opened = await open_at(store)
        embedder = minilm.open_embedder("", SETTINGS) if embed else None
        report = await _ingest(opened, embedder, source)
        await opened.admin.close()
        if embedder:
            await embedder.close()
    return {
        **counted(report),
        **figured(cost, report),
        "own_mb": before,
        "peak_mb": memory()["VmHWM"],
        "truth_mb": folder_bytes(Path(store), "truth.db*") / 1e6,
        "segments_mb": folder_bytes(Path(store), "*.seg") / 1e6,
    }


async def embedded(store: str, source: str) -> Figures:
    """The same with vectors, once the model is loaded; that is told apart."""
    embedder = minilm.open_embedder("", SETTINGS)
    with Cost() as loading:
        await embedder.embed(["A first text."], "document")
    with Cost() as cost:
        opened = await open_at(store)
        report = await _ingest(opened, embedder, source)
        await opened.admin.close()
    await embedder.close()
    return {
        **counted(report),
        **figured(cost, report),
        "loading_s": loading.cpu_s,
        "peak_mb": memory()["VmHWM"],
    }


async def _ingest(store: Store, embedder: Embedder | None, source: str) -> Report:
    keeper = Keeper(store, embedder, SCOPE)
    return await ingest(keeper, [place_of(source)], AS_USUAL, SETTINGS)


def counted(report: Report) -> Figures:
    """Return what a run says it did."""
    return {
        "documents": report.written,
        "unchanged": report.unchanged,
        "chunks": report.chunks,
        "entities": report.entities,
        "relations": report.relations,
        "refused": dict(report.refused),
    }


def figured(cost: Cost, report: Report) -> Figures:
    """Return what a run cost, also by the chunk."""
    return {
        "cpu_s": cost.cpu_s,
        "wall_s": cost.wall_s,
        "chunks_per_cpu_s": report.chunks / cost.cpu_s,
    }


async def stages(store: str, source: str) -> Figures:
    """Do the steps one after another, each for all documents; nothing is linked twice."""
    name = place_of(source).name
    with Cost() as loading:
        loaded = await _loaded(source)
    with Cost() as reading:
        readings = _readings(loaded)
    with Cost() as shaping:
        drafts = _drafts(readings, name)
    with Cost() as naming:
        names = Names()
        for draft in drafts:
            names.add(draft.claims, draft.document.personas)
        names.changed()
        seen = names.seen_by(frozenset())
        finder = Finder(seen.sought())
    with Cost() as linking:
        units = [link(draft, seen, finder) for draft in drafts]
    with Cost() as writing:
        await _write(store, units)
    steps = {
        "find and load": loading,
        "read": reading,
        "split and claim names": shaping,
        "settle names, make the automaton": naming,
        "link": linking,
        "write, index and close": writing,
    }
    return {step: cost.cpu_s for step, cost in steps.items()}


async def _loaded(source: str) -> list[Loaded]:
    found = [one async for one in gather(place_of(source), SourceRules())]
    return [(one, one.load()) for one in found if isinstance(one, Item)]


def _readings(loaded: Sequence[Loaded]) -> list[Read]:
    return [(item, read(item.path, data, item.media_type, item.modified)) for item, data in loaded]


def _drafts(readings: Sequence[Read], name: str) -> list[Draft]:
    shaping = Shaping(name, Ruling(), SETTINGS.ingest.chunk_characters, SETTINGS.limits)
    return [draft for item, own in readings for draft in drafts_of(item, own, item.path, shaping)]


async def _write(store: str, units: Sequence[Put]) -> None:
    opened = await open_at(store)
    for start in range(0, len(units), _COMMIT):
        await opened.truth.write(SCOPE, units[start : start + _COMMIT])
    await opened.admin.close()
