"""By whose name the server is called: its own and those that are trusted, no others."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import ASGIApp

from tests.serve.guards.guarding import guarding
from tests.serve.guards.rooms import address, echo
from tests.serve.raw import Heard, connected, request


async def _called(host: str, line: str = "GET / HTTP/1.1", room: ASGIApp = echo) -> Heard:
    public, hosts = "https://sextant.example.org/base", "Copilot.example.com, other:8443"
    async with (
        guarding(room, auth="none", public_url=public, hosts=hosts) as server,
        connected(server.port) as client,
    ):
        await client.say(request(line, host=host))
        return await client.hear()


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:1",
        "localhost.",
        "127.0.0.1:8787",
        "[::1]:8787",
        "copilot.example.com",
        "other",
        "sextant.example.org:443",
    ],
)
def test_the_own_names_and_trusted_ones_are_answered(host: str) -> None:
    assert asyncio.run(_called(host)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example.com",
        "localhost.evil.com",
        "127.0.0.1.evil.com",
        "evil.com:8787",
        "0.0.0.0",
        "169.254.169.254",
        "localhost@evil.com",
        "evil.com@localhost",
        "localhost:evil.com",
        "localhost:",
        ".",
        "[::1",
        "evil.com/localhost",
    ],
)
def test_a_name_that_is_not_ours_is_misdirected(host: str) -> None:
    heard = asyncio.run(_called(host))
    assert (heard.status, heard.problem["code"]) == (421, "wrong_host")


def test_an_old_client_without_a_host_is_answered_and_a_new_one_is_not() -> None:
    assert asyncio.run(_called("", "GET / HTTP/1.0")).status == 200
    assert asyncio.run(_called("", "GET / HTTP/1.1")).status == 400


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("http://localhost:8787/wh%65re?it=is", "/where?it=is"),
        ("HTTPS://sextant.example.org/x", "/x"),
        ("http://localhost/http://evil.example.com/", "/http://evil.example.com/"),
    ],
)
def test_a_whole_address_is_a_request_for_its_path(target: str, path: str) -> None:
    heard = asyncio.run(_called("evil.example.com", f"GET {target} HTTP/1.1", room=address))
    assert (heard.status, heard.body.decode()) == (200, path)


def test_a_whole_address_without_a_path_is_a_request_for_the_index() -> None:
    line = "GET HTTPS://sextant.example.org HTTP/1.1"
    assert asyncio.run(_called("evil.example.com", line)).body.startswith(b'{"name":"Sextant"')


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://evil.example.com/", 421),
        ("http://localhost@evil.com/", 421),
        ("http:///", 400),
        ("ftp://localhost/", 400),
        ("localhost:8787", 400),
        ("*", 400),
    ],
)
def test_an_address_of_somebody_else_or_none_at_all_is_refused(target: str, status: int) -> None:
    heard = asyncio.run(_called("localhost", f"GET {target} HTTP/1.1"))
    assert heard.problem["status"] == status
