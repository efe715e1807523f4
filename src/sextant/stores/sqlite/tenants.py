"""The tenants of a store that are open, and the threads that work for them.

No tenant waits for the writers of another. Whatever the threads raise is an error of ours.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sextant import limits
from sextant.errors import StoreClosed
from sextant.stores.arrays.snapshots.view import Sights, Snapshot, Viewer
from sextant.stores.sqlite.readers import Threads
from sextant.stores.sqlite.reads.visible import viewer_of
from sextant.stores.sqlite.tenant import Rules, Tenant, tenant_folder
from sextant.stores.sqlite.truth.schema import decoding, typed_errors
from sextant.stores.sqlite.upkeep.folder import speaking_of
from sextant.stores.sqlite.upkeep.maintain import Caretaker
from sextant.stores.sqlite.writers import Turns
from sextant.types import Scope

P = ParamSpec("P")
T = TypeVar("T")


class OpenTenants:
    """Opens a tenant when it is first asked for, and runs blocking work off the event loop."""

    def __init__(self, root: Path, rules: Rules) -> None:
        self.root, self.rules, self.limits = root, rules, rules.settings.limits
        self._tenants: dict[str, tuple[Tenant, Caretaker]] = {}
        self._opening = threading.Lock()
        readers = rules.settings.sqlite.readers
        self._readers = Threads(readers, "sextant-read")
        self._keepers = ThreadPoolExecutor(readers, thread_name_prefix="sextant-keep")
        self._writers = Turns()
        self._working: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def record(self, scope: Scope, task: Callable[..., T], *arguments: object) -> T:
        """Write something small for a tenant, in a transaction of its own."""

        def write(since: float) -> T:
            tenant, _ = self.opened(scope.tenant)
            with tenant.write(since) as connection:
                return task(connection, *arguments)

        limits.check_scope(scope, self.limits)
        return await self.in_turn(scope.tenant, write)

    async def in_turn(self, tenant: str, task: Callable[..., T], *arguments: object) -> T:
        """Run a task after those of its tenant before it, with the time since when it waits."""
        self._check_open()

        def typed(since: float) -> T:
            with typed_errors():
                return task(*arguments, since)

        return await self._writers.run(tenant, typed)

    async def at_length(self, work: Coroutine[Any, Any, T]) -> T:
        """Do work of many steps, which closing stops and waits for."""
        task = asyncio.ensure_future(work)
        self._working.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            self._check_open()
            raise
        finally:
            self._working.discard(task)

    async def keep(self, task: Callable[..., T], *arguments: object) -> T:
        """Run a task that takes its time: opening, backing up, a step of a rebuild."""
        self._check_open()

        def typed() -> T:
            with typed_errors():
                return task(*arguments)

        return await asyncio.get_running_loop().run_in_executor(self._keepers, typed)

    async def from_truth(
        self,
        scope: Scope,
        nothing: T,
        read: Callable[Concatenate[sqlite3.Connection, P], T],
        *given: P.args,
        **named: P.kwargs,
    ) -> T:
        """Read what is found by id, in one transaction."""

        def task(tenant: Tenant) -> T:
            with tenant.truth() as connection, decoding():
                return read(connection, *given, **named)

        return await self.read(scope, task, nothing)

    async def from_snapshot(
        self,
        scope: Scope,
        nothing: T,
        read: Callable[Concatenate[sqlite3.Connection, Snapshot, Viewer, P], T],
        *given: P.args,
        **named: P.kwargs,
    ) -> T:
        """Read what the arrays find, in one transaction with the snapshot of its commit."""

        def task(tenant: Tenant) -> T:
            viewer = viewer_of(scope)
            return tenant.read(
                lambda connection, snapshot: read(connection, snapshot, viewer, *given, **named)
            )

        return await self.read(scope, task, nothing)

    async def from_sights(self, scope: Scope, nothing: T, read: Callable[[Sights], T]) -> T:
        """Read what the arrays alone know."""
        return await self.from_snapshot(
            scope, nothing, lambda _, snapshot, viewer: read(snapshot.sights(viewer))
        )

    async def read(self, scope: Scope, task: Callable[[Tenant], T], nothing: T) -> T:
        """Run a task on a tenant; one that was never written to is nothing, and is not made."""
        limits.check_scope(scope, self.limits)

        def read() -> T:
            with typed_errors():
                tenant = self.existing(scope.tenant)
                if tenant is None:
                    return nothing
                try:
                    return task(tenant)
                finally:
                    if tenant.snapshots.damaged:
                        self._tenants[tenant.name][1].wake()

        return await self._readers.run(read)

    def existing(self, name: str) -> Tenant | None:
        """Return a tenant that was written to before."""
        if name not in self._tenants and not tenant_folder(self.root, name).exists():
            return None
        return self.opened(name)[0]

    def opened(self, name: str) -> tuple[Tenant, Caretaker]:
        """Return a tenant, made if need be, and who looks after it."""
        known = self._tenants.get(name)
        if known is None:
            with self._opening:
                known = self._tenants.get(name)
                if known is None:
                    folder = tenant_folder(self.root, name)
                    with speaking_of(name, folder):
                        tenant = Tenant(folder, name, self.rules)
                    known = self._tenants[name] = (tenant, Caretaker(tenant))
        return known

    async def close(self) -> None:
        """Let everybody finish, and let go of everything."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        if own := [task for task in self._working if task.get_loop() is loop]:
            for task in own:
                task.cancel()
            await asyncio.wait(own)
        await loop.run_in_executor(None, self._shut)

    def _shut(self) -> None:
        self._writers.close()
        self._keepers.shutdown()
        self._readers.close()
        for tenant, caretaker in self._tenants.values():
            caretaker.close()
            tenant.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("The store is closed.", "Open it again.")
