"""Pages in a browser: the own one and trusted ones may call, and only they hear of it."""

from __future__ import annotations

import asyncio

import pytest

from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import echo
from tests.serve.raw import Heard, connected, request

_TRUSTED = "https://app.example.com"
_PREFLIGHT = "Access-Control-Request-Method: POST"


async def _called(line: str, *headers: str) -> Heard:
    async with (
        guarding(echo, origins=f"{_TRUSTED}, http://localhost:5173/") as server,
        connected(server.port) as client,
    ):
        await client.say(request(line, headers))
        return await client.hear()


def _asked(*headers: str) -> Heard:
    return asyncio.run(_called("GET /api/x HTTP/1.1", BEARER, *headers))


def test_who_comes_from_no_page_or_from_our_own_is_answered_without_a_word_on_sharing() -> None:
    for headers in ([], ["Origin: http://localhost"]):
        heard = _asked(*headers)
        assert heard.status == 200
        assert "access-control-allow-origin" not in heard.headers


def test_a_trusted_page_may_read_the_answer() -> None:
    heard = _asked(f"Origin: {_TRUSTED}")
    assert heard.status == 200
    assert heard.headers["access-control-allow-origin"] == _TRUSTED
    assert heard.headers["vary"] == "origin"
    assert "x-request-id" in heard.headers["access-control-expose-headers"]


@pytest.mark.parametrize(
    "origin",
    ["https://evil.com", "null", "http://localhost:9999", "https://app.example.com.evil.com", "x"],
)
def test_another_page_is_refused_even_with_a_token(origin: str) -> None:
    heard = _asked(f"Origin: {origin}")
    assert (heard.status, heard.problem["code"]) == (403, "wrong_origin")
    assert "access-control-allow-origin" not in heard.headers


def test_only_a_trusted_page_passes_its_preflight_for_which_no_token_is_needed() -> None:
    line = "OPTIONS /api/ask HTTP/1.1"
    good = asyncio.run(_called(line, f"Origin: {_TRUSTED}", _PREFLIGHT))
    bad = asyncio.run(_called(line, "Origin: https://evil.com", _PREFLIGHT))
    assert (good.status, good.headers["access-control-allow-origin"]) == (204, _TRUSTED)
    assert "authorization" in good.headers["access-control-allow-headers"]
    assert bad.status == 403
    assert "access-control-allow-methods" not in bad.headers


def test_options_without_a_page_is_a_request_like_any_other() -> None:
    assert asyncio.run(_called("OPTIONS /api/ask HTTP/1.1")).status == 401
