"""Headers for browsers: on every answer, and never against what a page says of itself."""

from __future__ import annotations

import asyncio

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp

from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import echo
from tests.serve.raw import Heard, connected, request


def _asked(room: ASGIApp, *headers: str) -> Heard:
    async def task() -> Heard:
        async with guarding(room) as server, connected(server.port) as client:
            await client.say(request("GET /api/x HTTP/1.1", headers))
            return await client.hear()

    return asyncio.run(task())


def test_answers_and_refusals_are_sealed_alike_and_say_nothing_of_the_server() -> None:
    for heard in (_asked(echo, BEARER), _asked(echo)):
        assert heard.headers["x-content-type-options"] == "nosniff"
        assert heard.headers["content-security-policy"].startswith("default-src 'none'")
        assert heard.headers["cache-control"] == "no-store"
        assert "server" not in heard.headers
        assert "date" in heard.headers


def test_what_has_a_tag_may_be_kept_and_asked_after() -> None:
    heard = _asked(PlainTextResponse("x", headers={"etag": '"1"'}), BEARER)
    assert heard.headers["cache-control"] == "no-cache"


def test_a_page_may_bring_a_policy_of_its_own() -> None:
    own = {"content-security-policy": "default-src 'self'", "cache-control": "max-age=1"}
    heard = _asked(PlainTextResponse("x", headers=own), BEARER)
    assert own.items() <= heard.headers.items()
