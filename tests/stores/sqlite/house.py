"""A store in a folder, opened for one task at a time."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from sextant.llms.tiny import Tiny
from sextant.settings import Settings, SqliteSettings
from sextant.stores.sqlite.store import SqliteStore, open_store
from sextant.stores.sqlite.tenant import tenant_folder
from sextant.testing import samples
from sextant.testing.samples import OPERATOR_SCOPE, SCOPE
from sextant.types import EmbedderIdentity

SMALL = Tiny(samples.WIDTH)
WIDE = Tiny(32)
QUICK = Settings(sqlite=SqliteSettings(wait_seconds=0.05, flush_chunks=2))
LARGE = Settings(sqlite=SqliteSettings(wait_seconds=0.05))
"""So large that a few documents are written to no segment."""

Task = Callable[[SqliteStore], Coroutine[Any, Any, Any]]


def use(
    folder: Path,
    task: Task,
    settings: Settings = QUICK,
    identity: EmbedderIdentity | None = SMALL.identity,
    *,
    adopt: bool = False,
) -> Any:
    async def run() -> Any:
        store = await open_store(str(folder), settings, identity, adopt=adopt)
        try:
            return await task(store)
        finally:
            await store.close()

    return asyncio.run(run())


async def fill(store: SqliteStore) -> None:
    await store.write(SCOPE, [samples.runbook()])
    await store.write(SCOPE, [samples.policy(), samples.secret()])
    await store.count(SCOPE, {"asked": 1})


async def lines(store: SqliteStore) -> list[str]:
    assert not await store.check(SCOPE)
    return [line async for line in store.dump(OPERATOR_SCOPE)]


def truth(folder: Path, tenant: str = "acme") -> Path:
    return tenant_folder(folder, tenant) / "truth.db"
