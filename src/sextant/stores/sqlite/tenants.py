"""The tenants of a store that are open, and the threads that work for them.

No tenant waits for the writers of another. Whatever the threads raise is an error of ours. Tenants
hold files open, of which there is a limit: those that were not used for longest are closed.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sextant import limits
from sextant.errors import StoreClosed
from sextant.stores.arrays.snapshots.view import Sights, Snapshot, Viewer
from sextant.stores.sqlite.descriptors import descriptor_budget
from sextant.stores.sqlite.readers import Threads
from sextant.stores.sqlite.reads.visible import viewer_of
from sextant.stores.sqlite.tenant import (
    FILES_OF_READER,
    FILES_OF_WRITER,
    Rules,
    Tenant,
    tenant_folder,
)
from sextant.stores.sqlite.truth.schema import decoding, typed_errors
from sextant.stores.sqlite.upkeep.folder import speaking_of
from sextant.stores.sqlite.upkeep.maintain import Caretaker
from sextant.stores.sqlite.writers import Turns
from sextant.types import Scope

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class _Open:
    """A tenant, who looks after it, and how many use it at the moment."""

    tenant: Tenant
    caretaker: Caretaker
    uses: int


class OpenTenants:
    """Opens a tenant when it is first asked for, and runs blocking work off the event loop."""

    def __init__(self, root: Path, rules: Rules) -> None:
        self.root, self.rules, self.limits = root, rules, rules.settings.limits
        self._tenants: OrderedDict[str, _Open] = OrderedDict()
        """In the order of their last use."""
        self._opening, self._counting = threading.Lock(), threading.Lock()
        self._budget = descriptor_budget(rules.settings.sqlite.descriptors)
        readers = rules.settings.sqlite.readers
        self._readers = Threads(readers, "sextant-read")
        self._keepers = ThreadPoolExecutor(readers, thread_name_prefix="sextant-keep")
        self._writers = Turns()
        self._working: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def record(self, scope: Scope, task: Callable[..., T], *arguments: object) -> T:
        """Write something small for a tenant, in a transaction of its own."""

        def write(since: float) -> T:
            with (
                self.holding(scope.tenant) as (tenant, _),
                tenant.write(since) as connection,
            ):
                return task(connection, *arguments)

        limits.check_scope(scope, self.limits)
        return await self.in_turn(scope.tenant, write)

    async def in_turn(self, tenant: str, task: Callable[..., T], *arguments: object) -> T:
        """Run a task after those of its tenant before it, with the time since when it waits."""
        self._check_open()

        def typed(since: float) -> T:
            with typed_errors(), decoding():
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
            with typed_errors(), decoding():
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
            with tenant.truth() as connection:
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
            with typed_errors(), decoding():
                if not self.is_there(scope.tenant):
                    return nothing
                with self.holding(scope.tenant) as (tenant, caretaker):
                    try:
                        return task(tenant)
                    finally:
                        if tenant.snapshots.damaged:
                            caretaker.wake()

        return await self._readers.run(read)

    def is_there(self, name: str) -> bool:
        """Whether a tenant was written to before."""
        return name in self._tenants or tenant_folder(self.root, name).exists()

    @contextmanager
    def holding(self, name: str) -> Iterator[tuple[Tenant, Caretaker]]:
        """Hold a tenant open, made if need be, with who looks after it."""
        held = self.hold(name)
        try:
            yield held
        finally:
            self.let_go(name)

    def hold(self, name: str) -> tuple[Tenant, Caretaker]:
        """Open a tenant, and keep it open until it is let go of."""
        held = self._taken(name)
        if held is None:
            with self._opening:
                held = self._taken(name)
                if held is None:
                    self._make_room()
                    held = self._open(name)
        return held.tenant, held.caretaker

    def let_go(self, name: str) -> None:
        """Allow that a tenant is closed again, once nobody else holds it."""
        with self._counting:
            self._tenants[name].uses -= 1

    def _taken(self, name: str) -> _Open | None:
        with self._counting:
            held = self._tenants.get(name)
            if held is not None:
                held.uses += 1
                self._tenants.move_to_end(name)
            return held

    def _open(self, name: str) -> _Open:
        folder = tenant_folder(self.root, name)
        with speaking_of(name, folder):
            tenant = Tenant(folder, name, self.rules)
        held = _Open(tenant, Caretaker(tenant), 1)
        with self._counting:
            self._tenants[name] = held
        return held

    def _make_room(self) -> None:
        """Close tenants that nobody uses until another one fits in; the longest unused first."""
        for held in self._released():
            held.caretaker.leave()
            held.tenant.close()

    def _released(self) -> list[_Open]:
        """Take those tenants out that are to be closed."""
        released: list[_Open] = []
        with self._counting:
            open_files = sum(one.tenant.descriptors for one in self._tenants.values())
            for name, held in list(self._tenants.items()):
                if open_files + FILES_OF_WRITER + FILES_OF_READER <= self._budget:
                    break
                if not held.uses and not held.caretaker.is_busy:
                    open_files -= held.tenant.descriptors
                    released.append(self._tenants.pop(name))
        return released

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
        for held in self._tenants.values():
            held.caretaker.close()
            held.tenant.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("The store is closed.", "Open it again.")
