"""The ingest line: gather → read → split → link → embed → write, place after place.

While one batch is embedded and written, the next is read. The order of documents, and how often a
run was cut off, make no difference to what is in the store in the end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from sextant.errors import Conflict, InvalidInput, SextantError
from sextant.ingest.batch import Batches
from sextant.ingest.draft import Draft
from sextant.ingest.isolate import Isolation
from sextant.ingest.keep import Keeper
from sextant.ingest.known import KnownItem, known_items
from sextant.ingest.report import Emit, Report, ignore
from sextant.ingest.rules import Marks, Ruling
from sextant.ingest.shape import ITEM, Shaping
from sextant.ingest.sources import Place, SourceRules, gather, overlooked
from sextant.ingest.take import Risky, Settled, Taken, Unchanged, handfuls, refusal_of, take, taken
from sextant.ingest.values import Item, Refusal
from sextant.ports import Embedder, Extractor, Store
from sextant.settings import Settings
from sextant.types import Put, Scope

_MEGABYTE = 2**20


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


@dataclass(frozen=True, slots=True)
class _Line:
    """What all places share."""

    keeper: Keeper
    isolation: Isolation
    settings: Settings
    report: Report
    emit: Emit


async def ingest(
    store: Store,
    embedder: Embedder | None,
    scope: Scope,
    places: Sequence[Place],
    options: Options,
    settings: Settings,
    emit: Emit = ignore,
    extractor: Extractor | None = None,
) -> Report:
    """Take in what the places hold, and return what was done."""
    sources = _named(places, options)
    line = _Line(Keeper(store, embedder, scope), Isolation(), settings, Report(), emit)
    try:
        if not options.dry_run:
            await line.keeper.open()
        for source, place in sources.items():
            known = await known_items(store, scope, source)
            shaping = _shaping(source, options, settings, extractor)
            await _Run(line, place, options, known).take_in(shaping)
        if not options.dry_run:
            await line.keeper.close()
    finally:
        await line.isolation.close()
    return line.report


async def remove(store: Store, scope: Scope, document_ids: Sequence[str]) -> int:
    """Delete documents, and link anew those that knew of them."""
    keeper = Keeper(store, None, scope)
    await keeper.open()
    removed = await keeper.remove(document_ids)
    await keeper.close()
    return removed


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
        if source in named:
            raise InvalidInput(
                f"Two sources are called {source}.", "Take them in one by one, each under a name."
            )
        named[source] = place
    return named


def _shaping(
    source: str, options: Options, settings: Settings, extractor: Extractor | None = None
) -> Shaping:
    asked = Marks(options.tags, options.personas, options.source_type)
    ruling = Ruling(settings.ingest.rules, asked)
    return Shaping(source, ruling, settings.ingest.chunk_characters, settings.limits, extractor)


class _Run:
    """One place on its way in."""

    def __init__(
        self, line: _Line, place: Place, options: Options, known: Mapping[str, KnownItem]
    ) -> None:
        self._line, self._place, self._options, self._known = line, place, options, known
        self._report = line.report
        self._seen: set[str] = set()
        self._hidden: list[str] = []
        self._gone: set[str] = set()
        self._kept: set[str] = set()
        self._pending: dict[str, int] = {}

    async def take_in(self, shaping: Shaping) -> None:
        """Read everything, write what is new, and with sync remove what is gone."""
        async with Batches(self._line.keeper, self._written, self._refused) as batches:
            async for outcome in self._outcomes(shaping):
                drafts = self._note(outcome)
                if self._options.dry_run or not drafts:
                    self._report.done += 1
                else:
                    self._pending[outcome.path] = len(drafts)
                    await batches.add(drafts)
                self._line.emit(self._report)
        if self._options.sync:
            self._gone |= _vanished(self._known, self._seen, self._hidden)
        if gone := self._gone - self._kept:
            await self._remove(sorted(gone))

    async def _outcomes(self, shaping: Shaping) -> AsyncIterator[Settled]:
        """Yield what became of each item, in order, while those after it are being read."""
        ahead: deque[asyncio.Task[list[Settled]]] = deque()
        try:
            async for handful in handfuls(self._found()):
                ahead.append(asyncio.create_task(self._take(handful, shaping)))
                while len(ahead) > self._line.settings.ingest.readers:
                    for outcome in await ahead.popleft():
                        yield outcome
            while ahead:
                for outcome in await ahead.popleft():
                    yield outcome
        finally:
            for task in ahead:
                task.cancel()

    async def _found(self) -> AsyncIterator[Item | Refusal]:
        rules = source_rules(self._options, self._line.settings)
        async for one in gather(self._place, rules):
            self._report.found += 1
            yield one

    async def _take(self, handful: Sequence[Item | Refusal], shaping: Shaping) -> list[Settled]:
        outcomes = await asyncio.to_thread(take, handful, shaping, self._known)
        return [
            await self._isolated(one, shaping) if isinstance(one, Risky) else one
            for one in outcomes
        ]

    async def _isolated(self, risky: Risky, shaping: Shaping) -> Settled:
        item, isolation = risky.item, self._line.isolation
        try:
            readings = await isolation.read(item.path, risky.data, item.media_type, item.modified)
            return await asyncio.to_thread(taken, item, readings, risky.fingerprint, shaping)
        except Exception as error:  # whatever a file makes a parser do stays with it
            return refusal_of(item.path, error)

    def _note(self, outcome: Settled) -> tuple[Draft, ...]:
        """Count what became of an item, and return the drafts to write."""
        match outcome:
            case Refusal():
                self._report.refuse(outcome)
                hides = overlooked(outcome)
                self._hidden += [] if hides is None else [hides]
            case Unchanged():
                self._report.unchanged += outcome.documents
                self._kept |= self._known[outcome.path].documents
            case Taken():
                self._report.formats[outcome.format] += 1
                self._report.notes.update(outcome.notes)
        self._seen.add(outcome.path)
        if not isinstance(outcome, Taken):
            return ()
        before = self._known[outcome.path].documents if outcome.path in self._known else set()
        self._gone |= before - {draft.document.id for draft in outcome.drafts}
        drafts = tuple(draft for draft in outcome.drafts if self._keep(draft))
        if self._options.dry_run:
            for draft in drafts:
                self._written(_plain(draft), draft.document.id in before)
        return drafts

    def _keep(self, draft: Draft) -> bool:
        """Take a document for this run, unless another item of it has brought one of that id."""
        document = draft.document
        if document.id in self._kept:
            reason = f"{document.id} is already there from another item of this source."
            error = Conflict(reason, "Put all of it into one file, or give it another id.")
            self._report.refuse(Refusal(document.metadata[ITEM], error))
            return False
        self._kept.add(document.id)
        return True

    def _written(self, unit: Put, known: bool) -> None:
        report = self._report
        report.updated += known
        report.added += not known
        report.chunks += len(unit.chunks)
        report.entities += len(unit.entities)
        report.relations += len(unit.relations)
        self._finish_part(unit)

    def _refused(self, unit: Put, error: SextantError) -> None:
        self._report.refuse(Refusal(unit.document.metadata[ITEM], error))
        self._finish_part(unit)

    def _finish_part(self, unit: Put) -> None:
        """An item is done when all its documents are."""
        path = unit.document.metadata[ITEM]
        if path in self._pending:
            self._pending[path] -= 1
            if not self._pending[path]:
                del self._pending[path]
                self._report.done += 1
        self._line.emit(self._report)

    async def _remove(self, document_ids: Sequence[str]) -> None:
        removed = len(document_ids)
        if not self._options.dry_run:
            removed = await self._line.keeper.remove(document_ids)
        self._report.removed += removed
        self._line.emit(self._report)


def _plain(draft: Draft) -> Put:
    """Return a draft as a unit whose names are not linked, for who only wants to count."""
    return Put(draft.document, draft.chunks, draft.stated, draft.facts)


def _vanished(known: Mapping[str, KnownItem], seen: set[str], hidden: Sequence[str]) -> set[str]:
    """Return the documents of items that are gone, and not only out of sight."""
    paths = (path for path in known if path not in seen and not path.startswith(tuple(hidden)))
    return {name for path in paths for name in known[path].documents}
