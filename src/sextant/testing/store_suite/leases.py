"""Leases: one holder at a time, the others in line."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sextant.errors import InvalidInput, StoreClosed
from sextant.ports import Store
from sextant.testing.store_suite.checks import refused
from sextant.testing.store_suite.opening import Opened
from sextant.testing.store_suite.samples import SCOPE
from sextant.types import Lease, Scope

_LONG, _SHORT = 600.0, 0.001
"""Longer than any suite runs, and over before the next question."""


class LeasePromises(Opened):
    """Leases: one holder at a time, the others in line."""

    def test_a_lease_has_one_holder_until_it_is_released(self, tmp_path: Path) -> None:
        """Renewed, it stays the same; each later holder has a higher token."""

        async def task(store: Store) -> None:
            asked = [store.records.take_lease(SCOPE, "x", f"holder {at}", _LONG) for at in range(5)]
            (held,) = [lease for lease in await asyncio.gather(*asked) if lease]
            again = await store.records.take_lease(SCOPE, "x", held.holder, _LONG)
            assert again == Lease("x", held.holder, held.token, is_wanted=True)
            for at in range(5):
                await store.records.release_lease(SCOPE, "x", f"holder {at}")
            new = await store.records.take_lease(SCOPE, "x", "another", _LONG)
            assert new is not None
            assert new.token > held.token
            assert new == Lease("x", "another", new.token, is_wanted=False)

        self.with_store(tmp_path, task)

    def test_who_waits_for_a_lease_gets_it_in_the_order_of_asking(self, tmp_path: Path) -> None:
        """Whoever had it last goes to the end, and whoever leaves the line is passed over."""

        async def task(store: Store) -> None:
            async def holds(*names: str) -> list[bool]:
                asked = [await store.records.take_lease(SCOPE, "x", name, _LONG) for name in names]
                return [lease is not None for lease in asked]

            assert await holds("ann", "bob", "cy", "di") == [True, False, False, False]
            await store.records.release_lease(SCOPE, "x", "ann")
            assert await holds("ann", "cy", "di", "bob") == [False, False, False, True]
            await store.records.release_lease(SCOPE, "x", "cy")
            await store.records.release_lease(SCOPE, "x", "bob")
            assert await holds("ann", "di") == [False, True]
            await store.records.release_lease(SCOPE, "x", "bob")
            assert await holds("ann", "di") == [False, True]

        self.with_store(tmp_path, task)

    def test_a_lease_that_is_not_renewed_ends(self, tmp_path: Path) -> None:
        """And so does a place in line."""

        async def task(store: Store) -> None:
            gone = await store.records.take_lease(SCOPE, "x", "ann", _SHORT)
            assert gone is not None
            lease = None
            while lease is None:
                lease = await store.records.take_lease(SCOPE, "x", "bob", _LONG)
            assert lease.token > gone.token
            assert await store.records.take_lease(SCOPE, "x", "cy", _SHORT) is None
            while lease is None or lease.is_wanted:
                lease = await store.records.take_lease(SCOPE, "x", "bob", _LONG)

        self.with_store(tmp_path, task)

    def test_leases_of_other_names_and_tenants_are_others(self, tmp_path: Path) -> None:
        """And taking one makes no tenant."""

        async def task(store: Store) -> None:
            for scope, name in ((SCOPE, "x"), (SCOPE, "y"), (Scope("globex"), "x")):
                holder = f"{scope.tenant} {name}"
                assert await store.records.take_lease(scope, name, holder, _LONG)
            assert await store.admin.tenants() == []
            assert await store.truth.commit(SCOPE) == 0

        self.with_store(tmp_path, task)

    def test_a_lease_that_nobody_can_hold_is_refused(self, tmp_path: Path) -> None:
        """Without a name or a holder, for no time or for ever, or of a closed store."""

        async def task(store: Store) -> None:
            for name, holder in (("", "ann"), ("x", "")):
                await refused(InvalidInput, store.records.take_lease(SCOPE, name, holder, _LONG))
                await refused(InvalidInput, store.records.release_lease(SCOPE, name, holder))
            for seconds in (0.0, -1.0, float("nan"), float("inf"), 1e9):
                await refused(InvalidInput, store.records.take_lease(SCOPE, "x", "ann", seconds))
            await refused(InvalidInput, store.records.take_lease(Scope(""), "x", "ann", _LONG))
            await store.admin.close()
            await refused(StoreClosed, store.records.take_lease(SCOPE, "x", "ann", _LONG))

        self.with_store(tmp_path, task)
