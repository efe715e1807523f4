"""Streams: a caller has so many, and all of them are told when the server closes."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import Streaming
from tests.serve.raw import connected, request

_POST = request("POST /api/x HTTP/1.1", [BEARER, "Content-Length: 2"], b"{}")
_LISTEN = request("GET /api/x HTTP/1.1", [BEARER])


def test_one_stream_more_than_a_caller_may_have_is_refused_until_one_ends() -> None:
    async def task() -> None:
        room = Streaming()
        async with guarding(room, streams=2) as server, AsyncExitStack() as opened:
            clients = []
            for asked in (_POST.replace(b"/api/x", b"/mcp"), _LISTEN):
                clients.append(await opened.enter_async_context(connected(server.port)))
                await clients[-1].say(asked)
                await room.begun.acquire()
            async with connected(server.port) as third:
                await third.say(_POST)
                heard = await third.hear()
                assert (heard.status, heard.problem["code"]) == (429, "rate_limited")
                assert int(heard.headers["retry-after"]) > 0
            assert server.meter.value("refusals_total", reason="rate_limited") == 1
            clients[-1].writer.close()
            await room.stopped.acquire()
            async with connected(server.port) as fourth:
                await fourth.say(_POST)
                assert "200 OK" in await fourth.head()
            await room.stopped.acquire()

    asyncio.run(task())


def test_a_server_that_closes_ends_what_is_listened_to_and_lets_answers_finish() -> None:
    async def task() -> tuple[bytes, bytes]:
        room = Streaming()
        async with (
            guarding(room) as server,
            connected(server.port) as listener,
            connected(server.port) as asker,
        ):
            for client, asked in ((listener, _LISTEN), (asker, _POST)):
                await client.say(asked)
                await room.begun.acquire()
            server.server.should_exit = True
            ended = (await listener.hear()).body
            room.finish.set()
            return ended, (await asker.hear()).body

    ended, finished = asyncio.run(task())
    assert b"event: error" in ended
    assert b"The server is closing." in ended
    assert finished.endswith(b"event: done\ndata: {}\n\n")
