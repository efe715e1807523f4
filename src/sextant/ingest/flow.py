"""The ingest line: gather → read → split → link → embed → write, place after place.

While one batch is embedded and written, the next is read. The order of documents, and how often a
run was cut off, make no difference to what is in the store in the end. What is in is then read by a
model, if one is chosen, and linked anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sextant.errors import ConfigError, InvalidInput, StoreFull
from sextant.ingest.batch import Batches
from sextant.ingest.isolate import Isolation, isolated
from sextant.ingest.keeping.dry_run import Pretence
from sextant.ingest.keeping.keep import Keeper
from sextant.ingest.keeping.known import known_items
from sextant.ingest.keeping.mandate import Mandate
from sextant.ingest.keeping.origin import Claim, claimed
from sextant.ingest.model_extraction.cache import forget
from sextant.ingest.model_extraction.step import reading
from sextant.ingest.report import Emit, Report, ignore
from sextant.ingest.run import Run
from sextant.ingest.shaping.rules import Marks, Ruling
from sextant.ingest.shaping.shape import Shaping
from sextant.ingest.sources import Place, PlaceKind, SourceRules
from sextant.ingest.tally import Tally
from sextant.limits import check_base_url, check_name
from sextant.ports import ChatModel, Extractor
from sextant.settings import MODEL_CHOICES, Settings
from sextant.types import OWN, Scope, is_own

_MEGABYTE = 2**20
_JOINED = "{} was read from another place before; both are one source now"
_SENT = "sent"
"""Where files come from that only pass through here."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a user asks of a run. The name stands for the place's own, for one place only.

    Of a passing place, where files only wait to be taken in, its own path says nothing. Whoever
    brings documents and sees only those of some personas replaces and removes no others, and those
    that it replaces stay with who sees them: the personas are of new ones, unless they were chosen.
    The ids are those that documents are known by which bring one themselves. Who brings them, and
    whether that is a curator, is for the scope of a run to say. Files link below the base address.
    A run that lists documents has each that it takes in, without its text, in its report. One of
    words only leaves vectors to whoever embeds next.
    """

    tags: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    source_type: str = ""
    name: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int = 0
    sync: bool = False
    dry_run: bool = False
    max_cost: float | None = None
    is_passing: bool = False
    seen_by: tuple[str, ...] | None = None
    chooses: bool = False
    ids: tuple[str, ...] = ()
    owner: str = ""
    curates: bool = True
    base_url: str = ""
    lists_documents: bool = False
    words_only: bool = False

    @property
    def mandate(self) -> Mandate:
        """What may be done with documents that are there."""
        personas = None if self.seen_by is None else frozenset(self.seen_by)
        return Mandate(personas, self.chooses, self.owner, self.curates)


AS_USUAL = Options()


@dataclass(frozen=True, slots=True)
class Finders:
    """Who finds names beside the patterns: an extractor as texts are read, a model afterwards."""

    extractor: Extractor | None = None
    model: ChatModel | None = None


PATTERNS = Finders()


async def ingest(
    keeper: Keeper,
    places: Sequence[Place],
    options: Options,
    settings: Settings,
    emit: Emit = ignore,
    finders: Finders = PATTERNS,
    isolation: Isolation | None = None,
) -> Report:
    """Take in what the places hold, and return what was done.

    Processes that read are taken from those given, which stay for others, or are its own.
    """
    if isolation is None:
        async with isolated(settings) as own:
            return await ingest(keeper, places, options, settings, emit, finders, own)
    sources, tally = _places_by_name(places, options), Tally(emit, options.lists_documents)
    if options.base_url:
        check_base_url(options.base_url)
    if finders.model is None:
        _check_without_model(options, settings)
        with room():
            gone = await _take_in(keeper, sources, options, settings, tally, finders, isolation)
        await forget(settings, keeper.scope.tenant, () if options.dry_run else gone)
        return tally.report
    async with reading(finders.model, keeper, settings, tally, options) as step:
        sites = {
            source: place.kind is PlaceKind.SITE or bool(options.ids)
            for source, place in sources.items()
        }
        with room():
            gone = await _take_in(keeper, sources, options, settings, tally, finders, isolation)
        try:
            await step.plan(sites, tally.pretended, gone)
            tally.tell()
            if not options.dry_run:
                with room():
                    await step.carry_out(sites)
                    await keeper.close()
        finally:  # and not before, so that what only has another name now is not paid for again
            await forget(settings, keeper.scope.tenant, () if options.dry_run else gone)
    return tally.report


@contextmanager
def room() -> Iterator[None]:
    """Let a full store not say that nothing was kept: what was written before it was full is."""
    try:
        yield
    except StoreFull as error:
        raise StoreFull(
            "There is no room left for the store; what was taken in before that is kept.",
            "Free some space, then run it again: it goes on where it was.",
        ) from error


async def _take_in(
    keeper: Keeper,
    sources: Mapping[str, Place],
    options: Options,
    settings: Settings,
    tally: Tally,
    finders: Finders,
    isolation: Isolation,
) -> set[str]:
    """Read, link and write what is new, remove what is gone, and return its ids."""
    rules, readers = source_rules(options, settings), settings.ingest.readers
    writer = Pretence(keeper) if options.dry_run else keeper
    written = tally.would_write if options.dry_run and finders.model else tally.written
    runs: list[Run] = []
    await writer.open()
    for source, place in sources.items():
        known = await known_items(
            keeper.store,
            keeper.scope,
            source,
            options.mandate.touches,
            ids=options.ids,
            anywhere=place.kind is PlaceKind.SITE or (options.sync and options.is_passing),
            by_model=finders.model is not None,
        )
        claim = _claim(source, place, options, is_held=bool(known))
        if await claimed(keeper.store, keeper.scope, claim, dry_run=options.dry_run):
            tally.report.notes[_JOINED.format(source)] += 1
        shaping = replace(
            _shaping(source, place, options, settings, finders.extractor),
            embedder=keeper.embedder_identity,
        )
        runs.append(Run(place, shaping, known, tally, isolation))
    async with Batches(writer, written, tally.refused, options.mandate) as batches:
        for run in runs:
            await run.read(rules, readers, batches)
    gone = set[str]().union(*(run.gone(sync=options.sync) for run in runs))
    if not (options.sync or options.is_passing):
        vanished = set[str]().union(*(run.gone(sync=True) for run in runs)) - gone
        tally.report.leave(sorted(vanished))
    if gone:
        tally.removed(await writer.remove(sorted(gone)))
    await writer.close()
    tally.report.miss(
        await tally.references.unresolved(
            keeper.store, _view(keeper.scope, options), dry_run=options.dry_run
        )
    )
    return gone


def _view(scope: Scope, options: Options) -> Scope:
    """Return what whoever brings documents sees of a tenant."""
    if options.seen_by is None:
        return scope
    return Scope(scope.tenant, frozenset(options.seen_by))


def _check_without_model(options: Options, settings: Settings) -> None:
    if settings.ingest.extractor in MODEL_CHOICES:
        raise ConfigError(
            "A model is to find names, but none is set.",
            "Name one in SEXTANT_LLM, or leave ingest.extractor empty.",
        )
    if options.max_cost is not None:
        raise InvalidInput(
            "Only reading with a model costs something.",
            "Choose it with --extractor llm: and SEXTANT_LLM, or leave out --max-cost.",
        )


def source_rules(options: Options, settings: Settings) -> SourceRules:
    """Return what is taken from a source."""
    return SourceRules(
        include=options.include,
        exclude=options.exclude,
        most_bytes=settings.ingest.file_megabytes * _MEGABYTE,
        depth=options.depth,
        private_addresses=settings.ingest.private_addresses,
    )


def _places_by_name(places: Sequence[Place], options: Options) -> dict[str, Place]:
    """Return the places by name; two of one name would take each other's documents for gone."""
    named: dict[str, Place] = {}
    for place in places:
        source = options.name or place.name
        check_name("source", source)
        if is_own(source):
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
    asked = Marks(options.tags, options.personas, options.source_type, base_url=options.base_url)
    return Shaping(
        source,
        Ruling(settings.ingest.rules, asked, options.owner, options.curates),
        settings.ingest.chunk_characters,
        settings.limits,
        extractor,
        "" if options.is_passing else place.where,
        frozenset(options.ids),
    )


def _claim(source: str, place: Place, options: Options, *, is_held: bool) -> Claim:
    """Return a place with what it may do; who sees only a part cannot tell that nothing is held."""
    return Claim(
        source,
        (_SENT,) if options.is_passing else (place.where, place.way),
        is_held,
        may_join=bool(options.name),
        may_begin=options.seen_by is None and not options.is_passing,
    )
