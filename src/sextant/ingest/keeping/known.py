"""What the store holds of a source: which items, under which fingerprint, as which documents."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

from sextant.ingest.extract.findings import READ_BY
from sextant.ingest.shaping.shape import FINGERPRINT, ITEM, PARTS, SOURCE
from sextant.ports import DocumentReader, Store
from sextant.types import Document, Scope

_PAGE = 1_000
_UNITS = 200
Touches = Callable[[Document], bool]
"""Whether who brings documents may replace or remove one that is there."""


@dataclass(slots=True)
class KnownItem:
    """An item as it was taken in; with fewer documents than parts it was cut off."""

    parts: int = 0
    fingerprints: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)

    def is_whole(self, fingerprint: str) -> bool:
        """Whether all of it is here, and made from the same."""
        return self.fingerprints == {fingerprint} and len(self.documents) == self.parts


async def known_items(
    store: Store,
    scope: Scope,
    source: str,
    touches: Touches,
    *,
    ids: Sequence[str] = (),
    anywhere: bool = False,
    by_model: bool = False,
) -> dict[str, KnownItem]:
    """Return the items of a source by their path; without a model, what one read is not whole.

    What whoever asks may not touch is not known.

    Their ids start with the source's name, but for the pages of a site and for documents that came
    with an id of their own. Only for these is every document looked at, unless all that may come
    have one of the given ids.
    """
    if ids and not anywhere:
        return await _known(_called(store, scope, source, ids), touches, by_model)
    if not anywhere:
        known = await _known(documents_of(store.truth, scope, source), touches, by_model)
        if all(len(item.documents) == item.parts for item in known.values()):
            return known
    return await _known(documents_of(store.truth, scope, source, anywhere=True), touches, by_model)


async def _known(
    documents: AsyncGenerator[Document, None], touches: Touches, by_model: bool
) -> dict[str, KnownItem]:
    known: dict[str, KnownItem] = {}
    async for document in documents:
        if not touches(document):
            continue
        metadata = document.metadata
        item = known.setdefault(metadata[ITEM], KnownItem(int(metadata[PARTS])))
        is_as_read = by_model or READ_BY not in metadata
        item.fingerprints.add(metadata[FINGERPRINT] if is_as_read else "")
        item.documents.add(document.id)
    return known


async def _called(
    store: Store, scope: Scope, source: str, ids: Sequence[str]
) -> AsyncGenerator[Document, None]:
    """Yield the documents of a source that have these ids."""
    for start in range(0, len(ids), _UNITS):
        for unit in (await store.truth.units(scope, ids[start : start + _UNITS])).values():
            if unit.document.metadata.get(SOURCE) == source:
                yield unit.document


async def documents_of(
    truth: DocumentReader, scope: Scope, source: str, *, anywhere: bool = False
) -> AsyncGenerator[Document, None]:
    """Yield the documents of a source whose ids start with its name, or all of them."""
    after, prefix = ("", "") if anywhere else (source[:-1], source)
    while page := await truth.documents(scope, after, _PAGE):
        for document in page:
            if document.metadata.get(SOURCE) == source:
                yield document
        after = page[-1].id
        if prefix and after > prefix and not after.startswith(prefix):
            break
