"""Tokens for other servers, from a real server that gives them out."""

import asyncio
import json
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import pytest

from sextant.errors import ConfigError, MissingExtra, Overloaded
from sextant.links.tokens import Tokens, open_tokens
from sextant.settings import CLIENT_SECRET_VARIABLE, TOKEN_VARIABLE, RemoteSettings, Settings
from tests.links.token_server import TokenServer, giving

T = TypeVar("T")
SECRET = "hush-0123456789"


class Clock:
    """A clock that somebody else turns."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server() -> Iterator[TokenServer]:
    with giving() as one:
        yield one


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.setenv(CLIENT_SECRET_VARIABLE, SECRET)


def settings(server: TokenServer, **more: Any) -> Settings:
    fine = {"token_url": server.url, "client_id": "pipeline", "scope": "api://store/.default"}
    return Settings(remote=RemoteSettings(**(fine | more)))


def with_tokens(
    chosen: Settings, work: Callable[[Tokens], Awaitable[T]], clock: Clock | None = None
) -> T:
    async def task() -> T:
        tokens = open_tokens(chosen, clock=clock or Clock(), fetch_seconds=0.5)
        assert tokens is not None
        try:
            return await work(tokens)
        finally:
            await tokens.close()

    return asyncio.run(task())


def test_the_secret_is_exchanged_for_a_token(server: TokenServer) -> None:
    assert with_tokens(settings(server), lambda one: one.token()) == "token-1"
    assert server.asked == [
        {
            "grant_type": "client_credentials",
            "client_id": "pipeline",
            "client_secret": SECRET,
            "scope": "api://store/.default",
        }
    ]


def test_a_token_is_kept_until_shortly_before_its_end(server: TokenServer) -> None:
    clock = Clock()

    async def work(tokens: Tokens) -> None:
        assert await tokens.token() == "token-1"
        clock.now += 3_200
        assert await tokens.token() == "token-1"
        clock.now += 200
        assert await tokens.token() == "token-2"

    with_tokens(settings(server), work, clock)


def test_a_refused_token_is_replaced_once_for_all_unless_it_is_new(server: TokenServer) -> None:
    clock = Clock()

    async def work(tokens: Tokens) -> None:
        assert await tokens.token() == "token-1"
        assert await tokens.instead_of("token-1") == "token-1"
        clock.now += 20
        assert (
            await asyncio.gather(*(tokens.instead_of("token-1") for _ in range(9)))
            == ["token-2"] * 9
        )
        assert await tokens.instead_of("token-1") == "token-2"
        assert await tokens.instead_of("token-2") == "token-2"
        assert len(server.asked) == 2

    with_tokens(settings(server), work, clock)


def test_a_refused_token_stays_while_no_other_can_be_had(
    server: TokenServer, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()

    async def work(tokens: Tokens) -> None:
        await tokens.token()
        clock.now += 20
        server.status = 503
        assert await tokens.instead_of("token-1") == "token-1"
        assert await tokens.token() == "token-1"
        assert len(server.asked) == 2

    with caplog.at_level(logging.ERROR):
        with_tokens(settings(server), work, clock)


@pytest.mark.parametrize("seconds", [None, "soon", [], "3600"])
def test_a_token_with_a_strange_end_is_renewed_in_time(server: TokenServer, seconds: Any) -> None:
    server.says = {"expires_in": seconds}
    clock = Clock()

    async def work(tokens: Tokens) -> None:
        await tokens.token()
        clock.now += 3_600
        assert await tokens.token() == "token-2"

    with_tokens(settings(server), work, clock)


def test_however_many_wait_one_token_is_fetched(server: TokenServer) -> None:
    async def work(tokens: Tokens) -> list[str]:
        return await asyncio.gather(*(tokens.token() for _ in range(30)))

    assert with_tokens(settings(server), work) == ["token-1"] * 30
    assert len(server.asked) == 1


def test_who_leaves_while_waiting_takes_nobody_along(server: TokenServer) -> None:
    async def work(tokens: Tokens) -> str:
        leaving, staying = (asyncio.create_task(tokens.token()) for _ in range(2))
        await asyncio.to_thread(server.came.wait)
        leaving.cancel()
        return await staying

    assert with_tokens(settings(server), work) == "token-1"


def test_a_token_works_to_its_end_while_no_new_one_can_be_had(
    server: TokenServer, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()

    async def work(tokens: Tokens) -> None:
        await tokens.token()
        server.status = 503
        clock.now += 3_400
        assert await tokens.token() == "token-1"
        assert await tokens.token() == "token-1"
        assert len(server.asked) == 2
        clock.now += 200
        with pytest.raises(Overloaded, match="prove who it is"):
            await tokens.token()
        server.status = 200
        assert await tokens.token() == "token-4"

    with caplog.at_level(logging.WARNING):
        with_tokens(settings(server), work, clock)
    assert "status 503" in caplog.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no json",
        b"[]",
        b"{}",
        b'{"access_token": 5}',
        b'{"access_token": ""}',
        b'{"access_token": "a b"}',
        b'{"access_token": "a\\r\\nX-Evil: 1"}',
        json.dumps({"access_token": "x" * 20_000}).encode(),
        json.dumps({"access_token": "x", "pad": "x" * 200_000}).encode(),
        b'{"access_token": "x", "token_type": "mac"}',
        b"[" * 50_000,
    ],
)
def test_an_answer_without_a_token_is_none(server: TokenServer, body: bytes) -> None:
    server.body = body
    with pytest.raises(Overloaded):
        with_tokens(settings(server), lambda one: one.token())


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refusal_says_what_to_check_and_no_secret(
    server: TokenServer, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    server.status, server.says = status, {"error": "invalid_client", "error_description": SECRET}
    with pytest.raises(ConfigError, match="invalid_client") as raised:
        with_tokens(settings(server), lambda one: one.token())
    assert CLIENT_SECRET_VARIABLE in raised.value.hint
    server.says = {"error": f"no {SECRET}"}
    with pytest.raises(ConfigError, match=str(status)) as raised:
        with_tokens(settings(server), lambda one: one.token())
    assert SECRET not in str(raised.value) + caplog.text


def test_a_server_that_never_answers_is_not_waited_for(server: TokenServer) -> None:
    server.is_silent = True
    with pytest.raises(Overloaded):
        with_tokens(settings(server), lambda one: one.token())


def test_closing_ends_a_fetch_under_way(server: TokenServer) -> None:
    server.is_silent = True

    async def task() -> None:
        tokens = open_tokens(settings(server))
        assert tokens is not None
        waiting = asyncio.create_task(tokens.token())
        await asyncio.to_thread(server.came.wait)
        await tokens.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(task())


def test_a_token_that_is_set_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, " set-by-hand \n")
    assert with_tokens(Settings(), lambda one: one.token()) == "set-by-hand"


def test_where_nothing_is_set_nobody_asks_who_we_are() -> None:
    assert open_tokens(Settings()) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"token_url": "http://login.example/token"},
        {"token_url": "https://a:b@login.example/token"},
        {"token_url": "login"},
        {"client_id": ""},
        {"managed_identity": True},
        {"token_url": "", "managed_identity": True, "scope": ""},
    ],
)
def test_settings_that_cannot_work_are_refused(server: TokenServer, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        open_tokens(settings(server, **wrong))


def test_a_missing_secret_is_named(server: TokenServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CLIENT_SECRET_VARIABLE)
    with pytest.raises(ConfigError, match=CLIENT_SECRET_VARIABLE):
        open_tokens(settings(server))
    monkeypatch.setenv(TOKEN_VARIABLE, "two\nlines")
    with pytest.raises(ConfigError, match="not a token"):
        open_tokens(Settings())


def test_the_machines_identity_gets_a_token(
    server: TokenServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IDENTITY_ENDPOINT", server.url)
    monkeypatch.setenv("IDENTITY_HEADER", "header")
    server.says = {"expires_on": str(int(time.time()) + 3_600), "resource": "api://store"}
    chosen = settings(server, token_url="", managed_identity=True, client_id="own-7")
    assert with_tokens(chosen, lambda one: one.token()) == "token-1"
    assert server.asked[0]["resource"] == "api://store"
    assert server.asked[0]["client_id"] == "own-7"


def test_a_machine_that_gets_no_token_says_so(
    server: TokenServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IDENTITY_ENDPOINT", server.url)
    monkeypatch.setenv("IDENTITY_HEADER", "header")
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
    server.status, server.body = 400, b"{}"
    chosen = settings(server, token_url="", managed_identity=True)
    with pytest.raises(ConfigError, match="gives this machine no token"):
        with_tokens(chosen, lambda one: one.token())


def test_a_machine_without_the_package_is_told_what_to_install(
    server: TokenServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "azure.identity", None)
    with pytest.raises(MissingExtra, match="azure-identity"):
        open_tokens(settings(server, token_url="", managed_identity=True))
