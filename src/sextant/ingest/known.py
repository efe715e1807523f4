"""What the store holds of a source: which items, under which fingerprint, as which documents."""

from __future__ import annotations

from dataclasses import dataclass, field

from sextant.ingest.shape import FINGERPRINT, ITEM, PARTS, SOURCE
from sextant.ports import Reader
from sextant.types import Scope

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


async def known_items(
    store: Reader, scope: Scope, source: str, *, is_site: bool
) -> dict[str, KnownItem]:
    """Return the items of a source by their path.

    Their ids start with the source's name, but for the pages of a site and for documents that came
    with an id of their own. Only for these is every document looked at.
    """
    if not is_site:
        known = await _known(store, scope, source, source[:-1], source)
        if all(len(item.documents) == item.parts for item in known.values()):
            return known
    return await _known(store, scope, source, "", "")


async def _known(
    store: Reader, scope: Scope, source: str, after: str, prefix: str
) -> dict[str, KnownItem]:
    known: dict[str, KnownItem] = {}
    while page := await store.documents(scope, after, _PAGE):
        for document in page:
            metadata = document.metadata
            if metadata.get(SOURCE) == source:
                item = known.setdefault(metadata[ITEM], KnownItem(int(metadata[PARTS])))
                item.fingerprints.add(metadata[FINGERPRINT])
                item.documents.add(document.id)
        after = page[-1].id
        if prefix and after > prefix and not after.startswith(prefix):
            break
    return known
