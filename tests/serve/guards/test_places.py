"""Places: so many at once, so many waiting, and a clear word to the rest."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import ByMethod, Streaming, Working, echo
from tests.serve.raw import Raw, connected, request

_POST = request("POST /api/x HTTP/1.1", [BEARER, "Content-Length: 2"], b"{}")
_LISTEN = request("GET /api/x HTTP/1.1", [BEARER])


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
