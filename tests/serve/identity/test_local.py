"""The two modes for one's own machine."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import ConfigError, Unauthenticated
from sextant.serve.caller import EVERY_ROLE, Caller
from sextant.serve.identity import open_identity
from sextant.serve.identity.local import Local
from sextant.settings import TOKEN_VARIABLE, ServeSettings, Settings

TOKEN = "a-token-that-was-given-0123"


def settings(auth: str, host: str = "127.0.0.1") -> Settings:
    return Settings(serve=ServeSettings(auth=auth, host=host, tenant="mine"))


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)


def opened(auth: str, token: str = "") -> Local:
    identity = asyncio.run(open_identity(settings(auth), token=token))
    assert isinstance(identity, Local)
    return identity


def test_nobody_is_asked_who_they_are() -> None:
    async def task() -> list[Caller]:
        identity = await open_identity(settings("none"))
        came = [await identity.caller(one) for one in (None, "", "x")]
        await identity.close()
        return came

    assert asyncio.run(task()) == [Caller("nobody", "mine", roles=EVERY_ROLE)] * 3


def test_the_token_lets_its_owner_in_and_nobody_else() -> None:
    async def task() -> Caller:
        identity = Local(settings("local"))
        for wrong in (None, "", "x", identity.token[:-1], identity.token + "x", "é", "\ud800"):
            with pytest.raises(Unauthenticated):
                await identity.caller(wrong)
        came = await identity.caller(identity.token)
        await identity.close()
        return came

    assert asyncio.run(task()) == Caller("local", "mine", roles=EVERY_ROLE)


def test_each_start_makes_a_token_of_its_own_with_256_bits() -> None:
    first, second = opened("local").token, opened("local").token
    assert first != second
    assert len(first) == 43


def test_a_token_that_was_given_outlives_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened("local", TOKEN).token == TOKEN
    monkeypatch.setenv(TOKEN_VARIABLE, f" {TOKEN}\n")
    assert opened("local").token == TOKEN


@pytest.mark.parametrize("token", ["short", "with a space in the middle", "ü" * 20, "x" * 1_001])
def test_a_token_that_is_too_easy_or_cannot_be_sent_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match="plain characters"):
        opened("local", token)


@given(st.text())
def test_no_other_text_is_the_token(text: str) -> None:
    with pytest.raises(Unauthenticated):
        asyncio.run(Local(settings("local"), TOKEN).caller(text))


@pytest.mark.parametrize("auth", ["none", "local"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "sextant.example", ""])
def test_both_modes_stay_on_this_machine(auth: str, host: str) -> None:
    with pytest.raises(ConfigError, match="this machine only"):
        asyncio.run(open_identity(settings(auth, host)))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])
def test_every_name_of_this_machine_is_known(host: str) -> None:
    identity = asyncio.run(open_identity(settings("none", host)))
    assert asyncio.run(identity.caller(None)).name == "nobody"


def test_a_mode_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"serve\.auth"):
        asyncio.run(open_identity(settings("open")))
