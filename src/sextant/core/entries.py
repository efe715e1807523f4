"""Single entries: a passage of a document that is read, written or taken out by itself.

The rest of its document stays as it is. Whoever changes an entry reads its document first, so
those who do that for one tenant take turns here; and where somebody else was faster, what is there
by then is read, and the change made to that.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sextant.core.whole import whole
from sextant.errors import Conflict, Forbidden, InvalidInput, NotFound, Outdated
from sextant.ingest.keeping.mandate import id_taken, mandate_of
from sextant.ingest.keeping.references import with_cited
from sextant.ingest.shaping.rules import Ruling
from sextant.limits import check_vector
from sextant.ports import Embedder, Store
from sextant.settings import Settings
from sextant.text.embedding import Embedded, embedded, embedded_before, with_vectors
from sextant.text.passages import Embeddable, embeddables
from sextant.types import (
    OWN,
    Change,
    Chunk,
    Document,
    Passage,
    Put,
    Receipt,
    Relation,
    Scope,
    is_own,
    timestamp_field,
)

T = TypeVar("T")
Known = dict[Embeddable, Embedded]
"""What was said of texts that were embedded already."""

_TRIES = 20
_APART = 2
"""A new entry stands so far behind the last one: as if a blank line were between them."""


class Core(Protocol):
    """The verbs that entries need."""

    @property
    def store(self) -> Store:
        """Where documents are."""

    @property
    def embedder(self) -> Embedder:
        """Who makes vectors."""

    @property
    def settings(self) -> Settings:
        """What can be set, rules of sources among it."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make changes durable."""

    async def remove(
        self, scope: Scope, document_ids: Sequence[str], over: Mapping[str, str] | None = None
    ) -> int:
        """Delete documents, where it says so only these versions, and keep names in step."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry to be written: a passage, of which document, and what is to change of that.

    Without an id it is named by its text. The fields are those of a document that are given. A
    timestamp says when the passage itself was written, if that is not when its document was.
    """

    document_id: str
    text: str
    id: str = ""
    headings: tuple[str, ...] = ()
    page: int | None = None
    entity_ids: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    timestamp: datetime | None = None
    vector: NDArray[np.float32] | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """The id under which it is kept."""
        digest = hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()
        return self.id or f"{self.document_id}#{digest[:12]}"


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of every tenant."""

    core: Core
    _turns: dict[str, asyncio.Lock] = field(init=False, default_factory=dict, repr=False)

    async def get(self, scope: Scope, entry_id: str) -> Passage:
        """Return an entry with its document."""
        found = (await self.core.store.truth.passages(scope, [entry_id])).get(entry_id)
        if found is None or is_own(found.document.id):
            raise _no_entry()
        return found

    async def artifact(self, scope: Scope, document_id: str) -> Put:
        """Return a document with all that it brought."""
        found = (await self.core.store.truth.units(scope, [document_id])).get(document_id)
        if found is None or is_own(document_id):
            raise NotFound("There is no such artifact.", "Search to see which there are.")
        return found

    async def upsert(self, scope: Scope, entry: Entry) -> tuple[Passage, bool]:
        """Write an entry, and return it with whether it is new.

        A document that is not there yet will hold this entry alone; in another one it takes the
        place of the entry of its id, or becomes the last.
        """
        _check_own(entry.document_id, entry.fields.get("metadata", {}))
        self._check_claim(scope, entry)
        known: Known = {}

        async def attempt() -> bool:
            old = await self._changeable(scope, entry.document_id)
            before = old or Put(Document(entry.document_id))
            revised = _revised(scope, old, before.document, entry.fields)
            after = _with(before, _dated(revised, entry.name, entry.timestamp), entry)
            (after,) = await with_cited(self.core.store, whole(scope), [after])
            after = await self._embedded(before, after, entry, known)
            over = old.key if old else ""
            await self.core.write(scope, [replace(after, key="", over=over)])
            return entry.name not in {one.id for one in before.chunks}

        is_new = await self._attempted(scope, attempt)
        return await self.get(whole(scope), entry.name), is_new

    async def delete(self, scope: Scope, entry_id: str) -> tuple[str, bool]:
        """Take an entry out; return its document's id and whether that went with its last one."""

        async def attempt() -> tuple[str, bool]:
            document = (await self.get(whole(scope), entry_id)).document
            if not _may_change(scope, document):
                raise _not_its_own() if scope.sees(document) else _no_entry()
            unit = await self.artifact(whole(scope), document.id)
            left = _without_chunk(unit, entry_id)
            if left.chunks:
                await self.core.write(scope, [replace(left, key="", over=unit.key)])
            else:
                await self.core.remove(whole(scope), [document.id], {document.id: unit.key})
            return document.id, not left.chunks

        return await self._attempted(scope, attempt)

    async def _attempted(self, scope: Scope, attempt: Callable[[], Awaitable[T]]) -> T:
        """Change something; whoever was faster is read again."""
        async with self._turns.setdefault(scope.tenant, asyncio.Lock()):
            for _ in range(_TRIES):
                try:
                    return await attempt()
                except Outdated:
                    continue
        raise Conflict("Others keep changing that artifact.", "Try again.")

    async def _changeable(self, scope: Scope, document_id: str) -> Put | None:
        """Return what is there, and refuse to replace what is not for the scope to change."""
        found = (await self.core.store.truth.units(whole(scope), [document_id])).get(document_id)
        if found is None or _may_change(scope, found.document):
            return found
        raise id_taken()

    def _check_claim(self, scope: Scope, entry: Entry) -> None:
        """Refuse an id or address where a rule says what documents are worth."""
        ruling = Ruling(
            self.core.settings.ingest.rules, owner=scope.user or "", curates=scope.curates
        )
        ruling.check_claim(entry.document_id, entry.fields.get("url", ""))

    async def _embedded(self, before: Put, after: Put, entry: Entry, known: Known) -> Put:
        """Give each chunk its vectors; one whose text was there before keeps those that it has."""
        texts = embeddables(after)
        known |= embedded_before(before)
        if entry.vector is not None:
            own = [one.id for one in after.chunks].index(entry.name)
            vector = check_vector(entry.vector, self.core.embedder.identity.width)
            known[texts[own]] = Embedded(vector)
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            known |= await embedded(self.core.embedder, new)
        return with_vectors(after, [known[text] for text in texts])


def _no_entry() -> NotFound:
    return NotFound("There is no such entry.", "Search to see which there are.")


def _not_its_own() -> Forbidden:
    return Forbidden(
        "That entry is somebody else's.", "Ask whoever brought it, or somebody with the role admin."
    )


def _check_own(document_id: str, metadata: Mapping[str, str]) -> None:
    """Refuse what is kept for Sextant itself."""
    if is_own(document_id) or any(map(is_own, metadata)):
        raise InvalidInput(f"Names that start with {OWN} are taken.", "Choose another one.")


def _may_change(scope: Scope, document: Document) -> bool:
    """Whether the scope sees a document, or asks as nobody but acts for one of its personas.

    Others' documents are for curators to change.
    """
    mandate = mandate_of(scope)
    if not mandate.owns(document):
        return False
    return scope.sees(document) or (mandate.personas is not None and mandate.touches(document))


def _revised(
    scope: Scope, old: Put | None, document: Document, fields: Mapping[str, Any]
) -> Document:
    """Return a document with the fields that are given, for those whom the scope may give it to."""
    own = {name: value for name, value in document.metadata.items() if is_own(name)}
    if "metadata" in fields:
        fields = {**fields, "metadata": {**fields["metadata"], **own}}
    revised = replace(document, **fields, owner=scope.user or "")
    mandate = mandate_of(scope, chooses="personas" in fields)
    if revised.reputation != document.reputation and not mandate.curates:
        raise Forbidden(
            "Only the role admin says what a source is worth.",
            "Leave SourceReputationScore out, or use a key with the role Sextant.Admin.",
        )
    if old is None:
        return replace(revised, personas=mandate.audience(revised.personas))
    return mandate.successor(old.document, revised)


def _dated(document: Document, chunk_id: str, timestamp: datetime | None) -> Document:
    """Return a document that knows when one of its passages was written, or no longer does."""
    name = timestamp_field(chunk_id)
    others = {key: value for key, value in document.metadata.items() if key != name}
    own = {name: timestamp.astimezone(UTC).isoformat()} if timestamp else {}
    return replace(document, metadata={**others, **own})


def _with(before: Put, document: Document, entry: Entry) -> Put:
    """Return a document's unit with an entry in its place; what stands behind it moves."""
    at = next((n for n, one in enumerate(before.chunks) if one.id == entry.name), None)
    start = max((one.end for one in before.chunks), default=-_APART) + _APART
    if at is not None:
        start = before.chunks[at].start
    chunk = Chunk(
        entry.name,
        entry.text,
        start,
        start + len(entry.text),
        entry.headings,
        entry.page,
        entry.entity_ids,
    )
    if at is None:
        return replace(before, document=document, chunks=(*before.chunks, chunk))
    by = chunk.end - before.chunks[at].end
    chunks = (*before.chunks[:at], chunk, *(_moved(one, by) for one in before.chunks[at + 1 :]))
    is_same = before.chunks[at].text == chunk.text
    relations = before.relations if is_same else _without(before.relations, chunk.id)
    return replace(before, document=document, chunks=chunks, relations=relations)


def _without_chunk(unit: Put, chunk_id: str) -> Put:
    """Return a document's unit without an entry, and without what that alone said."""
    kept = [at for at, one in enumerate(unit.chunks) if one.id != chunk_id]
    return replace(
        unit,
        document=_dated(unit.document, chunk_id, None),
        chunks=tuple(unit.chunks[at] for at in kept),
        relations=_without(unit.relations, chunk_id),
        vectors=None if unit.vectors is None else unit.vectors[kept],
        pieces=None if unit.pieces is None else tuple(unit.pieces[at] for at in kept),
    )


def _moved(chunk: Chunk, by: int) -> Chunk:
    return replace(chunk, start=chunk.start + by, end=chunk.end + by)


def _without(relations: Sequence[Relation], chunk_id: str) -> tuple[Relation, ...]:
    """Return what is said elsewhere, too, or was never said by a chunk."""
    kept = []
    for one in relations:
        evidence = tuple(name for name in one.evidence if name != chunk_id)
        if evidence or not one.evidence:
            kept.append(replace(one, evidence=evidence))
    return tuple(kept)
