"""What came linked, and what of that to which it refers is not there, or not yet.

Nothing waits in a list for it: ids are kept as they were given, and are right once it comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sextant.ingest.keeping.draft import Draft, given_id
from sextant.ingest.keeping.paging import pages
from sextant.ingest.keeping.references import evidence_given
from sextant.ingest.values import MissingKind, Unresolved
from sextant.ports import Store
from sextant.types import Relation, Scope

_PAGE = 1_000
_NEEDING = 3
"""So many of those that refer to one thing are named."""

_Thing = tuple[MissingKind, str]


class References:
    """What the records of a run refer to, and what they bring."""

    def __init__(self) -> None:
        self._needed: dict[_Thing, list[str]] = {}
        self._brought: set[_Thing] = set()

    def add(self, draft: Draft) -> None:
        """Note the records of a document; one that is linked here refers only to what there is."""
        if draft.is_fixed or not draft.chunks:
            self._brought.update((MissingKind.ENTITY, one.id) for one in draft.stated)
            self._brought.update((MissingKind.CHUNK, one.id) for one in draft.chunks)
            for thing, needing in _references(draft):
                known = self._needed.setdefault(thing, [])
                if len(known) < _NEEDING and needing not in known:
                    known.append(needing)

    async def unresolved(self, store: Store, scope: Scope, *, dry_run: bool) -> list[Unresolved]:
        """Return what the scope does not see of that; a dry run has brought nothing, but would."""
        there = set(self._brought) if dry_run else set()
        chunks, entities = (self._ids(kind) for kind in (MissingKind.CHUNK, MissingKind.ENTITY))
        for page in pages(chunks, _PAGE):
            found = await store.truth.passages(scope, page)
            there.update((MissingKind.CHUNK, name) for name in found)
        for page in pages(entities, _PAGE):
            known = await store.graph.entities(scope, page)
            there.update((MissingKind.ENTITY, name) for name in known)
        return [
            Unresolved(*thing, tuple(needing))
            for thing, needing in sorted(self._needed.items())
            if thing not in there
        ]

    def _ids(self, kind: MissingKind) -> Sequence[str]:
        return [name for own, name in self._needed if own is kind]


def _references(draft: Draft) -> Iterator[tuple[_Thing, str]]:
    """Yield what the records of a document refer to, each with which record does."""
    for chunk in draft.chunks:
        for name in chunk.entity_ids:
            yield (MissingKind.ENTITY, name), f"chunk {chunk.id}"
    for fact, chunk_ids in evidence_given((*draft.facts, *draft.references)):
        needing = f"relation {_label(fact)}"
        yield (MissingKind.ENTITY, fact.source), needing
        yield (MissingKind.ENTITY, fact.target), needing
        for chunk_id in chunk_ids:
            yield (MissingKind.CHUNK, chunk_id), needing


def _label(fact: Relation) -> str:
    return given_id(fact) or f"{fact.source} {fact.kind} {fact.target}"
