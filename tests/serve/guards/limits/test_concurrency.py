"""Places: so many at once, so many waiting, and a clear word to the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from pathlib import Path

from sextant.serve.caller import Role
from sextant.serve.records.folder import server_folder
from sextant.settings import Settings
from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import ByMethod, Streaming, Waiting, Working, echo
from tests.serve.identity.making import Keys
from tests.serve.raw import Raw, connected, request
from tests.serve.running import small

_POST = request("POST /api/x HTTP/1.1", [BEARER, "Content-Length: 2"], b"{}")
_LISTEN = request("GET /api/x HTTP/1.1", [BEARER])


@contextmanager
def _two_tenants(folder: Path) -> Iterator[tuple[Settings, bytes, bytes]]:
    """Give settings, and a request of either tenant."""
    settings = small(folder)
    with closing(Keys(server_folder(settings))) as keys:
        tokens = [keys.create("key", one, [Role.SEARCH])[1] for one in ("acme", "beta")]
    acme, beta = (_post(f"Authorization: Bearer {token}") for token in tokens)
    yield settings, acme, beta


def _post(bearer: str, length: int = 2) -> bytes:
    return request("POST /api/x HTTP/1.1", [bearer, f"Content-Length: {length}"], b"{}")


async def _clients(opened: AsyncExitStack, port: int, count: int) -> list[Raw]:
    return [await opened.enter_async_context(connected(port)) for _ in range(count)]


def test_one_over_the_queue_is_told_to_come_again_and_the_others_are_all_answered() -> None:
    async def task() -> list[int]:
        room = Working()
        async with (
            guarding(room, concurrency=2, waiting=2) as server,
            AsyncExitStack() as opened,
        ):
            clients = await _clients(opened, server.port, 5)
            for client in clients:
                await client.say(_POST)
            hearing = [asyncio.create_task(client.hear()) for client in clients]
            (full,), _ = await asyncio.wait(hearing, return_when=asyncio.FIRST_COMPLETED)
            heard = full.result()
            assert (heard.status, heard.problem["code"]) == (503, "overloaded")
            assert heard.headers["retry-after"] == "1"
            room.finish.set()
            return sorted([(await one).status for one in hearing])

    assert asyncio.run(task()) == [200, 200, 200, 200, 503]


def test_health_is_told_even_when_every_place_is_taken() -> None:
    async def task() -> int:
        room = Working()
        async with (
            guarding(ByMethod(echo, room), concurrency=1, waiting=0) as server,
            AsyncExitStack() as opened,
        ):
            busy, other = await _clients(opened, server.port, 2)
            await busy.say(_POST)
            await room.begun.acquire()
            await other.say(request())
            return (await other.hear()).status

    assert asyncio.run(task()) == 200


def test_listeners_and_clients_that_left_hold_no_place() -> None:
    async def task() -> int:
        streaming, working = Streaming(), Working()

        rooms = ByMethod(streaming, working)
        async with guarding(rooms, concurrency=1, waiting=0) as server, AsyncExitStack() as opened:
            *listeners, last = await _clients(opened, server.port, 4)
            for listener in listeners:
                await listener.say(_LISTEN)
                await streaming.begun.acquire()
            async with connected(server.port) as leaver:
                await leaver.say(_POST)
                await working.begun.acquire()
            await working.stopped.acquire()
            working.finish.set()
            await last.say(_POST)
            return (await last.hear()).status

    assert asyncio.run(task()) == 200


def test_a_caller_has_a_share_and_who_comes_for_others_is_answered(tmp_path: Path) -> None:
    async def task() -> list[int]:
        room = Working()
        with _two_tenants(tmp_path) as (settings, acme, beta):
            async with (
                guarding(room, settings, auth="api-key", concurrency=4, waiting=4) as server,
                AsyncExitStack() as opened,
            ):
                first, second, third, other = await _clients(opened, server.port, 4)
                for client in (first, second, third):
                    await client.say(acme)
                hearing = [asyncio.create_task(one.hear()) for one in (first, second, third)]
                (full,), _ = await asyncio.wait(
                    hearing, timeout=30, return_when=asyncio.FIRST_COMPLETED
                )
                heard = full.result()
                assert (heard.status, heard.problem["code"]) == (429, "rate_limited")
                assert heard.headers["retry-after"] == "1"
                await room.begun.acquire()
                assert room.begun.locked()
                await other.say(beta)
                await room.begun.acquire()
                room.finish.set()
                return sorted([(await one).status for one in hearing])

    assert asyncio.run(task()) == [200, 200, 429]


def test_a_caller_whose_requests_have_ended_has_its_share_again(tmp_path: Path) -> None:
    async def task() -> list[int]:
        with _two_tenants(tmp_path) as (settings, acme, _):
            async with (
                guarding(echo, settings, auth="api-key", concurrency=4, waiting=0) as server,
                connected(server.port) as client,
            ):
                statuses = []
                for _ in range(3):
                    await client.say(acme)
                    statuses.append((await client.hear()).status)
                return statuses

    assert asyncio.run(task()) == [200, 200, 200]


def test_bodies_that_are_still_coming_take_no_room() -> None:
    async def task() -> int:
        async with (
            guarding(echo, concurrency=1, waiting=0) as server,
            connected(server.port) as slow,
            connected(server.port) as client,
        ):
            await slow.say(_post(BEARER, 10))
            await client.say(_POST)
            return (await client.hear()).status

    assert asyncio.run(task()) == 200


def test_what_only_waits_holds_no_place_but_a_caller_has_only_so_many() -> None:
    async def task() -> tuple[list[int], int]:
        waiting = Waiting()
        rooms = ByMethod(waiting, echo)
        async with (
            guarding(rooms, concurrency=1, waiting=0, streams=2) as server,
            AsyncExitStack() as opened,
        ):
            *waiters, last = await _clients(opened, server.port, 4)
            for waiter in waiters:
                await waiter.say(_LISTEN)
                await waiting.begun.acquire()
                if waiter is waiters[1]:
                    await last.say(_POST)
                    assert (await last.hear()).status == 200
            await last.say(_POST)
            full = (await last.hear()).status
            waiting.finish.set()
            return [(await one.hear()).status for one in waiters], full

    assert asyncio.run(task()) == ([200, 200, 200], 503)
