"""Request ids: a plain one is kept, anything else is replaced, and none can break out."""

from __future__ import annotations

import asyncio

import pytest

from tests.serve.guards.guarding import guarding
from tests.serve.guards.rooms import echo
from tests.serve.raw import connected, request


def test_a_plain_id_is_told_back_and_anything_else_is_replaced() -> None:
    bad = ["a b", "x" * 65, 'a"b', "a;b", "ä", "", "{}", "../etc", "a\tb"]

    async def task() -> dict[str, str]:
        told = {}
        async with guarding(echo, auth="none") as server, connected(server.port) as client:
            for given in ("req-1.A_z", *bad):
                await client.say(request(headers=[f"X-Request-Id: {given}"]))
                told[given] = (await client.hear()).headers["x-request-id"]
        return told

    told = asyncio.run(task())
    assert told.pop("req-1.A_z") == "req-1.A_z"
    assert all(len(new) == 24 and new.isalnum() for new in told.values())
    assert len(set(told.values())) == len(bad)


@pytest.mark.parametrize("given", [b"a\r\nX-Evil: 1", b"a\nX-Evil: 1", b"a\x00b", b"a\rb"])
def test_no_line_break_in_an_id_becomes_a_header_of_the_answer(given: bytes) -> None:
    async def task() -> tuple[int, str]:
        async with guarding(echo, auth="none") as server, connected(server.port) as client:
            await client.say(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ", given)
            await client.say(b"\r\n\r\n")
            heard = await client.hear()
            return heard.status, heard.headers.get("x-evil", "")

    status, evil = asyncio.run(task())
    assert status in (200, 400)
    assert evil == ""


def test_two_ids_are_none() -> None:
    async def task() -> str:
        async with guarding(echo, auth="none") as server, connected(server.port) as client:
            await client.say(request(headers=["X-Request-Id: one", "X-Request-Id: two"]))
            return (await client.hear()).headers["x-request-id"]

    assert asyncio.run(task()) not in ("one", "two", "one, two")
