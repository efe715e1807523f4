"""Keeping documents in step: what is written, replaced or removed changes who holds which name.

Holds the names that are known, and after every change links anew the documents that it concerns. A
mark in the store says that a change has begun; if it is still there when the next run starts, every
document is looked at again, so that a run which was cut off ends as if it had not been.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from sextant.errors import Conflict, InvalidInput, SextantError
from sextant.ingest.draft import Draft, claims_in, draft_from
from sextant.ingest.extract.index import Changed, Names
from sextant.ingest.extract.link import link
from sextant.ingest.extract.mentions import Finder, written_forms
from sextant.ingest.shape import SOURCE
from sextant.ports import Embedder, Store
from sextant.text.names import normal_name
from sextant.text.passages import embedding_text
from sextant.types import Put, Remove, Scope

T = TypeVar("T")
UNSETTLED = "ingest.unsettled"
_PAGE = 200
_PHRASES = 5_000
_CATCHING_UP = 5
_CHUNKS, _EMBEDDED_CHUNKS = 128, 32
"""A commit holds at least so many chunks, if there are: fewer where each takes long to embed."""

Written = Callable[[Put, bool], None]
"""Called for each document that is durable, and whether it was there before."""

Refused = Callable[[Put, SextantError], None]


class Keeper:
    """The names of one tenant, and the way in for its documents."""

    def __init__(self, store: Store, embedder: Embedder | None, scope: Scope) -> None:
        self._store, self._embedder, self._scope = store, embedder, scope
        self._names = Names()
        self._finder = Finder(())
        self._commit = -1
        self._is_behind = self._is_loaded = self._is_first = False

    async def open(self) -> None:
        """Finish what an earlier run left half done."""
        if (await self._store.counters(self._scope, [UNSETTLED]))[UNSETTLED]:
            await self._load()
            await self._settle_all()

    async def put(self, drafts: Sequence[Draft], written: Written, refused: Refused) -> None:
        """Write documents and link anew those that they concern."""
        await self._begin()
        old = await self._counted_out([draft.document.id for draft in drafts])
        for draft in drafts:
            self._names.add(draft.claims)
        changed = self._note_changes()
        failed: set[str] = set()

        def note(unit: Put, error: SextantError) -> None:
            failed.add(unit.document.id)
            refused(unit, error)

        for group in _groups(drafts, _EMBEDDED_CHUNKS if self._embedder else _CHUNKS):
            units = [link(draft, self._names, self._finder) for draft in group]
            for unit in await self._write(await self._embedded(units, old), note):
                written(unit, unit.document.id in old)
        if not self._is_first:
            await self._relink(changed, {draft.document.id for draft in drafts})
        self._is_first = False
        if failed:
            await self._take_back([draft for draft in drafts if draft.document.id in failed], old)
        await self._end()

    async def remove(self, document_ids: Sequence[str]) -> int:
        """Remove documents and link anew those that knew of them; return how many there were."""
        await self._begin()
        removed = 0
        for page in pages(document_ids, _PAGE):
            await self._counted_out(page)
            receipt = await self._store.write(self._scope, [Remove(name) for name in page])
            self._follow(receipt.commit, receipt.removed > 0)
            removed += receipt.removed
        await self._relink(self._note_changes(), set())
        await self._end()
        return removed

    async def close(self) -> None:
        """Catch up if somebody else wrote in the meantime; who cannot leaves it to the next run."""
        for _ in range(_CATCHING_UP):
            if not self._is_behind:
                return
            await self._load()
            await self._settle_all()
        if self._is_behind:
            await self._mark(1)

    async def _load(self) -> None:
        """Learn every name that is known; a run that changes nothing needs none."""
        # What is written from here on by others may be missed.
        self._commit, self._is_behind = (await self._store.write(self._scope, [])).commit, False
        self._names, after = Names(), ""
        while page := await self._store.definitions(self._scope, after, _PHRASES):
            for entity in page:
                self._names.add(claims_in(entity))
            after = page[-1].id
        self._note_changes()
        self._is_first = not await self._store.documents(self._scope, limit=1)
        self._is_loaded = True

    def _note_changes(self) -> Changed:
        """Return what changed hands, and seek by the names as they are now."""
        changed = self._names.changed()
        if changed.entities or changed.spellings:
            self._finder = Finder(self._names.sought())
        return changed

    async def _counted_out(self, document_ids: Sequence[str]) -> dict[str, Put]:
        """Take away the claims of what is stored under these ids, and return it."""
        found: dict[str, Put] = {}
        for page in pages(document_ids, _PAGE):
            found |= await self._store.units(self._scope, page)
        for unit in found.values():
            for entity in unit.entities:
                self._names.remove(claims_in(entity))
        return found

    async def _take_back(self, drafts: Iterable[Draft], old: dict[str, Put]) -> None:
        """Let the claims of documents that could not be written be what they were."""
        for draft in drafts:
            self._names.remove(draft.claims)
            for entity in old[draft.document.id].entities if draft.document.id in old else ():
                self._names.add(claims_in(entity))
        await self._relink(self._note_changes(), set())

    async def _relink(self, changed: Changed, done: set[str]) -> None:
        """Link anew the documents in which a name changed hands or may now be found."""
        concerned: set[str] = set()
        for entities in pages(sorted(changed.entities), _PHRASES):
            concerned.update(await self._store.mentioning(self._scope, entities))
        written = {
            form for spelling in changed.spellings for form in written_forms(normal_name(spelling))
        }
        for phrases in pages(sorted(written), _PHRASES):
            for found in (await self._store.holding(self._scope, phrases)).values():
                concerned.update(found)
        for page in pages(sorted(concerned - done), _PAGE):
            await self._link_anew(page)

    async def _settle_all(self) -> None:
        after = ""
        while page := await self._store.documents(self._scope, after, _PAGE):
            await self._link_anew([document.id for document in page])
            after = page[-1].id
        await self._end()

    async def _link_anew(self, document_ids: Sequence[str]) -> None:
        units = (await self._store.units(self._scope, document_ids)).values()
        ours = [unit for unit in units if SOURCE in unit.document.metadata]
        linked = [link(draft_from(unit), self._names, self._finder) for unit in ours]
        different = [new for new, old in zip(linked, ours, strict=True) if new.key != old.key]
        if different:
            receipt = await self._store.write(self._scope, different)
            self._follow(receipt.commit, receipt.written > 0)

    async def _embedded(self, units: Sequence[Put], old: dict[str, Put]) -> list[Put]:
        """Give every chunk its vector; one whose text stood there before keeps it."""
        if self._embedder is None:
            return list(units)
        texts = [_texts(unit) for unit in units]
        known = {
            text: vector for unit in units for text, vector in _vectors(old.get(unit.document.id))
        }
        new = list(dict.fromkeys(text for own in texts for text in own if text not in known))
        if new:
            known |= zip(new, await self._embedder.embed(new, "document"), strict=True)
        return [
            replace(unit, vectors=np.stack([known[text] for text in own])) if own else unit
            for unit, own in zip(units, texts, strict=True)
        ]

    async def _write(self, units: Sequence[Put], refused: Refused) -> Sequence[Put]:
        """Write a group in one commit, or if one of it cannot be, each by itself; return them."""
        try:
            receipt = await self._store.write(self._scope, units)
        except (InvalidInput, Conflict) as error:
            if len(units) == 1:
                refused(units[0], error)
                return []
            return [one for unit in units for one in await self._write([unit], refused)]
        self._follow(receipt.commit, receipt.written > 0)
        return units

    def _follow(self, commit: int, moved: bool) -> None:
        """Notice that somebody else wrote between two commits of ours."""
        expected = self._commit + moved
        self._is_behind = self._is_behind or (self._commit >= 0 and commit != expected)
        self._commit = commit

    async def _begin(self) -> None:
        if not self._is_loaded:
            await self._load()
        await self._mark(1)

    async def _end(self) -> None:
        await self._mark(0)

    async def _mark(self, wanted: int) -> None:
        now = (await self._store.counters(self._scope, [UNSETTLED]))[UNSETTLED]
        if now != wanted:
            await self._store.count(self._scope, {UNSETTLED: wanted - now})


def pages(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Cut a sequence into parts of a size."""
    return (items[start : start + size] for start in range(0, len(items), size))


def _groups(drafts: Iterable[Draft], size: int) -> Iterator[list[Draft]]:
    group: list[Draft] = []
    chunks = 0
    for draft in drafts:
        group.append(draft)
        chunks += len(draft.chunks) + 1
        if chunks >= size:
            yield group
            group, chunks = [], 0
    if group:
        yield group


def _texts(unit: Put) -> list[str]:
    title = unit.document.title
    return [embedding_text(title, chunk.headings, chunk.text) for chunk in unit.chunks]


def _vectors(unit: Put | None) -> Iterable[tuple[str, np.ndarray]]:
    if unit is None or unit.vectors is None:
        return ()
    return zip(_texts(unit), unit.vectors, strict=True)
