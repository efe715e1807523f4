"""Vectors made beside the questions of a server, for whatever tenant has documents without any.

Also for what other processes took in and left. Knows no door and no job.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from sextant.core import Sextant
from sextant.errors import SextantError
from sextant.ingest.embedding.flow import Pace
from sextant.types import OPERATOR, Scope

_LOOK_S, _AFTER_TROUBLE_S = 5.0, 60.0
_AT_ONCE = 8
"""A question waits for no more than so many chunks to be embedded before its own text is."""

_QUIET_S = 0.25
"""So long chunks wait for questions each time; beside a model that takes minutes they go on."""
_log = logging.getLogger(__name__)


@asynccontextmanager
async def embedding(sextant: Sextant) -> AsyncIterator[None]:
    """Embed what waits until the block ends; what is whole by then is kept."""
    work = asyncio.create_task(_embed_for_ever(sextant))
    try:
        yield
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def _embed_for_ever(sextant: Sextant) -> None:
    done: dict[str, int] = {}
    while True:
        try:
            is_well = [
                await _embed(sextant, tenant, done)
                for tenant in await sextant.store.admin.tenants()
            ]
            await asyncio.sleep(_LOOK_S if all(is_well) else _AFTER_TROUBLE_S)
        except Exception as error:  # a full disk, say: what waits is looked after again
            _log.warning("Nothing can be embedded now: %s", error)
            await asyncio.sleep(_AFTER_TROUBLE_S)


async def _embed(sextant: Sextant, tenant: str, done: dict[str, int]) -> bool:
    """Embed a tenant that changed since it was done; say whether the embedder works."""
    scope = Scope(tenant, roles=frozenset({OPERATOR}))
    commit = await sextant.store.truth.commit(scope)
    if done.get(tenant) == commit:
        return True
    if not await sextant.store.truth.unembedded(scope, limit=1):
        done[tenant] = commit
        return True
    try:
        pace = Pace(_AT_ONCE, partial(sextant.attention.quiet, _QUIET_S))
        vectors = await sextant.embed_waiting(scope, pace=pace)
    except SextantError as error:
        _log.warning("The documents of a tenant cannot be embedded now: %s", error)
        return False
    for name, why in vectors.failed.items():
        _log.warning("The document %s could not be embedded: %s", name, why)
    commit = await sextant.store.truth.commit(scope)
    if not await sextant.store.truth.unembedded(scope, limit=1, but=list(vectors.failed)):
        done[tenant] = commit
    return not vectors.stopped
