"""A client that leaves takes its work along, whether it waits for a stream or for one answer."""

from __future__ import annotations

import asyncio

import pytest
from starlette.background import BackgroundTask
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import Streaming, Working
from tests.serve.raw import connected, request

_ASKED = [
    request("GET /api/x HTTP/1.1", [BEARER]),
    request("POST /api/x HTTP/1.1", [BEARER, "Content-Length: 2"], b"{}"),
]


@pytest.mark.parametrize("asked", _ASKED)
@pytest.mark.parametrize("room", [Working, Streaming])
def test_work_ends_when_its_client_leaves(room: type[Working], asked: bytes) -> None:
    async def task() -> int:
        working = room()
        async with guarding(working) as server:
            async with connected(server.port) as client:
                await client.say(asked)
                await working.begun.acquire()
            await working.stopped.acquire()
        return len(server.streams)

    assert asyncio.run(task()) == 0


def test_a_request_whose_client_left_counts_as_left() -> None:
    async def task() -> tuple[float, float]:
        working, counted = Working(), {"door": "rest", "method": "GET", "route": "other"}
        async with guarding(working, concurrency=1) as server:
            async with connected(server.port) as client:
                await client.say(_ASKED[0])
                await working.begun.acquire()
            await working.stopped.acquire()
            working.finish.set()
            async with connected(server.port) as client:
                await client.say(_ASKED[0])
                await client.hear()
            left = server.meter.value("requests_total", **counted, status="left")
            return left, server.meter.value("requests_total", **counted, status="200")

    assert asyncio.run(task()) == (1, 1)


def test_what_is_done_after_an_answer_is_not_stopped_by_who_got_it_and_left() -> None:
    async def task() -> None:
        left, done = asyncio.Event(), asyncio.Event()

        async def afterwards() -> None:
            await left.wait()
            done.set()

        async def room(scope: Scope, receive: Receive, send: Send) -> None:
            answer = PlainTextResponse("done", background=BackgroundTask(afterwards))
            await answer(scope, receive, send)

        async with guarding(room) as server:
            async with connected(server.port) as client:
                await client.say(_ASKED[0])
                await client.hear()
            left.set()
            await done.wait()

    asyncio.run(task())


def test_a_call_through_mcp_is_told_of_it_and_not_broken_off() -> None:
    heard: list[str] = []

    async def task() -> None:
        begun, told = asyncio.Event(), asyncio.Event()

        async def room(_: Scope, receive: Receive, __: Send) -> None:
            begun.set()
            while (message := await receive())["type"] != "http.disconnect":
                pass
            heard.append(message["type"])
            told.set()

        async with guarding(room) as server:
            async with connected(server.port) as client:
                await client.say(request("GET /mcp HTTP/1.1", [BEARER]))
                await begun.wait()
            await told.wait()

    asyncio.run(task())
    assert heard == ["http.disconnect"]
