"""Headers that come twice: two readers could hear two things, so nobody hears any."""

from __future__ import annotations

import asyncio

import pytest

from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import echo
from tests.serve.raw import connected, request


@pytest.mark.parametrize(
    "headers",
    [
        [BEARER, BEARER],
        [BEARER, "Authorization: Bearer other"],
        [BEARER, "Host: evil.com"],
        [BEARER, "Content-Length: 1", "Content-Length: 2"],
        [BEARER, "Content-Length: 3", "Transfer-Encoding: chunked"],
        [BEARER, "Transfer-Encoding: gzip, chunked"],
        [BEARER, "Content-Type: a/b", "Content-Type: c/d"],
        [BEARER, "Origin: http://localhost", "Origin: https://evil.com"],
    ],
)
def test_a_header_that_counts_comes_once_or_the_request_is_refused(headers: list[str]) -> None:
    async def task() -> tuple[int, str, bool]:
        async with guarding(echo) as server, connected(server.port) as client:
            await client.say(request("POST /api/x HTTP/1.1", headers, b"0\r\n\r\n"))
            heard = await client.hear()
            return heard.status, heard.problem["code"], await client.is_closed()

    assert asyncio.run(task()) == (400, "invalid_input", True)


def test_headers_that_may_come_twice_do_no_harm() -> None:
    async def task() -> int:
        async with guarding(echo) as server, connected(server.port) as client:
            await client.say(request("GET /api/x HTTP/1.1", [BEARER, "Accept: a/b", "Accept: c/d"]))
            return (await client.hear()).status

    assert asyncio.run(task()) == 200
