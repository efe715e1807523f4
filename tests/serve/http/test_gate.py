"""The gate: who is let in, and what is said to whom is not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sextant.serve.caller import Role
from sextant.serve.house import Note, Visit
from sextant.serve.http.gate import Refusals
from sextant.serve.identity.refusals import wrong_token
from sextant.settings import OidcSettings, Settings
from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import echo
from tests.serve.raw import Heard, connected, request


def _asked(path: str, *headers: str, **options: Any) -> Heard:
    async def task() -> Heard:
        async with guarding(echo, **options) as server, connected(server.port) as client:
            await client.say(request(f"GET {path} HTTP/1.1", headers))
            return await client.hear()

    return asyncio.run(task())


@pytest.mark.parametrize("path", ["/api/ask", "/mcp", "/metrics", "/nothing", "/health/x", "//"])
def test_nothing_but_what_is_open_is_there_without_a_token(path: str) -> None:
    heard = _asked(path)
    assert (heard.status, heard.problem["code"]) == (401, "unauthenticated")
    assert heard.headers["www-authenticate"] == 'Bearer realm="sextant"'


@pytest.mark.parametrize("path", ["/", "/health", "/ready", "/docs"])
def test_what_is_open_needs_no_token(path: str) -> None:
    assert _asked(path).status == 200


@pytest.mark.parametrize(
    "given", ["Bearer wrong", "Bearer", "Basic dTpw", "bearer  ", "wrong", f"{BEARER[15:]} x"]
)
def test_a_wrong_token_is_refused_without_a_hint_of_the_right_one(given: str) -> None:
    heard = _asked("/api/x", f"Authorization: {given}")
    assert heard.status == 401
    is_token = given.lower().startswith("bearer ") and given[7:].strip()
    assert ('error="invalid_token"' in heard.headers["www-authenticate"]) == bool(is_token)


def _of_issuer(path: str) -> Heard:
    oidc = OidcSettings(issuer="https://login.example.org/v2.0", audience="api://sextant")
    public = "https://sextant.example.org"
    settings = Settings(store="memory:", embedder="tiny:", oidc=oidc)
    return _asked(path, settings=settings, auth="oidc", public_url=public)


def test_where_tokens_come_from_is_told_to_everybody() -> None:
    assert _of_issuer("/.well-known/oauth-protected-resource/mcp").status == 200


def test_whose_tokens_come_from_an_issuer_is_told_where_it_is() -> None:
    heard = _of_issuer("/mcp")
    assert heard.headers["www-authenticate"].endswith(
        'resource_metadata="https://sextant.example.org/.well-known/oauth-protected-resource/mcp"'
    )


def test_who_guesses_tokens_is_made_to_wait_and_who_has_one_is_not() -> None:
    guess = request("GET /api/x HTTP/1.1", ["Authorization: Bearer wrong"])

    async def task() -> int:
        async with guarding(echo) as server, connected(server.port) as client:
            await client.say(guess)
            while (heard := await client.hear()).status == 401:
                await client.say(guess)
            assert (heard.status, heard.problem["code"]) == (429, "rate_limited")
            assert int(heard.headers["retry-after"]) > 0
            assert heard.headers["www-authenticate"].startswith("Bearer ")
            await client.say(request("GET /api/x HTTP/1.1", [BEARER]))
            return (await client.hear()).status

    assert asyncio.run(task()) == 200


def test_who_brings_no_token_is_told_how_however_often_it_comes() -> None:
    bare = request("GET /api/x HTTP/1.1")

    async def task() -> set[int]:
        async with guarding(echo) as server, connected(server.port) as client:
            statuses = set()
            for _ in range(150):
                await client.say(bare)
                statuses.add((await client.hear()).status)
            return statuses

    assert asyncio.run(task()) == {401}


def test_who_came_in_is_known_behind_the_gate_with_the_id_and_the_door() -> None:
    visits: list[Visit] = []

    async def room(scope: Any, receive: Any, send: Any) -> None:
        visits.append(scope["state"]["visit"])
        await echo(scope, receive, send)

    async def task() -> None:
        async with guarding(room, tenant="acme") as server, connected(server.port) as client:
            for path in ("/api/x", "/mcp"):
                await client.say(request(f"GET {path} HTTP/1.1", [BEARER, "X-Request-Id: abc"]))
                await client.hear()

    asyncio.run(task())
    assert [(one.request_id, one.door) for one in visits] == [("abc", "rest"), ("abc", "mcp")]
    assert (visits[0].caller.name, visits[0].caller.tenant) == ("local", "acme")
    assert Role.ON_BEHALF in visits[0].caller.roles


class Noted:
    """An audit log that keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[Note] = []

    def note(self, note: Note) -> None:
        self.notes.append(note)

    def close(self) -> None:
        pass


def test_what_was_not_noted_is_counted_in_the_next_line() -> None:
    now, audit = [0.0], Noted()
    refusals = Refusals(audit, lambda: now[0])
    request = {"method": "GET", "path": "/x", "client": ("1.2.3.4", 1), "state": {}, "headers": []}
    for _ in range(25):
        refusals.note(wrong_token(), request, "rest")
    assert [note.refused for note in audit.notes] == ["The token is not valid."] * 10
    now[0] += 60
    refusals.note(wrong_token(), request, "rest")
    assert audit.notes[-1].refused == "The token is not valid. 15 more were not noted."
    refusals.note(wrong_token(), {**request, "client": ("1.2.3.5", 1)}, "rest")
    assert audit.notes[-1].refused == "The token is not valid."
