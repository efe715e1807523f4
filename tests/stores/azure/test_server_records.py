"""Server records in Cosmos DB: what two servers do at once, and what one leaves that dies."""

import asyncio
import time
from pathlib import Path

import pytest

from sextant.errors import ConfigError, InvalidInput, RateLimited, SextantError
from sextant.limits.names import check_name
from sextant.settings import Settings
from sextant.stores.azure.connection import open_cosmos
from sextant.stores.azure.cosmos.containers import Containers
from sextant.stores.azure.server_records.opening import CosmosServerRecords, open_records
from sextant.stores.azure.server_records.partition import SERVERS
from sextant.testing.server_records.jobs import claims, submit
from sextant.types.serving import Bounds, Key, KeyedRequest, Kind, Order, ReplyBounds, State, Whose
from tests.serve.jobs.working import in_loop
from tests.stores.azure.faults import FailingTransport, Fault, ProcessDied, die, lose_answer, refuse
from tests.stores.azure.opening import (
    azure_settings,
    emulator_key,
    make_database,
    open_server_records_in_azure,
)

ANN = Whose("acme", frozenset(), "ann", "key-1")
REQUEST = KeyedRequest("acme", "user:ann", "k", "digest")
PROBLEM = {"code": "deadly"}
MANY = 100


@pytest.fixture
def settings(cosmosdb: str, tmp_path: Path) -> Settings:
    return azure_settings(cosmosdb, tmp_path, retries=3)


def test_no_tenant_is_called_as_the_partition_of_the_servers() -> None:
    with pytest.raises(InvalidInput):
        check_name("tenant", SERVERS)


@in_loop
async def test_a_name_after_the_scheme_is_refused() -> None:
    with pytest.raises(ConfigError, match="takes no name"):
        await open_records("somewhere", Settings())


@in_loop
async def test_a_container_that_is_not_there_is_said_to_be_missing(settings: Settings) -> None:
    with emulator_key(), pytest.raises(SextantError) as raised:
        await open_records("", settings)
    assert raised.value.hint


@in_loop
async def test_of_many_who_begin_one_request_one_does(settings: Settings) -> None:
    one, other = await _two(settings)
    books = [await one.open_replies(), await other.open_replies()] * 4
    bounds = ReplyBounds()
    begun = await asyncio.gather(
        *(book.begin_reply(REQUEST, f"server-{at}", bounds) for at, book in enumerate(books))
    )
    assert begun.count(None) == 1
    taken = await asyncio.gather(
        *(
            book.take_over_reply(REQUEST, f"server-{begun.index(None)}", f"next-{at}", bounds)
            for at, book in enumerate(books)
        )
    )
    assert taken.count(None) == 1
    await _close(one, other)


@in_loop
async def test_a_key_that_two_change_at_once_has_both_changes(settings: Settings) -> None:
    one, other = await _two(settings)
    mine, theirs = await one.open_keys(), await other.open_keys()
    await mine.add_key(Key("a", "ci", "acme", (), (), 1.0))
    uses = [book.note_use("a", float(at)) for at, book in enumerate([mine, theirs] * 4)]
    await asyncio.gather(theirs.revoke_key("a", 5.0), mine.revoke_key("a", 6.0), *uses)
    key = await mine.find_key("a")
    assert key
    assert key.revoked in (5.0, 6.0)
    assert key.used == 7.0
    await _close(one, other)


@in_loop
async def test_two_servers_never_begin_two_jobs_of_one_lane(settings: Settings) -> None:
    one, other = await _two(settings)
    mine, theirs = await one.open_jobs(), await other.open_jobs()
    for name in "abcd":
        await submit(mine, name, ANN, lane="same")
    for name in "abcd":
        tries = [(mine, "one"), (theirs, "two")] * 2
        found = await asyncio.gather(*(jobs.claim_job(who, MANY) for jobs, who in tries))
        assert [job.id for job in found if job] == [name]
        await theirs.finish_job(name, State.DONE, None, None, Bounds())
    await _close(one, other)


@in_loop
async def test_what_is_sent_twice_at_once_is_one_job(settings: Settings) -> None:
    one, other = await _two(settings)
    books = [await one.open_jobs(), await other.open_jobs()] * 2
    jobs = await asyncio.gather(
        *(submit(book, f"j{at}", ANN, mark="m") for at, book in enumerate(books))
    )
    assert len({job.id for job in jobs}) == 1
    assert [job.id for job in await books[0].list_jobs(ANN, "", MANY)] == [jobs[0].id]
    await _close(one, other)


@in_loop
async def test_no_more_jobs_are_taken_than_may_wait(settings: Settings) -> None:
    one, other = await _two(settings)
    books, bounds = [await one.open_jobs(), await other.open_jobs()] * 3, Bounds(waiting=2)
    results = await asyncio.gather(
        *(book.reserve_job(f"j{at}", ANN, 1, "one", bounds) for at, book in enumerate(books)),
        return_exceptions=True,
    )
    taken = {f"j{at}" for at, result in enumerate(results) if result is None}
    assert len(taken) <= 2
    assert all(isinstance(result, RateLimited) for result in results if result)
    assert await books[0].open_jobs_among([f"j{at}" for at in range(6)]) == taken
    await _close(one, other)


@in_loop
async def test_a_job_is_left_to_the_server_that_has_its_files_while_that_is_here(
    settings: Settings,
) -> None:
    one, other = await _two(settings)
    home, guest = await one.open_presence(), await other.open_presence()
    mine, theirs = await one.open_jobs(), await other.open_jobs()
    for name in "ab":
        await mine.reserve_job(name, ANN, 1, home.name, Bounds())
        await mine.enqueue_job(name, Order(Kind.INGEST, "x", name, {}), 1, "")
    assert await claims(theirs, guest.name) == []
    assert await claims(mine, home.name, of_one=1) == ["a"]
    await one.close()
    await theirs.disown_jobs(home.name, PROBLEM, Bounds())
    assert await claims(theirs, guest.name) == ["a", "b"]
    await other.close()


@in_loop
async def test_of_two_who_release_the_jobs_of_the_dead_the_later_takes_nothing_away(
    settings: Settings,
) -> None:
    one, other = await _two(settings)
    mine, theirs = await one.open_jobs(), await other.open_jobs()
    await submit(mine, "a", ANN)
    assert await claims(mine, "dead") == ["a"]
    await asyncio.gather(*(book.disown_jobs("dead", PROBLEM, Bounds()) for book in (mine, theirs)))
    assert await claims(mine, "one") == ["a"]
    await theirs.disown_jobs("dead", PROBLEM, Bounds())
    assert await theirs.claimed_jobs("one") == {"a": False}
    await _close(one, other)


@in_loop
async def test_a_server_that_says_nothing_for_a_minute_is_gone(settings: Settings) -> None:
    one = await open_server_records_in_azure(settings)
    name = (await one.open_presence()).name
    for seconds, is_alive in ((30.0, True), (90.0, False)):
        other = await _opened(settings, ahead=seconds)
        assert await (await other.open_presence()).is_alive(name) == is_alive
        await other.close()
    await one.close()


@pytest.mark.parametrize("fault", [lose_answer, refuse(429), refuse(503), refuse(449)])
@in_loop
async def test_a_fault_at_any_call_changes_nothing_of_a_claim(
    settings: Settings, fault: Fault
) -> None:
    transport = FailingTransport()
    one = await _opened(settings, transport=transport)
    jobs = await one.open_jobs()
    at = 0
    while True:
        await submit(jobs, f"j{at}", ANN)
        transport.fail(at + 1, fault)
        assert await claims(jobs, "one") == [f"j{at}"]
        if not transport.has_failed:
            break
        at += 1
    assert at >= 4
    await one.close()


@in_loop
async def test_what_a_server_wrote_before_it_died_is_carried_out_by_the_next(
    settings: Settings,
) -> None:
    transport = FailingTransport()
    one, other = await _opened(settings, transport=transport), await _opened(settings)
    mine, theirs = await one.open_jobs(), await other.open_jobs()
    for at in range(1, 10):
        await submit(theirs, f"j{at}", ANN, lane="same")
        transport.fail(at, die, for_ever=True)
        try:
            await mine.claim_job("dying", MANY)
        except ProcessDied:
            left = await claims(theirs, "one")
            begun = set(await theirs.claimed_jobs("dying"))
            assert {*left, *begun} == {f"j{at}"}
            assert not (left and begun)
        transport.fail(0, die)
        for job_id in (*await theirs.claimed_jobs("dying"), *await theirs.claimed_jobs("one")):
            await theirs.finish_job(job_id, State.DONE, None, None, Bounds())
    await _close(one, other)


async def _two(settings: Settings) -> tuple[CosmosServerRecords, CosmosServerRecords]:
    return await _opened(settings), await _opened(settings)


async def _opened(
    settings: Settings, *, ahead: float = 0.0, transport: FailingTransport | None = None
) -> CosmosServerRecords:
    """Open the records as a server whose clock is so many seconds ahead."""
    with emulator_key():
        await make_database(settings)
        connection = open_cosmos(settings.azure, transport)
    return CosmosServerRecords(Containers(connection, lambda: time.time() + ahead))


async def _close(*several: CosmosServerRecords) -> None:
    for one in several:
        await one.close()
