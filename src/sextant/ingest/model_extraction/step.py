"""The step after documents are in: those that the model has not read are read, and linked anew.

Documents are taken from the store, so no file is read twice, and whatever a run could not do, the
next one finds by looking at what each document says of its reader.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence, Set
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from sextant.errors import SextantError
from sextant.ingest.extract.claims import FORMAT
from sextant.ingest.extract.findings import READ_BY, Findings, with_findings
from sextant.ingest.keeping.draft import LINKED_BY_SOURCE, Draft, draft_from, draft_of
from sextant.ingest.keeping.keep import Keeper
from sextant.ingest.keeping.known import documents_of
from sextant.ingest.keeping.paging import pages
from sextant.ingest.model_extraction.cache import Cache, cache_file
from sextant.ingest.model_extraction.purse import Purse
from sextant.ingest.model_extraction.reader import Reader
from sextant.ingest.shaping.shape import FINGERPRINT, ITEM
from sextant.ingest.tally import Tally
from sextant.ingest.values import Refusal
from sextant.limits import Limits
from sextant.ports import ChatModel
from sextant.settings import Settings
from sextant.types import Document, Put

_PAGE = 200
_UNREAD = frozenset({"code"})
"""Formats that patterns read as well, and cheaper."""

Sources = Mapping[str, bool]
"""The sources of a run, and whether each is a site."""


class Asked(Protocol):
    """What a user asks of a run that concerns the model."""

    @property
    def max_cost(self) -> float | None:
        """What it may cost at most."""

    @property
    def dry_run(self) -> bool:
        """Whether nothing is done, only told."""


@asynccontextmanager
async def reading(
    model: ChatModel, keeper: Keeper, settings: Settings, tally: Tally, asked: Asked
) -> AsyncIterator[ModelStep]:
    """Make ready to read with a model; if nobody knows what it costs but it matters, say so now."""
    purse = Purse(asked.max_cost, settings.model)
    async with Cache(cache_file(settings, to_read=asked.dry_run)) as cache:
        reader = Reader(model, cache, purse, keeper.scope.tenant, tally.tell)
        tally.report.by_model = reader.report
        yield ModelStep(keeper, reader, tally, settings)


@dataclass(frozen=True, slots=True)
class ModelStep:
    """A model about to read what is in the store."""

    keeper: Keeper
    reader: Reader
    tally: Tally
    settings: Settings

    async def plan(
        self, sources: Sources, coming: Iterable[Put] = (), gone: Set[str] = frozenset()
    ) -> None:
        """Work out what there is to read: in the store, and of what a dry run would write."""
        drafts = [Draft(one.document, one.chunks, ()) for one in coming]
        for page in pages([draft for draft in drafts if _is_read(draft.document)], _PAGE):
            await self.reader.plan(page)
        counted = gone | {draft.document.id for draft in drafts}
        async with aclosing(self._unread(sources, counted)) as unread:
            async for own in unread:
                await self.reader.plan(own)

    async def carry_out(self, sources: Sources) -> None:
        """Read what the model has not read, page by page; each is durable before the next."""
        self.reader.check()
        if not self.reader.report.wanted:
            return
        async with aclosing(self._unread(sources)) as unread:
            async for drafts in unread:
                await self._read(drafts)

    async def _read(self, drafts: Sequence[Draft]) -> None:
        """Read a page; what somebody else removed or replaced in the meantime stays as it is."""
        read = await self.reader.read(drafts, self.settings.model.batch_concurrency)
        found = {
            (draft.document.id, draft.fingerprint): own
            for draft, own in zip(drafts, read, strict=True)
        }
        ids = [draft.document.id for draft in drafts]
        now = await self._drafts(ids)
        await self.reader.forget(set(ids) - {draft.document.id for draft in now})
        own = ((draft, found.get((draft.document.id, draft.fingerprint), {})) for draft in now)
        who, limits = self.reader.identity, self.settings.limits
        richer = [new for draft, heard in own if (new := enriched(draft, heard, who, limits))]
        if richer:
            await self.keeper.put(richer, self.tally.reread, self._refused)

    async def _unread(
        self, sources: Sources, but: Set[str] = frozenset()
    ) -> AsyncGenerator[list[Draft], None]:
        """Yield the documents that the model has not read, a page at a time."""
        held: list[str] = []
        for source, is_site in sources.items():
            found = documents_of(
                self.keeper.store.truth, self.keeper.scope, source, anywhere=is_site
            )
            async with aclosing(found) as documents:
                async for document in documents:
                    if self._is_unread(document) and document.id not in but:
                        held.append(document.id)
                    if len(held) == _PAGE:
                        yield await self._drafts(held)
                        held = []
        if held:
            yield await self._drafts(held)

    def _is_unread(self, document: Document) -> bool:
        return _is_read(document) and document.metadata.get(READ_BY) != self.reader.identity

    async def _drafts(self, document_ids: Sequence[str]) -> list[Draft]:
        units = await self.keeper.store.truth.units(self.keeper.scope, document_ids)
        return [draft_from(unit) for unit in units.values() if unit.chunks]

    def _refused(self, unit: Put, error: SextantError) -> None:
        self.tally.report.refuse(Refusal(unit.document.metadata[ITEM], error))


def _is_read(document: Document) -> bool:
    """Whether a model has something to find there: the source has not linked it, and it is text."""
    metadata = document.metadata
    return LINKED_BY_SOURCE not in metadata and metadata.get(FORMAT) not in _UNREAD


def enriched(
    draft: Draft, found: Mapping[str, Findings], identity: str, limits: Limits
) -> Draft | None:
    """Return a document with what was found in it, unless that is nothing new.

    One of which chunks are still unread is marked as read in part, and so will be read again.
    """
    if not found:
        return None
    whole = len(found) == len(draft.chunks)
    document = with_findings(draft.document, draft.chunks, found, limits)
    read_by = identity if whole else f"{identity}, in part"
    document = replace(document, metadata={**document.metadata, READ_BY: read_by})
    if document.metadata == draft.document.metadata:
        return None
    read = draft_of(
        document,
        draft.chunks,
        draft.stated,
        draft.facts,
        draft.links,
        f"{document.metadata[FINGERPRINT]}+{_digest(document)}",
    )
    return replace(read, vectors=draft.vectors, pieces=draft.pieces, references=draft.references)


def _digest(document: Document) -> str:
    told = repr(sorted(document.metadata.items()))
    return hashlib.blake2b(told.encode(errors="surrogatepass"), digest_size=8).hexdigest()
