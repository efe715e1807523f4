"""The ingest line: gather → read → split → link → embed → write, place after place.

While one batch is embedded and written, the next is read. The order of documents, and how often a
run was cut off, make no difference to what is in the store in the end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sextant.errors import Conflict, InvalidInput
from sextant.ingest.batch import Batches
from sextant.ingest.extract.claims import OWN
from sextant.ingest.isolate import Isolation
from sextant.ingest.keep import Keeper
from sextant.ingest.known import known_items
from sextant.ingest.pretence import Pretence
from sextant.ingest.report import Emit, Report, ignore
from sextant.ingest.rules import Marks, Ruling
from sextant.ingest.run import Run
from sextant.ingest.shape import Shaping
from sextant.ingest.sources import Place, PlaceKind, SourceRules
from sextant.ingest.tally import Tally
from sextant.ports import Extractor
from sextant.settings import Settings

_MEGABYTE = 2**20
_LONGEST_COUNTER = 500


@dataclass(frozen=True, slots=True)
class Options:
    """What a user asks of a run. The name stands for the place's own, for one place only."""

    tags: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    source_type: str = ""
    name: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int = 0
    sync: bool = False
    dry_run: bool = False


AS_USUAL = Options()


async def ingest(
    keeper: Keeper,
    places: Sequence[Place],
    options: Options,
    settings: Settings,
    emit: Emit = ignore,
    extractor: Extractor | None = None,
) -> Report:
    """Take in what the places hold, and return what was done."""
    sources = _named(places, options)
    tally, isolation = Tally(emit), Isolation()
    rules, readers = source_rules(options, settings), settings.ingest.readers
    writer = Pretence(keeper) if options.dry_run else keeper
    runs: list[Run] = []
    try:
        await writer.open()
        async with Batches(writer, tally.written, tally.refused) as batches:
            for source, place in sources.items():
                known = await known_items(
                    keeper.store, keeper.scope, source, is_site=place.kind is PlaceKind.SITE
                )
                shaping = _shaping(source, place, options, settings, extractor)
                runs.append(Run(place, shaping, known, tally, isolation))
                await runs[-1].read(rules, readers, batches)
        for run, (source, place) in zip(runs, sources.items(), strict=True):
            await _check_origin(keeper, run, source, place, options)
        gone = set[str]().union(*(run.gone(sync=options.sync) for run in runs))
        if gone:
            tally.removed(await writer.remove(sorted(gone)))
        await writer.close()
    finally:
        await isolation.close()
    return tally.report


def source_rules(options: Options, settings: Settings) -> SourceRules:
    """Return what is taken from a source."""
    return SourceRules(
        include=options.include,
        exclude=options.exclude,
        most_bytes=settings.ingest.file_megabytes * _MEGABYTE,
        depth=options.depth,
        private_addresses=settings.ingest.private_addresses,
    )


def _named(places: Sequence[Place], options: Options) -> dict[str, Place]:
    """Return the places by name; two of one name would take each other's documents for gone."""
    named: dict[str, Place] = {}
    for place in places:
        source = options.name or place.name
        if source.startswith(OWN):
            raise InvalidInput(f"No source is called {OWN}…", "Give it another name.")
        if source in named:
            raise InvalidInput(
                f"Two sources are called {source}.",
                "Take them in one by one, each under a --name of its own.",
            )
        named[source] = place
    return named


def _shaping(
    source: str,
    place: Place,
    options: Options,
    settings: Settings,
    extractor: Extractor | None = None,
) -> Shaping:
    asked = Marks(options.tags, options.personas, options.source_type)
    return Shaping(
        source,
        Ruling(settings.ingest.rules, asked),
        settings.ingest.chunk_characters,
        settings.limits,
        extractor,
        place.where,
    )


async def _check_origin(
    keeper: Keeper, run: Run, source: str, place: Place, options: Options
) -> None:
    """Refuse to take for gone what another place of the same name brought; remember this one."""
    counter = f"ingest.origin.{source}"[:_LONGEST_COUNTER]
    digest = hashlib.blake2b(place.where.encode(errors="replace"), digest_size=6).digest()
    origin = int.from_bytes(digest, "big")
    before = (await keeper.store.counters(keeper.scope, [counter]))[counter]
    if options.sync and not options.name and before not in (0, origin) and run.is_another:
        raise Conflict(
            f"Most of what {source} held came from another place, and would be removed.",
            f"If it moved, say so with --name {source}; else give this one another --name.",
        )
    if before != origin and not options.dry_run:
        await keeper.store.count(keeper.scope, {counter: origin - before})
