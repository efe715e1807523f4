"""How a suite opens the store under test, and goes by what its parts promise."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar, cast
from unittest import SkipTest

from sextant.ports import Store, Truth
from sextant.query import Query
from sextant.testing.store_suite import samples
from sextant.types import Change, EmbedderIdentity, Receipt, Scope, StoreAbility

IDENTITY = EmbedderIdentity("suite", samples.WIDTH)
_PAUSE = 0.05
"""Seconds between two looks at what takes its time."""

T = TypeVar("T")


class Able(Protocol):
    """A part of a store."""

    @property
    def abilities(self) -> frozenset[StoreAbility]:
        """What it promises."""


def needs(part: Able, *abilities: StoreAbility) -> None:
    """Skip a test of what a part does not promise, and say so."""
    missing = ", ".join(sorted(set(abilities) - part.abilities))
    if missing:
        raise SkipTest(f"Not checked: {type(part).__name__} does not promise {missing}.")


class Opened:
    """Override ``open_store``. What the parts of your store do not promise is not checked."""

    patience: ClassVar[float] = 60.0
    """Seconds until what takes its time is given up: an index that is behind, a lease that ends."""

    async def open_store(self, folder: Path) -> Store:
        """Open the store kept in this folder, for vectors of the suite's IDENTITY."""
        raise NotImplementedError

    def with_store(self, folder: Path, task: Callable[[Store], Awaitable[T]]) -> T:
        """Run a task on an open store and close it."""

        async def run() -> T:
            store = await self.open_store(folder)
            try:
                return await task(_patient(store, self.patience))
            finally:
                await store.admin.close()

        return asyncio.run(run())


async def wait_until(is_so: Callable[[], Awaitable[bool]], seconds: float) -> None:
    """Look again and again until something is so, or fail after so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            while not await is_so():  # noqa: ASYNC110 - nobody tells us
                await asyncio.sleep(_PAUSE)
    except TimeoutError:
        raise AssertionError(f"Nothing changed within {seconds:g} seconds.") from None


def _patient(store: Store, patience: float) -> Store:
    """Return a store of which every read sees what was written, even if that takes a while."""
    if StoreAbility.READ_YOUR_WRITES in store.index.abilities & store.graph.abilities:
        return store
    return replace(store, truth=cast("Truth", _PatientTruth(store, patience)))


class _PatientTruth:
    """A truth whose writes return once the index holds them."""

    def __init__(self, store: Store, patience: float) -> None:
        self._store, self._patience = store, patience

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store.truth, name)

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        receipt = await self._store.truth.write(scope, changes)

        async def is_held() -> bool:
            held = (await self._store.index.search(scope, Query(k=1))).commit
            return held >= receipt.commit

        await wait_until(is_held, self._patience)
        return receipt
