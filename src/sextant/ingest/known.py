"""What the store holds of a source: which items, under which fingerprint, as which documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from sextant.ingest.shape import FINGERPRINT, ITEM, PARTS, SOURCE
from sextant.ports import Reader
from sextant.types import Document, Scope

_PAGE = 1_000


@dataclass(slots=True)
class KnownItem:
    """An item as it was taken in; with fewer documents than parts it was cut off."""

    parts: int = 0
    fingerprints: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)

    def is_whole(self, fingerprint: str) -> bool:
        """Whether all of it is here, and made from the same."""
        return self.fingerprints == {fingerprint} and len(self.documents) == self.parts


async def known_items(store: Reader, scope: Scope, source: str) -> dict[str, KnownItem]:
    """Return the items of a source by their path."""
    known: dict[str, KnownItem] = {}
    async for document in every_document(store, scope):
        metadata = document.metadata
        if metadata.get(SOURCE) == source:
            item = known.setdefault(metadata[ITEM], KnownItem(int(metadata[PARTS])))
            item.fingerprints.add(metadata[FINGERPRINT])
            item.documents.add(document.id)
    return known


async def every_document(store: Reader, scope: Scope) -> AsyncIterator[Document]:
    """Yield all documents by id."""
    after = ""
    while page := await store.documents(scope, after, _PAGE):
        for document in page:
            yield document
        after = page[-1].id
