"""Connections: slow, idle, overlong, broken and too many ones harm nobody else."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from http import HTTPStatus

import pytest

from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import Large, Working, echo
from tests.serve.raw import Heard, connected, request

_GET = request("GET /api/x HTTP/1.1", [BEARER])


def test_headers_that_do_not_come_are_not_waited_for() -> None:
    async def task() -> None:
        async with guarding(echo, header_seconds=0.2) as server:
            async with connected(server.port) as slow:
                await slow.say(b"GET / HTTP/1.1\r\nHost: local")
                heard = await slow.hear()
                assert (heard.status, heard.problem["code"]) == (408, "too_slow")
                assert await slow.is_closed()
            async with connected(server.port) as silent:
                assert await silent.is_closed()

    asyncio.run(task())


def test_headers_that_drip_are_not_waited_for_either() -> None:
    async def task() -> int:
        async with guarding(echo, header_seconds=0.2) as server, connected(server.port) as slow:
            await slow.say(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
            return (await slow.drip()).status

    assert asyncio.run(task()) == 408


def test_the_next_request_of_a_connection_may_not_drip_either() -> None:
    async def task() -> int:
        async with guarding(echo, header_seconds=0.2) as server, connected(server.port) as slow:
            await slow.say(_GET)
            assert (await slow.hear()).status == 200
            await slow.say(b"GET /api/x HTTP/1.1\r\n")
            return (await slow.hear()).status

    assert asyncio.run(task()) == 408


def test_work_may_take_longer_than_headers_and_a_kept_connection_may_rest() -> None:
    async def task() -> list[int]:
        room = Working()
        async with guarding(room, header_seconds=0.1) as server, connected(server.port) as client:
            await client.say(_GET)
            await room.begun.acquire()
            async with connected(server.port) as slow:
                assert await slow.is_closed()
            room.finish.set()
            first = await client.hear()
            async with connected(server.port) as slow:
                assert await slow.is_closed()
            await client.say(_GET)
            return [first.status, (await client.hear()).status]

    assert asyncio.run(task()) == [200, 200]


def test_one_connection_too_many_is_told_so_and_the_others_go_on() -> None:
    async def task() -> None:
        async with guarding(echo, connections=3) as server, AsyncExitStack() as opened:
            kept = [await opened.enter_async_context(connected(server.port)) for _ in range(3)]
            for client in kept:
                await client.say(_GET)
                assert (await client.hear()).status == 200
            async with connected(server.port) as fourth:
                heard = await fourth.hear()
                assert (heard.status, heard.problem["code"]) == (503, "overloaded")
                assert int(heard.headers["retry-after"]) > 0
                assert await fourth.is_closed()
            await kept[0].say(_GET)
            assert (await kept[0].hear()).status == 200

    asyncio.run(task())


def test_hundreds_of_idle_connections_keep_nobody_from_being_answered() -> None:
    async def task() -> int:
        async with guarding(echo) as server, AsyncExitStack() as opened:
            for _ in range(400):
                await opened.enter_async_context(connected(server.port))
            async with connected(server.port) as client:
                await client.say(_GET)
                return (await client.hear()).status

    assert asyncio.run(task()) == 200


def test_who_does_not_read_an_answer_is_let_go() -> None:
    async def task() -> None:
        room = Large()
        async with guarding(room, body_seconds=0.2) as server, connected(server.port) as client:
            client.writer.transport.pause_reading()  # type: ignore[attr-defined]
            await client.say(_GET)
            await room.stopped.acquire()

    asyncio.run(task())


def test_headers_without_end_are_too_long() -> None:
    async def task() -> list[Heard]:
        async with guarding(echo) as server:
            heard = []
            for headers in (["X: " + "x" * 300_000], ["X: " + "x" * 33_000], ["X: 1"] * 101):
                async with connected(server.port) as client:
                    await client.say(request(headers=headers))
                    heard.append(await client.hear())
            return heard

    for heard in asyncio.run(task()):
        assert (heard.status, heard.problem["code"]) == (431, "too_large")


@pytest.mark.parametrize(
    "said",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\nA\r\n\r\n",
        b"POST /api/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1e3\r\n\r\n",
        b"POST /api/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused_and_let_go(said: bytes) -> None:
    async def task() -> tuple[int, str, bool]:
        async with guarding(echo) as server, connected(server.port) as client:
            await client.say(said)
            heard = await client.hear()
            return heard.status, heard.problem["code"], await client.is_closed()

    assert asyncio.run(task()) == (HTTPStatus.BAD_REQUEST, "invalid_input", True)


def test_requests_in_one_go_are_answered_in_their_order() -> None:
    async def task() -> list[bytes]:
        async with guarding(echo) as server, connected(server.port) as client:
            said = [b"%d" % number for number in range(20)]
            await client.say(
                b"".join(
                    request(
                        "POST /api/x HTTP/1.1", [BEARER, f"Content-Length: {len(one)}"], body=one
                    )
                    for one in said
                )
            )
            return [(await client.hear()).body for _ in said]

    assert asyncio.run(task()) == [b"%d" % number for number in range(20)]


def test_nonsense_behind_a_good_request_does_not_spoil_its_answer() -> None:
    async def task() -> list[int]:
        async with guarding(echo) as server, connected(server.port) as client:
            await client.say(_GET + b"nonsense\r\n\r\n")
            return [(await client.hear()).status, (await client.hear()).status]

    assert asyncio.run(task()) == [200, 400]


def test_an_old_client_is_answered_and_its_connection_closed() -> None:
    async def task() -> tuple[int, bool]:
        async with guarding(echo) as server, connected(server.port) as client:
            await client.say(request("GET /api/x HTTP/1.0", [BEARER], host=""))
            return (await client.hear()).status, await client.is_closed()

    assert asyncio.run(task()) == (200, True)


def test_head_has_no_body_and_an_upgrade_is_not_done() -> None:
    async def task() -> tuple[bytes, int]:
        async with guarding(echo) as server, connected(server.port) as client:
            await client.say(request("HEAD /api/x HTTP/1.1", [BEARER, "Connection: close"]))
            await client.head()
            rest = await client.reader.read()
            async with connected(server.port) as other:
                upgrade = ["Connection: Upgrade", "Upgrade: websocket"]
                await other.say(request("GET /api/x HTTP/1.1", [BEARER, *upgrade]))
                return rest, (await other.hear()).status

    assert asyncio.run(task()) == (b"", 200)
