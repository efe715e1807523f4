"""A dry run: what a keeper would do, told and not done."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.ingest.keeping.draft import Draft
from sextant.ingest.keeping.keep import Keeper, Refused, Written
from sextant.ingest.keeping.mandate import Mandate
from sextant.ingest.keeping.paging import pages
from sextant.types import Put

_PAGE = 200


class Pretence:
    """In place of a keeper, tells what would be done and does nothing."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def open(self) -> None:
        """Nothing is finished that an earlier run left half done."""

    async def put(self, drafts: Sequence[Draft], written: Written, _: Refused, __: Mandate) -> None:
        """Tell that these would be written."""
        for page in pages(drafts, _PAGE):
            ids = [draft.document.id for draft in page]
            known = await self._keeper.store.truth.units(self._keeper.scope, ids)
            for draft in page:
                unit = Put(draft.document, draft.chunks, draft.stated, draft.facts)
                written(unit, known.get(draft.document.id))

    async def remove(self, document_ids: Sequence[str]) -> int:
        """Tell that these would be removed."""
        return len(document_ids)

    async def close(self) -> None:
        """Nothing is to be caught up with."""
