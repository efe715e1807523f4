"""Time: what takes too long is stopped, and said to be."""

from __future__ import annotations

import asyncio
import json

from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import ByMethod, Streaming, Working
from tests.serve.raw import connected, request

_GET = request("GET /api/x HTTP/1.1", [BEARER])
_POST = request("POST /api/x HTTP/1.1", [BEARER, "Content-Length: 2"], b"{}")


def test_what_takes_too_long_is_stopped_with_a_time_to_try_again() -> None:
    async def task() -> None:
        for asked in (_GET, _POST):
            room = Working()
            async with (
                guarding(room, request_seconds=0.1) as server,
                connected(server.port) as client,
            ):
                await client.say(asked)
                heard = await client.hear()
                assert (heard.status, heard.problem["code"]) == (503, "overloaded")
                assert int(heard.headers["retry-after"]) > 0
                await room.stopped.acquire()

    asyncio.run(task())


def test_a_stream_that_works_too_long_ends_with_an_error_event() -> None:
    async def task() -> list[bytes]:
        room = Streaming()
        async with guarding(room, request_seconds=0.1) as server, connected(server.port) as client:
            await client.say(_POST)
            heard = await client.hear()
            await room.stopped.acquire()
            return heard.body.splitlines()

    lines = asyncio.run(task())
    assert (lines[0], lines[3]) == (b"event: step", b"event: error")
    assert json.loads(lines[4].removeprefix(b"data: "))["code"] == "overloaded"


def test_a_stream_that_is_only_listened_to_may_last() -> None:
    async def task() -> bytes:
        room = Streaming()
        async with (
            guarding(ByMethod(room, Working()), request_seconds=0.1) as server,
            connected(server.port) as listener,
            connected(server.port) as other,
        ):
            await listener.say(_GET)
            await room.begun.acquire()
            await other.say(_POST)
            assert (await other.hear()).status == 503
            room.finish.set()
            return (await listener.hear()).body

    assert asyncio.run(task()).endswith(b"event: done\ndata: {}\n\n")
