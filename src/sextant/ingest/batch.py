"""Writing in batches behind the reader's back: one is written while the next fills up."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from sextant.ingest.keeping.draft import Draft
from sextant.ingest.keeping.dry_run import Pretence
from sextant.ingest.keeping.keep import Keeper, Refused, Written
from sextant.ingest.keeping.mandate import Mandate

_CHARACTERS = 24_000_000
_DRAFTS = 5_000
"""Names that come in one batch are known to all of it, so large ones save linking twice."""


class Batches:
    """Holds drafts until they are worth writing; whoever leaves without an error wrote them all."""

    def __init__(
        self, keeper: Keeper | Pretence, written: Written, refused: Refused, mandate: Mandate
    ) -> None:
        self._keeper, self._written, self._refused = keeper, written, refused
        self._mandate = mandate
        self._held: list[Draft] = []
        self._size = 0
        self._writing: asyncio.Task[None] | None = None

    async def add(self, drafts: Sequence[Draft]) -> None:
        """Take drafts, and wait only if the batch before the last is still being written."""
        self._held += drafts
        self._size += sum(len(chunk.text) for draft in drafts for chunk in draft.chunks)
        if self._size >= _CHARACTERS or len(self._held) >= _DRAFTS:
            await self._flush()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            await self._flush()
            await self._finish()
        elif self._writing:
            self._writing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._writing

    async def _flush(self) -> None:
        await self._finish()
        if self._held:
            put = self._keeper.put(self._held, self._written, self._refused, self._mandate)
            self._writing = asyncio.create_task(put)
            self._held, self._size = [], 0

    async def _finish(self) -> None:
        writing, self._writing = self._writing, None
        if writing:
            await writing
