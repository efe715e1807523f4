"""Bodies: too large or too slow ones are refused, whether or not their length is said."""

from __future__ import annotations

import asyncio

import pytest

from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import Working, echo
from tests.serve.raw import connected, request

_KB = 1_024
_CHUNKED = "Transfer-Encoding: chunked"


def _post(path: str, *headers: str, body: bytes = b"") -> bytes:
    return request(f"POST {path} HTTP/1.1", [BEARER, *headers], body)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def test_a_body_up_to_the_limit_is_taken_and_the_connection_goes_on() -> None:
    async def task() -> list[int]:
        async with guarding(echo, body_kilobytes=1) as server, connected(server.port) as client:
            lengths = []
            for length in (0, 1, _KB):
                await client.say(_post("/api/x", f"Content-Length: {length}", body=b"x" * length))
                lengths.append(len((await client.hear()).body))
            await client.say(_post("/api/x", _CHUNKED), _chunk(b"y" * _KB), b"0\r\n\r\n")
            return [*lengths, len((await client.hear()).body)]

    assert asyncio.run(task()) == [0, 1, _KB, _KB]


def test_a_length_over_the_limit_is_refused_before_anything_is_read() -> None:
    async def task() -> tuple[int, str]:
        async with guarding(echo, body_kilobytes=1) as server, connected(server.port) as client:
            await client.say(_post("/api/x", "Content-Length: 1025", "Expect: 100-continue"))
            heard = await client.hear()
            return heard.status, heard.problem["code"]

    assert asyncio.run(task()) == (413, "too_large")


def test_chunks_over_the_limit_are_refused_and_who_sends_them_can_read_why() -> None:
    async def task() -> tuple[int, str]:
        async with guarding(echo, body_kilobytes=1) as server, connected(server.port) as client:
            await client.say(_post("/api/x", _CHUNKED), _chunk(b"x" * 600), _chunk(b"x" * 600))
            await client.say(_chunk(b"x" * 100_000), b"0\r\n\r\n")
            heard = await client.hear()
            await client.say(_post("/api/x", "Content-Length: 2", body=b"ok"))
            assert (await client.hear()).body == b"ok"
            return heard.status, heard.problem["code"]

    assert asyncio.run(task()) == (413, "too_large")


def test_what_goes_on_after_a_refusal_is_heard_only_for_a_moment() -> None:
    async def task() -> bool:
        async with guarding(echo, body_kilobytes=1) as server, connected(server.port) as client:
            await client.say(_post("/api/x", "Content-Length: 999999"), b"x" * 2_000)
            assert (await client.hear()).status == 413
            return await client.is_closed()

    assert asyncio.run(task())


def test_an_upload_may_be_larger_but_not_without_end() -> None:
    async def task() -> tuple[int, int]:
        async with (
            guarding(echo, body_kilobytes=1, upload_megabytes=1) as server,
            connected(server.port) as client,
        ):
            body = b"x" * (1_024 * _KB)
            await client.say(_post("/api/ingest", f"Content-Length: {len(body)}", body=body))
            taken = await client.hear()
            await client.say(_post("/api/ingest", f"Content-Length: {len(body) + 1}"))
            return len(taken.body), (await client.hear()).status

    assert asyncio.run(task()) == (1_024 * _KB, 413)


@pytest.mark.parametrize("start", [b"", b"{"])
@pytest.mark.parametrize("length", ["Content-Length: 10", _CHUNKED])
def test_a_body_that_does_not_come_is_not_waited_for(length: str, start: bytes) -> None:
    async def task() -> tuple[int, str, bool]:
        async with guarding(echo, body_seconds=0.1) as server, connected(server.port) as client:
            said = _chunk(start) if start and length == _CHUNKED else start
            await client.say(_post("/api/x", length, body=said))
            heard = await client.hear()
            return heard.status, heard.problem["code"], await client.is_closed()

    assert asyncio.run(task()) == (408, "too_slow", True)


def test_a_body_that_drips_is_not_waited_for_either() -> None:
    async def task() -> int:
        async with guarding(echo, body_seconds=0.2) as server, connected(server.port) as client:
            await client.say(_post("/api/x", "Content-Length: 100000"))
            return (await client.drip()).status

    assert asyncio.run(task()) == 408


def test_a_body_that_comes_steadily_but_too_slowly_is_not_waited_for() -> None:
    async def task() -> int:
        async with (
            guarding(echo, body_seconds=0.2, body_kilobytes_per_second=100_000) as server,
            connected(server.port) as client,
        ):
            await client.say(_post("/api/ingest", "Content-Length: 60000000"))
            return (await client.drip(b"x" * 65_536)).status

    assert asyncio.run(task()) == 408


def test_slow_bodies_take_no_place_from_others() -> None:
    async def task() -> int:
        async with guarding(echo, concurrency=1) as server, connected(server.port) as slow:
            await slow.say(_post("/api/x", "Content-Length: 10", body=b"x"))
            async with connected(server.port) as client:
                await client.say(_post("/api/x", "Content-Length: 2", body=b"ok"))
                return (await client.hear()).status

    assert asyncio.run(task()) == 200


def test_a_body_that_breaks_off_stops_the_request_before_any_work() -> None:
    async def task() -> float:
        room = Working()
        async with guarding(room) as server:
            async with connected(server.port) as client:
                await client.say(_post("/api/x", "Content-Length: 10", body=b"x"))
            async with connected(server.port) as other:
                await other.say(_post("/api/x", "Content-Length: 1", body=b"x"))
                await room.begun.acquire()
                room.finish.set()
                await other.hear()
            assert room.begun.locked()
            return server.meter.value("requests_under_way")

    assert asyncio.run(task()) == 0


def test_broken_chunks_are_no_request() -> None:
    async def task() -> tuple[int, bool]:
        async with guarding(echo) as server, connected(server.port) as client:
            await client.say(_post("/api/x", _CHUNKED, body=b"zz\r\nx\r\n"))
            heard = await client.hear()
            assert heard.problem["code"] == "invalid_input"
            return heard.status, await client.is_closed()

    assert asyncio.run(task()) == (400, True)
