"""A unit of work in Cosmos DB is whole or not at all, wherever its writer fails or dies."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.errors import PeerUnreachable
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.azure.connection import open_cosmos
from sextant.stores.azure.cosmos.containers import Containers, Kind
from sextant.stores.azure.store import open_over
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.suite import IDENTITY
from sextant.types import OPERATOR, Change, Chunk, Document, Put, Remove, Scope
from tests.stores.azure.faults import (
    FailingTransport,
    Fault,
    ProcessDied,
    die,
    lose_answer,
    refuse,
    time_out,
)
from tests.stores.azure.opening import azure_settings, emulator_key, make_database

LATER = 1_000.0
"""Seconds by which the clock of another process is ahead: every turn is over for it."""


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with emulator_key():
        yield


@pytest.fixture
def settings(cosmosdb: str, tmp_path: Path) -> Settings:
    return azure_settings(cosmosdb, tmp_path, fresh_seconds=0.0, retries=3)


@asynccontextmanager
async def processes(
    settings: Settings, transport: FailingTransport
) -> AsyncIterator[tuple[Callable[[], Store], Store]]:
    """Yield what opens a process whose network fails, and one whose does not, some time later."""
    await make_database(settings)
    failing, sound = open_cosmos(settings.azure, transport), open_cosmos(settings.azure)
    later = Containers(sound, lambda: time.time() + LATER)
    try:
        yield (
            lambda: open_over(Containers(failing), settings, IDENTITY),
            open_over(later, settings, IDENTITY),
        )
    finally:
        await failing.close()
        await sound.close()


def unit_of_work() -> list[Change]:
    """Return changes of every sort: a new version, a removal and a new document."""
    changed = replace(samples.runbook(), document=Document("runbook", "Another title"), key="new")
    return [changed, Remove("policy"), samples.secret()]


def scope_of(tenant: str) -> Scope:
    return Scope(tenant, roles=frozenset({OPERATOR}))


async def content(store: Store, scope: Scope) -> list[str]:
    return [line async for line in store.admin.dump(scope)]


async def expected(store: Store) -> tuple[list[str], list[str]]:
    """Return what is there before the unit of work, and after it."""
    scope = scope_of("expected")
    await store.truth.write(scope, [samples.runbook(), samples.policy()])
    before = await content(store, scope)
    await store.truth.write(scope, unit_of_work())
    return before, await content(store, scope)


def test_a_writer_that_dies_at_any_call_leaves_all_or_nothing(settings: Settings) -> None:
    asyncio.run(_die_everywhere(settings))


async def _die_everywhere(settings: Settings) -> None:
    transport = FailingTransport()
    async with processes(settings, transport) as (start, other):
        before, after = await expected(other)
        seen: list[bool] = []
        for at in range(1, 100):
            scope = scope_of(f"dies at {at}")
            await other.truth.write(scope, [samples.runbook(), samples.policy()])
            transport.fail(at, die, for_ever=True)
            try:
                await start().truth.write(scope, unit_of_work())
            except ProcessDied:
                found = await content(other, scope)
                assert found in (before, after), at
                seen.append(found == after)
                await _go_on(other, scope)
                continue
            break
        assert len(seen) > 10
        assert seen == sorted(seen), "nothing may be seen before the commit, and all after it"


async def _go_on(other: Store, scope: Scope) -> None:
    """Write, find nothing half done, and sweep all that the one before left."""
    found = await content(other, scope)
    extra = Put(
        Document("extra"), (Chunk("extra#1", "More."),), vectors=samples.direction(1.0)[None]
    )
    await other.truth.write(scope, [extra])
    await other.truth.write(scope, [Remove("extra")])
    assert await content(other, scope) == found
    assert await other.admin.check(scope) == []


def test_what_a_writer_left_is_swept_by_the_next_one(settings: Settings) -> None:
    asyncio.run(_leave_and_sweep(settings))


async def _leave_and_sweep(settings: Settings) -> None:
    transport = FailingTransport()
    async with processes(settings, transport) as (start, other):
        scope = scope_of("left")
        await other.truth.write(scope, [samples.runbook(), samples.policy()])
        clean = await _items(settings, "left")
        for at in range(5, 30, 4):
            transport.fail(at, die, for_ever=True)
            with pytest.raises(ProcessDied):
                await start().truth.write(scope, unit_of_work())
            await other.truth.write(scope, [samples.secret()])
            await other.truth.write(scope, [Remove("secret")])
        assert await _items(settings, "left") != clean
        far = open_cosmos(settings.azure)
        later = Containers(far, lambda: time.time() + 2 * LATER)
        try:
            await open_over(later, settings, IDENTITY).admin.rebuild(scope)
        finally:
            await far.close()
        assert await _items(settings, "left") == clean | {("records", "secret")}


async def _items(settings: Settings, tenant: str) -> set[tuple[str, str]]:
    """Return which documents have items, by container; every version of one counts."""
    connection = open_cosmos(settings.azure)
    try:
        containers = Containers(connection)
        found: set[tuple[str, str]] = set()
        for kind in Kind:
            rows = await containers.query(
                kind,
                tenant,
                "SELECT c.documentId, c.since FROM c WHERE c.tenant = @tenant AND c.since > 0",
                {"tenant": tenant},
            )
            versions = {row["documentId"]: {row["since"]} for row in rows}
            for row in rows:
                versions[row["documentId"]].add(row["since"])
            found |= {
                (kind.value, name if len(own) == 1 else f"{name} in {len(own)} versions")
                for name, own in versions.items()
            }
    finally:
        await connection.close()
    return found


@pytest.mark.parametrize(
    "fault",
    [refuse(429), refuse(449), refuse(503), refuse(412), time_out, lose_answer],
    ids=["429", "449", "503", "412", "time-out", "lost answer"],
)
def test_an_error_that_passes_is_not_noticed_at_any_call(settings: Settings, fault: Fault) -> None:
    asyncio.run(_fail_everywhere(settings, fault))


async def _fail_everywhere(settings: Settings, fault: Fault) -> None:
    transport = FailingTransport()
    async with processes(settings, transport) as (start, other):
        _, after = await expected(other)
        for at in range(1, 100):
            scope = scope_of(f"fails at {at}")
            await other.truth.write(scope, [samples.runbook(), samples.policy()])
            transport.fail(at, fault)
            receipt = await start().truth.write(scope, unit_of_work())
            assert (receipt.written, receipt.removed) == (2, 1), at
            assert await content(other, scope) == after, at
            assert await other.admin.check(scope) == []
            if not transport.has_failed:
                break
        else:
            raise AssertionError("The unit of work has no end.")


def test_a_service_that_stays_away_is_told_and_nothing_is_seen(settings: Settings) -> None:
    asyncio.run(_stay_away(settings))


async def _stay_away(settings: Settings) -> None:
    transport = FailingTransport()
    settings = replace(settings, azure=replace(settings.azure, retries=1, retry_seconds=0.5))
    async with processes(settings, transport) as (start, other):
        before, _ = await expected(other)
        scope = scope_of("away")
        await other.truth.write(scope, [samples.runbook(), samples.policy()])
        for at in (1, 4, 8, 16, 24):
            transport.fail(at, refuse(503), for_ever=True)
            with pytest.raises(PeerUnreachable):
                await start().truth.write(scope, unit_of_work())
            assert await content(other, scope) == before, at


def test_a_writer_that_was_only_slow_writes_over_nobody(settings: Settings) -> None:
    asyncio.run(_be_slow_everywhere(settings))


async def _be_slow_everywhere(settings: Settings) -> None:
    """At every call another process takes over, writes, and only then the first one goes on."""
    transport = FailingTransport()
    async with processes(settings, transport) as (start, other):
        for at in range(2, 100, 2):
            scope = scope_of(f"slow at {at}")
            await other.truth.write(scope, [samples.runbook(), samples.policy()])
            rival = Put(Document("runbook", "The rival's"), key=f"rival {at}")

            async def take_over(
                carrier: FailingTransport,
                request: object,
                config: object,
                scope: Scope = scope,
                rival: Put = rival,
            ) -> object:
                await other.truth.write(scope, [rival])
                return await carrier.carry_out(request, config)  # type: ignore[arg-type]

            transport.fail(at, take_over)
            receipt = await start().truth.write(scope, unit_of_work())
            if not transport.has_failed:
                return
            assert await other.admin.check(scope) == [], at
            unit = (await other.truth.units(scope, ["runbook"]))["runbook"]
            last = await other.truth.commit(scope)
            is_last = receipt.commit == last
            assert unit.document.title == ("Another title" if is_last else "The rival's"), at
            assert [one.id for one in await other.truth.documents(scope)] == ["runbook", "secret"]
        raise AssertionError("The unit of work has no end.")
