"""Embedding what waits for it: asked-about and newest documents first, a group at a time.

A group is durable before the next one begins, so whoever is stopped or killed loses only what was
under way, and the next run goes on. One process at a time embeds a tenant; the others wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from sextant.errors import EmbedderError
from sextant.ingest.carrying import carried
from sextant.ingest.embedding.failures import note_failures
from sextant.ingest.embedding.progress import Tell, Vectors
from sextant.ingest.embedding.texts import Outcome, embed_texts
from sextant.ingest.keeping.keep import Keeper
from sextant.ingest.keeping.lease import EMBED, Right
from sextant.ports import Embedder
from sextant.text.embedding import with_vectors
from sextant.text.passages import Embeddable, embeddables
from sextant.types import Put, Scope, Unembedded

_PAGE = 200
_CHUNKS = 256
"""A commit holds at least so many chunks, if there are: a few seconds' work on two slow cores."""
_MOST_FAILED = 500
"""An embedder that fails on so many documents has more wrong with it than these."""

_POLL_S = 0.5

TakeAsked = Callable[[Scope, int], Sequence[str]]
"""Returns which documents were asked about lately, and forgets them."""


async def _at_once() -> None:
    """Wait for nothing."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many chunks are embedded at once, and what is waited for before each time."""

    at_once: int = 32
    turn: Callable[[], Awaitable[None]] = _at_once


AT_FULL_SPEED = Pace()


async def embed_waiting(
    keeper: Keeper,
    embedder: Embedder,
    tell: Tell,
    take_asked: TakeAsked = lambda *_: (),
    pace: Pace = AT_FULL_SPEED,
) -> Vectors:
    """Embed every document of a tenant that has no vectors, or wait for who does, and say how far.

    An embedder that does not work ends it; what one fails on is named and left for the next run.
    """
    vectors, right = Vectors(), Right(keeper.store.records, keeper.scope, EMBED)
    run = _Run(keeper, embedder, tell, take_asked, pace, vectors)
    try:
        while await keeper.store.truth.unembedded(keeper.scope, limit=1):
            async with right.tried() as is_ours:
                vectors.is_elsewhere = not is_ours
                await run.count()
                if is_ours:
                    await run.embed_all()
                    return vectors
            await asyncio.sleep(_POLL_S)
    finally:
        await right.leave()
    await run.count()
    return vectors


@dataclass(frozen=True, slots=True)
class _Run:
    """One process at work on one tenant."""

    keeper: Keeper
    embedder: Embedder
    tell: Tell
    take_asked: TakeAsked
    pace: Pace
    vectors: Vectors

    async def count(self) -> None:
        """Tell how many chunks there are, and how many are left."""
        status = await self.keeper.store.admin.status(self.keeper.scope)
        self.vectors.chunks, self.vectors.left = status.counts.chunks, status.unembedded_chunks
        self.tell(self.vectors)

    async def embed_all(self) -> None:
        try:
            while page := await self._next_page():
                for group in _in_groups(page):
                    await self._embed_asked()
                    await self._embed([one.document_id for one in group])
                    self._check_failures()
        except EmbedderError as error:
            self.vectors.stopped = error.message
        else:
            await note_failures(self.keeper.store.records, self.keeper.scope, self.vectors.failed)
        await self.count()

    def _check_failures(self) -> None:
        if len(self.vectors.failed) >= _MOST_FAILED:
            why = next(reversed(self.vectors.failed.values()))
            raise EmbedderError(
                f"The embedder fails on one document after the other: {why}", "Check it first."
            )

    async def _next_page(self) -> Sequence[Unembedded]:
        failed = list(self.vectors.failed)
        return await self.keeper.store.truth.unembedded(self.keeper.scope, _PAGE, failed)

    async def _embed_asked(self) -> None:
        """Embed what was asked about since it was looked last, before all others."""
        asked = self.take_asked(self.keeper.scope, _PAGE)
        if new := [name for name in asked if name not in self.vectors.failed]:
            await self._embed(new)

    async def _embed(self, document_ids: Sequence[str]) -> None:
        """Embed documents; what is whole is written, even if it ends before all of them are."""
        found = await self.keeper.store.truth.units(self.keeper.scope, document_ids)
        units = [found[name] for name in document_ids if _is_waiting(found.get(name))]
        texts = {unit.document_id: embeddables(unit) for unit in units}
        outcome = Outcome()
        try:
            await self._embed_texts(_texts_to_embed(texts.values()), outcome)
        finally:
            await carried(self._write(units, texts, outcome))

    async def _embed_texts(self, texts: Sequence[Embeddable], outcome: Outcome) -> None:
        for start in range(0, len(texts), self.pace.at_once):
            await self.pace.turn()
            part = texts[start : start + self.pace.at_once]
            await embed_texts(self.embedder, part, outcome)
            self.vectors.made += len(part)
            self.vectors.left = max(0, self.vectors.left - len(part))
            self.tell(self.vectors)

    async def _write(
        self, units: Sequence[Put], texts: dict[str, list[Embeddable]], outcome: Outcome
    ) -> None:
        whole: list[Put] = []
        for unit in units:
            own = texts[unit.document_id]
            if all(text in outcome.said for text in own):
                whole.append(with_vectors(unit, [outcome.said[text] for text in own]))
            elif why := next((outcome.failed[one] for one in own if one in outcome.failed), ""):
                self.vectors.failed[unit.document_id] = why
        for unit, error in await self.keeper.add_vectors(whole):
            self.vectors.failed[unit.document_id] = error.message
        await self.count()


def _is_waiting(unit: Put | None) -> bool:
    return unit is not None and bool(unit.chunks) and unit.vectors is None


def _in_groups(page: Sequence[Unembedded]) -> list[list[Unembedded]]:
    """Cut documents into parts that hold so many chunks or just over."""
    groups: list[list[Unembedded]] = [[]]
    for one in page:
        if sum(other.chunks for other in groups[-1]) >= _CHUNKS:
            groups.append([])
        groups[-1].append(one)
    return groups


def _texts_to_embed(texts: Iterable[Sequence[Embeddable]]) -> list[Embeddable]:
    """Return each text once, in order."""
    return list(dict.fromkeys(one for own in texts for one in own))
