"""A store in a folder, opened for one task at a time."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from sextant.llms.tiny import Tiny
from sextant.ports import Store
from sextant.settings import Settings, SqliteSettings
from sextant.stores.sqlite.store import open_store
from sextant.stores.sqlite.tenant import tenant_folder
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.samples import OPERATOR_SCOPE, SCOPE
from sextant.types import EmbedderIdentity

SMALL = Tiny(samples.WIDTH)
WIDE = Tiny(32)
QUICK = Settings(sqlite=SqliteSettings(wait_seconds=0.05, flush_chunks=2))
LARGE = Settings(sqlite=SqliteSettings(wait_seconds=0.05))
"""So large that a few documents are written to no segment."""

Task = Callable[[Store], Coroutine[Any, Any, Any]]


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
            await store.admin.close()

    return asyncio.run(run())


async def fill(store: Store) -> None:
    await store.truth.write(SCOPE, [samples.runbook()])
    await store.truth.write(SCOPE, [samples.policy(), samples.secret()])
    await store.records.count(SCOPE, {"asked": 1})


async def lines(store: Store) -> list[str]:
    assert not await store.admin.check(SCOPE)
    return [line async for line in store.admin.dump(OPERATOR_SCOPE)]


def truth(folder: Path, tenant: str = "acme") -> Path:
    return tenant_folder(folder, tenant) / "truth.db"
