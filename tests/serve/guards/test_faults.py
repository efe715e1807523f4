"""What goes wrong unforeseen: the caller hears that it did, and nothing of the inside."""

from __future__ import annotations

import asyncio
import logging

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.errors import NotFound, StoreDamaged
from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import Failing
from tests.serve.raw import Heard, connected, request


def _asked(room: ASGIApp) -> Heard:
    async def task() -> Heard:
        async with guarding(room) as server, connected(server.port) as client:
            await client.say(request("GET /api/x HTTP/1.1", [BEARER]))
            return await client.hear()

    return asyncio.run(task())


def test_a_fault_is_503_with_an_id_under_which_the_log_has_the_reason(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR):
        heard = _asked(Failing(RuntimeError("/home/secret/of/the/house")))
    assert (heard.status, heard.problem["code"]) == (503, "internal")
    assert b"secret" not in heard.body
    assert heard.headers["x-request-id"] in caplog.text
    assert "/home/secret" in caplog.text


def test_no_other_status_over_500_gets_out() -> None:
    for status in (500, 501, 502, 504, 599):
        heard = _asked(PlainTextResponse("Traceback: /home/secret", status))
        assert (heard.status, heard.problem["code"]) == (503, "internal")
        assert b"Traceback" not in heard.body


def test_an_error_of_ours_is_told_as_its_table_says() -> None:
    missing = Failing(NotFound("There is no such thing.", "Look elsewhere."))
    damaged = Failing(StoreDamaged("/home/secret/store is damaged.", "Restore a backup."))
    assert (_asked(missing).status, _asked(missing).problem["hint"]) == (404, "Look elsewhere.")
    assert _asked(damaged).status == 503
    assert b"secret" not in _asked(damaged).body


def test_a_fault_after_the_answer_began_leaves_it_cut_off(caplog: pytest.LogCaptureFixture) -> None:
    async def halfway(_: Scope, __: Receive, send: Send) -> None:
        headers = [(b"content-length", b"10")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise RuntimeError

    async def task() -> bytes:
        async with guarding(halfway) as server, connected(server.port) as client:
            await client.say(request("GET /api/x HTTP/1.1", [BEARER]))
            await client.head()
            return await client.reader.read()

    assert asyncio.run(task()) == b"half"
    assert "failed" in caplog.text
