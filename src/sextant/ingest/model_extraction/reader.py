"""Reading the texts of documents with a model: what is known costs nothing, the rest is asked for.

A call holds texts of one document alone, so that none can spoil the reading of another. What fails
stays as the patterns read it; a model that fails too often is left alone for the rest of the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import chain

from sextant.errors import (
    InvalidReply,
    ModelBudgetSpent,
    ModelError,
    ModelRefused,
    ModelRejected,
    ModelUnreachable,
)
from sextant.ingest.extract.findings import Findings
from sextant.ingest.keeping.draft import Draft
from sextant.ingest.model_extraction.cache import Cache, document_digest
from sextant.ingest.model_extraction.checks import checked
from sextant.ingest.model_extraction.prompt import (
    Excerpt,
    excerpts_of,
    portions,
    prompt_for,
    reader_of,
)
from sextant.ingest.model_extraction.purse import Purse, guessed_usage
from sextant.ingest.report import ByModel
from sextant.ports import ChatModel
from sextant.prompting.structured import structured
from sextant.types import Usage

_UNREACHABLE, _USELESS = 3, 10
"""After so many failures in a row nothing more is asked: of a model that does not answer, and of
one whose answers cannot be used."""

_OF_ONE_TEXT = (InvalidReply, ModelRefused, ModelRejected)
"""What may be the fault of a text, and not of those that were read with it."""

Portion = Sequence[Excerpt]


class Reader:
    """A model that reads for a tenant, and what it has found so far."""

    def __init__(
        self,
        model: ChatModel,
        cache: Cache,
        purse: Purse,
        tenant: str,
        tell: Callable[[], None],
    ) -> None:
        self._model, self._cache, self._purse = model, cache, purse
        self._tenant, self._tell = tenant, tell
        self.identity = reader_of(model.identity)
        self.report = ByModel(str(model.identity))
        self._in_a_row = 0
        self._planned: set[str] = set()

    async def plan(self, drafts: Sequence[Draft]) -> None:
        """Add up what reading these documents would take; the same text is read once."""
        texts = [excerpts_of(draft) for draft in drafts]
        keys = {text: self._key(text) for text in chain.from_iterable(texts)}
        planned = {text for text, key in keys.items() if key in self._planned}
        missing = list(_missing(texts, planned | (await self._known(texts)).keys()))
        self._planned.update(keys[text] for portion in missing for text in portion)
        report = self.report
        report.wanted += sum(map(len, texts))
        report.known += sum(map(len, texts)) - sum(map(len, missing))
        report.estimated += sum(map(guessed_usage, missing), Usage())
        report.estimated_cost = self._purse.price(report.estimated)

    def check(self) -> None:
        """Refuse to begin if what was planned costs too much."""
        self._purse.check(self.report)

    async def read(self, drafts: Sequence[Draft], at_once: int) -> list[dict[str, Findings]]:
        """Return what is found in each document, by chunk; what could not be read is not there."""
        texts = [excerpts_of(draft) for draft in drafts]
        found = await self._known(texts)
        await self._ask_all(_missing(texts, found.keys()), found, at_once)
        return [
            {
                chunk.id: found[text]
                for chunk, text in zip(draft.chunks, own, strict=True)
                if text in found
            }
            for draft, own in zip(drafts, texts, strict=True)
        ]

    async def forget(self, document_ids: Iterable[str]) -> None:
        """Keep nothing of documents that somebody removed while they were read."""
        gone = [document_digest(self._tenant, one) for one in document_ids]
        if gone:
            await self._cache.drop(gone)

    async def _known(self, texts: Sequence[Portion]) -> dict[Excerpt, Findings]:
        keys = {self._key(one): one for one in chain.from_iterable(texts)}
        return {keys[key]: one for key, one in (await self._cache.get(list(keys))).items()}

    def _key(self, text: Excerpt) -> str:
        return text.key(self._tenant, self.identity)

    async def _ask_all(
        self, wanted: Iterator[Portion], found: dict[Excerpt, Findings], at_once: int
    ) -> None:
        """Ask for all portions, several at a time."""

        async def work() -> None:
            for portion in wanted:
                await self._ask(portion, found)

        tasks = [asyncio.create_task(work()) for _ in range(at_once)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, portion: Portion, found: dict[Excerpt, Findings]) -> None:
        """Ask once, and again for what the reply left out, in smaller portions."""
        if self.report.stopped:
            return
        paid = self._purse.paying(self._model, guessed_usage(portion).written)
        try:
            reply = await structured(paid, prompt_for(portion))
        except ModelBudgetSpent as error:
            self.report.stopped = error.message
            left = []
        except ModelError as error:
            left = self._failed(portion, error)
        else:
            read = checked(reply.value, portion, self.report.dropped)
            of = document_digest(self._tenant, portion[0].document_id)
            await self._cache.put({self._key(text): one for text, one in read.items()}, of)
            found |= read
            left = self._noted(portion, read)
        finally:
            self.report.usage = self._purse.spending.usage
            self.report.cost = self._purse.price(self.report.usage)
            self._tell()
        for part in left:
            await self._ask(part, found)

    def _noted(self, portion: Portion, read: dict[Excerpt, Findings]) -> list[Portion]:
        self._in_a_row = 0
        self.report.read += len(read)
        self.report.names += sum(len(one.named) for one in read.values())
        self.report.relations += sum(len(one.told) for one in read.values())
        return [[text] for text in portion if text not in read]

    def _failed(self, portion: Portion, error: ModelError) -> list[Portion]:
        """Count a failure, or return the parts to try alone; a model that has no use is left."""
        if isinstance(error, _OF_ONE_TEXT) and len(portion) > 1:
            half = len(portion) // 2
            return [portion[:half], portion[half:]]
        self.report.failed += len(portion)
        self.report.failure = error.message
        self._in_a_row += 1
        may_pass = isinstance(error, (*_OF_ONE_TEXT, ModelUnreachable))
        most = _UNREACHABLE if isinstance(error, ModelUnreachable) else _USELESS
        if not may_pass or self._in_a_row >= most:
            self.report.stopped = error.message
        return []


def _missing(texts: Sequence[Portion], known: Set[Excerpt]) -> Iterator[Portion]:
    """Yield what is to be asked for, each text once, in portions of one document each."""
    seen = set(known)
    for own in texts:
        wanted = [text for text in dict.fromkeys(own) if text not in seen]
        seen.update(wanted)
        yield from portions(wanted)
