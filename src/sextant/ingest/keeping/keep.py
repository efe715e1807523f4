"""Keeping documents in step: what is written, replaced or removed changes who holds which name.

Links anew, after every change, the documents that it concerns. A counter in the store says up to
which commit that is done; if it is another than the last one when a run starts, every document is
looked at again, so that it makes no difference whether a run was cut off, or whether somebody else
wrote. Processes that do all this at the same time take turns, and whoever's turn it is reads the
names anew if others had one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from sextant.errors import Conflict, InvalidInput, Outdated, SextantError
from sextant.ingest.extract.claims import FOUND_IN, Rank
from sextant.ingest.extract.index import Changed
from sextant.ingest.extract.mentions import written_forms
from sextant.ingest.keeping.draft import Draft, draft_from
from sextant.ingest.keeping.lease import OVERRULE, Sharing, Turn
from sextant.ingest.keeping.linker import Linker
from sextant.ingest.keeping.mandate import ANYBODY, Mandate, id_taken
from sextant.ingest.keeping.paging import in_groups, pages
from sextant.ingest.keeping.references import (
    Cited,
    cited_chunks,
    documents_holding,
    referred_chunks,
    with_cited,
)
from sextant.ingest.shaping.shape import SOURCE
from sextant.ingest.shaping.vectors import embed_units
from sextant.ports import Embedder, Store
from sextant.text.names import normal_name
from sextant.types import Document, EmbedderIdentity, Put, Receipt, Remove, Scope

_LOG = logging.getLogger(__name__)
SETTLED = "ingest.settled"
"""Counts up to the commit under which every document is linked by the names of all."""

_PAGE = 200
_WEAK = {FOUND_IN: frozenset({Rank.TEXT.name.lower(), Rank.HEADING.name.lower()})}
"""Names that nobody else seeks need not be known."""
_PHRASES = 5_000
_CATCHING_UP = 5
_CHUNKS = 128
"""A commit holds at least so many chunks, if there are."""

Written = Callable[[Put, Put | None], None]
"""Called for each document that is durable, with what was there before."""

Follow = Callable[[Receipt], Awaitable[None]]
Refused = Callable[[Put, SextantError], None]


class Keeper:
    """The names of one tenant, and the way in for its documents."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        scope: Scope,
        sharing: Sharing = Sharing(),  # noqa: B008 - frozen
    ) -> None:
        self.store, self._embedder, self.scope = store, embedder, scope
        self._changes = asyncio.Lock()
        self._turn = Turn(store.records, scope, sharing)
        self._words = asyncio.Lock()
        self._overruling = Turn(store.records, scope, sharing, OVERRULE)
        self._linker = Linker()
        self._commit = -1
        self._is_behind = self._is_loaded = self._is_first = False

    @property
    def embedder_identity(self) -> EmbedderIdentity | None:
        """Who makes the vectors of documents."""
        return self._embedder.identity if self._embedder else None

    async def open(self) -> None:
        """Finish what a run left half done; one that is under way is waited for."""
        async with self._changes:
            if await self._settled() == await self.store.truth.commit(self.scope):
                return
            async with self._turn.held():
                await self._load()
                if self._is_behind:
                    await self._settle_all()

    @asynccontextmanager
    async def overruling(self) -> AsyncIterator[None]:
        """Be alone in reading what people said of names in order to say more, in any process."""
        async with self._words, self._overruling.held():
            yield

    async def put(
        self,
        drafts: Sequence[Draft],
        written: Written,
        refused: Refused,
        mandate: Mandate = ANYBODY,
    ) -> None:
        """Write documents and link anew those that they concern, in as many turns as it takes."""
        left, most = list(drafts), len(drafts)
        while left:
            taken = left[:most]
            async with self._changing():
                undone = await self._put(taken, written, refused, mandate)
            left = undone + left[most:]
            # Names that were counted in and out again cost time, so no more than can be done.
            most = 2 * max(1, len(taken) - len(undone))

    async def _put(
        self, given: Sequence[Draft], written: Written, refused: Refused, mandate: Mandate
    ) -> list[Draft]:
        """Write documents as long as the turn lasts, and return those that are left."""
        old = await self._counted_out([draft.document.id for draft in given])
        drafts = list(self._settled_with(given, old, refused, mandate))
        self._linker.count_in(drafts)
        changed = self._linker.note_changes()
        left, failed = await self._write_in_groups(drafts, old, written, refused, mandate)
        undone = [draft for draft in drafts if draft.document.id in left | failed]
        concerned: set[str] = set()
        if not self._is_first:
            done = {draft.document.id for draft in drafts} - left - failed
            concerned = await self._concerned(changed) - done
        self._is_first = False
        concerned |= await self._concerned(self._taken_back(undone, old))
        before = (one for unit in old.values() for one in unit.relations)
        now = (one for draft in drafts for one in draft.references)
        referred = referred_chunks((*before, *now))
        concerned |= await documents_holding(self.store, self.scope, referred)
        await self._link_all_anew(concerned)
        return [draft for draft in given if draft.document.id in left]

    async def _write_in_groups(
        self,
        drafts: Sequence[Draft],
        old: Mapping[str, Put],
        written: Written,
        refused: Refused,
        mandate: Mandate,
    ) -> tuple[set[str], set[str]]:
        """Write as long as the turn lasts; return which documents are left, and which failed."""
        failed: set[str] = set()

        def note(unit: Put, error: SextantError) -> None:
            failed.add(unit.document.id)
            refused(unit, error)

        cited = await self._cited(drafts)
        groups = in_groups(drafts, _CHUNKS)
        for group in groups:
            units = [self._linker.linked(draft, cited) for draft in group]
            if mandate.personas is not None or not mandate.curates:
                keys = {name: unit.key for name, unit in old.items()}
                units = [replace(unit, over=keys.get(unit.document_id, "")) for unit in units]
            vectors = {name: one for draft in group for name, one in draft.given.items()}
            embedded = await embed_units(self._embedder, units, old, vectors)
            for unit in await self._write(embedded, note):
                written(unit, old.get(unit.document.id))
            if await self._turn.is_over():
                break
        return {draft.document.id for group in groups for draft in group}, failed

    async def remove(
        self, document_ids: Sequence[str], over: Mapping[str, str] | None = None
    ) -> int:
        """Remove documents and link anew those that knew of them; return how many there were.

        Where it is said which version of one is to go, no other does.
        """
        removed, versions, referred = 0, over or {}, set[str]()
        async with self._changing():
            for page in pages(document_ids, _PAGE):
                for unit in (await self._counted_out(page)).values():
                    referred.update(referred_chunks(unit.relations))
                gone = [Remove(name, versions.get(name)) for name in page]
                receipt = await self.store.truth.write(self.scope, gone)
                await self._follow(receipt)
                removed += receipt.removed
            concerned = await self._concerned(self._linker.note_changes())
            concerned |= await documents_holding(self.store, self.scope, sorted(referred))
            await self._link_all_anew(concerned)
        return removed

    async def rewrite(
        self, document_ids: Sequence[str], change: Callable[[Put], Put | None]
    ) -> int:
        """Write documents in another form that claims the same names, under one commit.

        What changes to nothing is left; whoever was faster makes the whole of it Outdated.
        """
        async with self._changing():
            units = [
                unit
                for page in pages(document_ids, _PAGE)
                for unit in (await self.store.truth.units(self.scope, page)).values()
            ]
            changed = [replace(new, over=old.key) for old in units if (new := change(old))]
            receipt = await self.store.truth.write(self.scope, changed)
            await self._follow(receipt)
        return receipt.written

    async def add_vectors(self, units: Sequence[Put]) -> list[tuple[Put, SextantError]]:
        """Give vectors to versions that have none, and return those that the store would not take.

        A version that is gone by now is left. Names stay as they are, so nothing is linked anew,
        and no names are read for it.
        """
        refused: list[tuple[Put, SextantError]] = []
        if not units:
            return refused

        def note(unit: Put, error: SextantError) -> None:
            if not isinstance(error, Outdated):
                refused.append((unit, error))

        async with self._changes, self._turn.held():
            await self._write([replace(unit, over=unit.key) for unit in units], note, self._pass)
        return refused

    async def _pass(self, receipt: Receipt) -> None:
        """Let what was linked before a commit that changed no names be linked after it, too."""
        if receipt.before == self._commit:
            self._commit = receipt.commit
        await self.store.records.set_counter(
            self.scope, SETTLED, receipt.commit, over=receipt.before
        )

    async def close(self) -> None:
        """Catch up if somebody else wrote in the meantime; who cannot leaves it to the next run."""
        async with self._changes:
            for _ in range(_CATCHING_UP):
                if not self._is_behind:
                    return
                async with self._turn.held():
                    await self._load()
                    if self._is_behind:
                        await self._settle_all()

    async def _load(self) -> None:
        """Learn every name that is known; a run that changes nothing needs none."""
        # What is written from here on by others may be missed.
        self._commit = await self.store.truth.commit(self.scope)
        self._linker, after = Linker(), ""
        while page := await self.store.truth.definitions(self.scope, after, _PHRASES, _WEAK):
            self._linker.learn(page)
            after = page[-1].entity.id
        self._linker.note_changes()
        self._is_first = not await self.store.truth.documents(self.scope, limit=1)
        self._is_behind = self._commit != await self._settled()
        self._is_loaded = True

    async def _counted_out(self, document_ids: Sequence[str]) -> dict[str, Put]:
        """Take away the claims of what is stored under these ids, and return it."""
        found: dict[str, Put] = {}
        for page in pages(document_ids, _PAGE):
            found |= await self.store.truth.units(self.scope, page)
        self._linker.count_stored_out(found.values())
        return found

    def _settled_with(
        self, drafts: Sequence[Draft], old: dict[str, Put], refused: Refused, mandate: Mandate
    ) -> Iterator[Draft]:
        """Yield drafts as they may replace what is there; tell which may not."""
        for draft in drafts:
            before = old.get(draft.document.id)
            try:
                own = _successor(draft, before.document, mandate) if before else draft
            except SextantError as error:
                self._linker.count_stored_in([before] if before else [])
                refused(Put(draft.document), error)
            else:
                yield own

    def _taken_back(self, drafts: Sequence[Draft], old: dict[str, Put]) -> Changed:
        """Let the claims of documents that were not written be what they were."""
        self._linker.count_out(drafts)
        before = (old.get(draft.document.id) for draft in drafts)
        self._linker.count_stored_in(unit for unit in before if unit)
        return self._linker.note_changes()

    async def _concerned(self, changed: Changed) -> set[str]:
        """Return the documents in which a name changed hands or may now be found."""
        concerned: set[str] = set()
        for entities in pages(sorted(changed.entities), _PHRASES):
            concerned.update(await self.store.graph.mentioning(self.scope, entities))
        written = {
            form for spelling in changed.spellings for form in written_forms(normal_name(spelling))
        }
        for phrases in pages(sorted(written), _PHRASES):
            for found in (await self.store.index.holding(self.scope, phrases)).values():
                concerned.update(found)
        return concerned

    async def _cited(self, drafts: Sequence[Draft]) -> Cited:
        """Return what names the chunks of these documents as evidence."""
        chunks = [chunk for draft in drafts for chunk in draft.chunks]
        return await cited_chunks(self.store, self.scope, chunks, drafts)

    async def _link_all_anew(self, document_ids: set[str]) -> None:
        for page in pages(sorted(document_ids), _PAGE):
            await self._link_anew(page)

    async def _settle_all(self) -> None:
        after = ""
        while page := await self.store.truth.documents(self.scope, after, _PAGE):
            await self._link_anew([document.id for document in page])
            after = page[-1].id
        self._is_behind = self._commit != await self.store.truth.commit(self.scope)
        await self._note_settled()

    async def _link_anew(self, document_ids: Sequence[str]) -> None:
        """Link stored documents; those that came linked only get what they are evidence of."""
        units = (await self.store.truth.units(self.scope, document_ids)).values()
        ours = [unit for unit in units if SOURCE in unit.document.metadata]
        drafts = [draft_from(unit) for unit in ours]
        cited = await self._cited(drafts)
        linked = [self._linker.linked(draft, cited) for draft in drafts]
        different = [
            replace(new, over=old.key)
            for new, old in zip(linked, ours, strict=True)
            if new.key != old.key
        ]
        others = [unit for unit in units if SOURCE not in unit.document.metadata]
        said = await with_cited(self.store, self.scope, others)
        different += [
            replace(new, key="", over=old.key)
            for new, old in zip(said, others, strict=True)
            if new.relations != old.relations
        ]
        if different:
            await self._write(different, self._left_as_it_is)

    async def _write(
        self, units: Sequence[Put], refused: Refused, follow: Follow | None = None
    ) -> Sequence[Put]:
        """Write a group in one commit, or if one of it cannot be, each by itself; return them."""
        try:
            receipt = await self.store.truth.write(self.scope, units)
        except (InvalidInput, Conflict) as error:
            if len(units) == 1:
                refused(units[0], error)
                return []
            return [one for unit in units for one in await self._write([unit], refused, follow)]
        await (follow or self._follow)(receipt)
        return units

    def _left_as_it_is(self, unit: Put, error: SextantError) -> None:
        """Leave what somebody else was faster to change for catching up, and tell of the rest."""
        if isinstance(error, Outdated):
            self._is_behind = True
        else:
            _LOG.warning("%s could not be linked anew: %s", unit.document.id, error)

    async def _follow(self, receipt: Receipt) -> None:
        """Notice that somebody else wrote between two commits of ours."""
        self._is_behind = self._is_behind or receipt.before != self._commit
        self._commit = receipt.commit

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        """Hold the turn; names that a change left half counted are not trusted again.

        Nor are they once others wrote.
        """
        async with self._changes, self._turn.held():
            if not self._is_loaded or self._commit != await self.store.truth.commit(self.scope):
                await self._load()
            self._is_loaded = False
            yield
            await self._note_settled()
            self._is_loaded = True

    async def _settled(self) -> int:
        return (await self.store.records.counters(self.scope, [SETTLED]))[SETTLED]

    async def _note_settled(self) -> None:
        """Say up to where all is linked; who is behind leaves that to whoever settles all."""
        settled = await self._settled()
        if not self._is_behind and settled != self._commit:
            # Who was faster knows of other commits: the next run looks whether all are settled.
            await self.store.records.set_counter(self.scope, SETTLED, self._commit, settled)


def _successor(draft: Draft, old: Document, mandate: Mandate) -> Draft:
    """Refuse to replace what is somebody else's, or came from another source or by hand."""
    if not mandate.touches(old):
        raise id_taken()
    if old.metadata.get(SOURCE) != draft.document.metadata[SOURCE]:
        raise Conflict(
            f"{old.id} is already there from another source.",
            "Delete it there, or give it another id.",
        )
    return replace(draft, document=mandate.successor(old, draft.document, draft.ruled))
