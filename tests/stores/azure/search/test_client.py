"""Calls to AI Search are tried again as it asks, so often, and end in errors of ours."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sextant.errors import (
    PeerRefused,
    PeerUnreachable,
    SextantError,
    StoreClosed,
    StoreError,
)
from sextant.stores.azure.search.client import SearchConnection
from tests.peers.search_service.service import READER, Fault
from tests.stores.azure.search.parts import Place


def _with_connection(
    place: Place, task: Callable[[SearchConnection], Awaitable[None]], token: str = "owner"
) -> None:
    async def run() -> None:
        await place.make_index()
        connection = place.connect(token)
        try:
            await task(connection)
        finally:
            await connection.close()

    asyncio.run(run())


def _faults(place: Place, *faults: Fault, operation: str = "search") -> None:
    """Let the next calls of an operation go wrong, one after the other."""
    waiting = list(faults)

    def fault(asked: str, _: int) -> Fault | None:
        return waiting.pop(0) if waiting and asked == operation else None

    place.service.fault = fault


async def _written(connection: SearchConnection, count: int = 3) -> list[str]:
    rows = [{"id": f"r{at}", "tenant": "acme", "content": "pods"} for at in range(count)]
    await connection.write(rows)
    return [row["id"] for row in rows]


def test_a_call_is_tried_again_when_the_service_asks_for_it(place: Place) -> None:
    async def task(connection: SearchConnection) -> None:
        await _written(connection)
        _faults(place, Fault(429, {"retry-after": "0"}), Fault(503), Fault(500))
        found = await connection.find("pods", include_total_count=True, select=["id"])
        assert found.count == len(found.rows) == 3
        assert place.service.calls["search"] == 4

    _with_connection(place, task)


@pytest.mark.parametrize(
    ("fault", "error", "told"),
    [
        (Fault(429, {"retry-after": "3600"}), PeerUnreachable, "more than its throughput"),
        (Fault(503, {"retry-after": "3600"}), PeerUnreachable, "not available"),
        (Fault(403), PeerRefused, "does not let us in"),
        (Fault(400), StoreError, "Goes wrong on purpose"),
    ],
)
def test_what_does_not_pass_in_time_is_an_error_of_ours(
    place: Place, fault: Fault, error: type[SextantError], told: str
) -> None:
    async def task(connection: SearchConnection) -> None:
        _faults(place, fault)
        with pytest.raises(error, match=told) as caught:
            await connection.find("pods")
        assert caught.value.hint
        assert place.service.calls["search"] == 1

    _with_connection(place, task)


def test_an_answer_in_part_is_taken_for_what_it_is(place: Place) -> None:
    async def task(connection: SearchConnection) -> None:
        keys = await _written(connection)
        _faults(place, Fault(206))
        found = await connection.find("pods", select=["id"])
        assert sorted(row["id"] for row in found.rows) == keys
        assert place.service.calls["search"] == 1

    _with_connection(place, task)


def test_a_service_that_stays_busy_is_asked_so_often_and_no_more(place: Place) -> None:
    async def task(connection: SearchConnection) -> None:
        place.service.fault = lambda *_: Fault(503)
        with pytest.raises(PeerUnreachable):
            await connection.find("pods")
        assert place.service.calls["search"] == 1 + place.settings.azure.retries

    _with_connection(place, task)


def test_a_service_that_says_nothing_is_given_up_and_asked_again(place: Place) -> None:
    async def task(connection: SearchConnection) -> None:
        _faults(place, Fault(is_silent=True))
        assert (await connection.find("pods")).rows == []
        place.service.fault = lambda *_: Fault(is_silent=True)
        with pytest.raises(PeerUnreachable, match=r"did not answer in time|cannot be reached"):
            await connection.find("pods")

    _with_connection(place.with_azure(call_seconds=0.3, retries=1), task)


def test_rows_that_could_not_be_taken_just_now_are_sent_again_alone(place: Place) -> None:
    async def task(connection: SearchConnection) -> None:
        _faults(place, Fault(503, keys=2), Fault(409, keys=1), operation="index")
        await _written(connection)
        sent = [len(body["value"]) for name, body in place.service.bodies if name == "index"]
        assert sent == [3, 2, 1]
        assert set(place.service.indexes["chunks"].rows) == {"r0", "r1", "r2"}

    _with_connection(place, task)


def test_rows_that_are_refused_are_an_error(place: Place) -> None:
    async def task(connection: SearchConnection) -> None:
        _faults(place, Fault(400, keys=1), operation="index")
        with pytest.raises(StoreError, match="does not take 1 of the rows"):
            await _written(connection)
        with pytest.raises(StoreError, match="does not take 1 of the rows"):
            await connection.write([{"id": "long", "chunkId": "x" * 40_000}])
        place.service.fault = lambda *_: Fault(503, keys=1)
        with pytest.raises(StoreError, match="status 503"):
            await _written(connection, 1)

    _with_connection(place.with_azure(retries=1), task)


def test_what_was_done_though_nobody_heard_of_it_is_done_once(place: Place) -> None:
    async def task(connection: SearchConnection) -> None:
        _faults(place, Fault(503, is_late=True), operation="index")
        keys = await _written(connection)
        assert sorted(place.service.indexes["chunks"].rows) == keys
        _faults(place, Fault(503, is_late=True), operation="index")
        await connection.drop(keys)
        assert not place.service.indexes["chunks"].rows

    _with_connection(place, task)


def test_many_rows_go_in_batches_that_the_service_takes(place: Place) -> None:
    async def task(connection: SearchConnection) -> None:
        keys = await _written(connection, 2_001)
        large = [{"id": f"l{at}", "content": "pods " * 80_000} for at in range(2)]
        foreign = [{"id": f"f{at}", "content": "日本" * 40_000} for at in range(2)]
        await connection.write([*large, *foreign])
        sent = [len(body["value"]) for name, body in place.service.bodies if name == "index"]
        assert sorted(sent) == [1, 1, 1, 2, 1_000, 1_000]
        found = await connection.find(filter="tenant eq 'acme'", select=["id"], top=2_500)
        assert {row["id"] for row in found.rows} == set(keys)
        assert place.service.calls["search"] == 3
        await connection.drop(keys)
        assert len(place.service.indexes["chunks"].rows) == 4

    _with_connection(place, task)


def test_who_may_only_read_is_told_what_is_missing(place: Place) -> None:
    place.service.tokens["reader"] = READER

    async def task(connection: SearchConnection) -> None:
        assert (await connection.find("pods")).rows == []
        assert await connection.look_up("nothing") is None
        with pytest.raises(PeerRefused) as caught:
            await _written(connection)
        assert "sextant azure check" in caught.value.hint

    _with_connection(place, task, "reader")


def test_a_closed_connection_says_so(place: Place) -> None:
    async def task(connection: SearchConnection) -> None:
        await connection.close()
        with pytest.raises(StoreClosed):
            await connection.find("pods")

    _with_connection(place, task)
