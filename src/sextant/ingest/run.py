"""One place on its way in: its items are read ahead, and told apart from what is known of them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

from sextant.errors import Conflict, Gone, Ignored
from sextant.ingest.batch import Batches
from sextant.ingest.isolate import Isolation
from sextant.ingest.keeping.draft import Draft
from sextant.ingest.keeping.known import KnownItem
from sextant.ingest.shaping.shape import ITEM, Shaping
from sextant.ingest.sources import Place, SourceRules, gather, overlooked
from sextant.ingest.take import Loaded, Settled, Taken, Unchanged, handfuls, load, taken
from sextant.ingest.tally import Tally
from sextant.ingest.threads import in_thread
from sextant.ingest.values import Item, Refusal

_ALONE_S = 10.0
"""So long one process reads alone: another costs half a second, and most runs are short."""


class Run:
    """What a place holds, what was known of it, and which of that is gone."""

    def __init__(
        self,
        place: Place,
        shaping: Shaping,
        known: Mapping[str, KnownItem],
        tally: Tally,
        isolation: Isolation,
    ) -> None:
        self._place, self._shaping, self._known = place, shaping, known
        self._tally, self._isolation = tally, isolation
        self._seen: set[str] = set()
        self._hidden: list[str] = []
        self._gone: set[str] = set()
        self._turns = asyncio.Semaphore(1)

    async def read(self, rules: SourceRules, readers: int, batches: Batches) -> None:
        """Read everything, in at most so many processes at a time, and hand on what is new."""
        self._turns = asyncio.Semaphore(1)
        more = asyncio.get_running_loop().call_later(_ALONE_S, self._let_in, readers - 1)
        try:
            await self._read(rules, readers, batches)
        finally:
            more.cancel()

    def _let_in(self, count: int) -> None:
        for _ in range(count):
            self._turns.release()

    async def _read(self, rules: SourceRules, readers: int, batches: Batches) -> None:
        async with aclosing(self._outcomes(rules, readers)) as outcomes:
            async for outcome in outcomes:
                drafts = self._note(outcome)
                self._tally.report.read += 1
                if drafts:
                    self._tally.expect(drafts)
                    self._tally.tell()
                    await batches.add(drafts)
                else:
                    self._tally.finish()

    def gone(self, *, sync: bool) -> set[str]:
        """Return the documents that items have no longer, with sync also those of gone items."""
        gone = set(self._gone)
        if sync:
            out_of_sight = tuple(self._hidden)
            for path, item in self._known.items():
                if path not in self._seen and not path.startswith(out_of_sight):
                    gone |= item.documents
        return gone - self._tally.kept

    async def _outcomes(self, rules: SourceRules, readers: int) -> AsyncGenerator[Settled, None]:
        """Yield what became of each item, in order, while those after it are being read."""
        ahead: deque[asyncio.Task[list[Settled]]] = deque()
        try:
            async with aclosing(self._found(rules)) as found, aclosing(handfuls(found)) as handed:
                async for handful in handed:
                    ahead.append(asyncio.create_task(self._take(handful)))
                    while len(ahead) > readers:
                        for outcome in await ahead.popleft():
                            yield outcome
            while ahead:
                for outcome in await ahead.popleft():
                    yield outcome
        finally:
            for task in ahead:
                task.cancel()
            await asyncio.gather(*ahead, return_exceptions=True)

    async def _found(self, rules: SourceRules) -> AsyncGenerator[Item | Refusal, None]:
        async with aclosing(gather(self._place, rules)) as found:
            async for one in found:
                self._tally.report.found += 1
                yield one

    async def _take(self, handful: Sequence[Item | Refusal]) -> list[Settled]:
        outcomes = await in_thread(load, handful, self._shaping, self._known)
        orders = [one.order for one in outcomes if isinstance(one, Loaded)]
        async with self._turns:
            read = iter(await self._isolation.read(orders, self._shaping))
        return [
            await taken(one.path, next(read), self._shaping) if isinstance(one, Loaded) else one
            for one in outcomes
        ]

    def _note(self, outcome: Settled) -> tuple[Draft, ...]:
        """Count what became of an item, and return the drafts to write."""
        if not _is_gone(outcome):
            self._seen.add(outcome.path)
        match outcome:
            case Refusal():
                self._tally.report.refuse(outcome)
                hides = overlooked(outcome)
                self._hidden += [] if hides is None else [hides]
            case Unchanged():
                self._tally.report.unchanged += outcome.documents
                self._tally.report.name(sorted(self._known[outcome.path].documents))
                self._tally.kept |= self._known[outcome.path].documents
            case Taken():
                self._tally.report.formats[outcome.format] += 1
                self._tally.report.notes.update(outcome.notes)
                return self._new(outcome)
        return ()

    def _new(self, outcome: Taken) -> tuple[Draft, ...]:
        before = self._known[outcome.path].documents if outcome.path in self._known else set()
        self._gone |= before - {draft.document.id for draft in outcome.drafts}
        return tuple(draft for draft in outcome.drafts if self._keep(draft))

    def _keep(self, draft: Draft) -> bool:
        """Take a document for this run, unless another item of it has brought one of that id."""
        document = draft.document
        if document.id in self._tally.kept:
            reason = f"{document.id} is already there from another item."
            error = Conflict(reason, "Put all of it into one file, or give it another id.")
            self._tally.report.refuse(Refusal(document.metadata[ITEM], error))
            return False
        self._tally.kept.add(document.id)
        return True


def _is_gone(outcome: Settled) -> bool:
    """Whether a sync may take an item for gone: it is left out on purpose, or there no longer."""
    return isinstance(outcome, Refusal) and isinstance(outcome.error, Gone | Ignored)
