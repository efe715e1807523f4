"""How a suite opens the store under test, and goes by what its parts promise."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast
from unittest import SkipTest

from sextant.ports import Store, Truth
from sextant.query import Query
from sextant.testing.store_suite import samples
from sextant.types import Change, EmbedderIdentity, Receipt, Scope, StoreAbility

IDENTITY = EmbedderIdentity("suite", samples.WIDTH)
_PAUSE, _PATIENCE = 0.05, 60.0
"""Seconds between two looks at an index that takes its time, and until it is given up."""

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

    async def open_store(self, folder: Path) -> Store:
        """Open the store kept in this folder, for vectors of the suite's IDENTITY."""
        raise NotImplementedError

    def with_store(self, folder: Path, task: Callable[[Store], Awaitable[T]]) -> T:
        """Run a task on an open store and close it."""

        async def run() -> T:
            store = await self.open_store(folder)
            try:
                return await task(_patient(store))
            finally:
                await store.admin.close()

        return asyncio.run(run())


def _patient(store: Store) -> Store:
    """Return a store of which every read sees what was written, even if that takes a while."""
    if StoreAbility.READ_YOUR_WRITES in store.index.abilities & store.graph.abilities:
        return store
    return replace(store, truth=cast("Truth", _PatientTruth(store)))


class _PatientTruth:
    """A truth whose writes return once the index holds them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store.truth, name)

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        receipt = await self._store.truth.write(scope, changes)
        async with asyncio.timeout(_PATIENCE):
            while await self._held(scope) < receipt.commit:  # noqa: ASYNC110 - nobody tells us
                await asyncio.sleep(_PAUSE)
        return receipt

    async def _held(self, scope: Scope) -> int:
        return (await self._store.index.search(scope, Query(k=1))).commit
