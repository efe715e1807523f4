"""An issuer's keys as they come and go: rotated, taken back, broken, slow, or not there."""

import asyncio
import json
import logging
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from jwt.algorithms import OKPAlgorithm

from sextant.errors import Overloaded, Unauthenticated
from sextant.serve.identity.jwks import ASK_AGAIN_S, FRESH_S, RETRY_S, STALE_S
from sextant.serve.identity.oidc import Oidc
from tests.serve.identity.checking import Clock, came, refused, with_oidc
from tests.serve.identity.issuer import DISCOVERY, KEYS, Issuer, ec_key, public, rsa_key


def test_a_new_key_is_found_when_its_first_token_comes(issuer: Issuer) -> None:
    clock = Clock()

    async def work(oidc: Oidc) -> None:
        await oidc.caller(issuer.token())
        issuer.keys = [public("two", rsa_key("two"))]
        clock.now += ASK_AGAIN_S
        assert (await oidc.caller(issuer.signed(issuer.claims(), "two"))).user == "ann"

    with_oidc(issuer.settings(), work, clock)
    assert issuer.asked[KEYS] == 2


def test_a_key_that_was_taken_back_works_no_longer_than_the_keys_are_kept(issuer: Issuer) -> None:
    clock = Clock()

    async def work(oidc: Oidc) -> None:
        await oidc.caller(issuer.token())
        issuer.keys = [public("two", rsa_key("two"))]
        clock.now += FRESH_S - 1
        assert (await oidc.caller(issuer.token(oid="bob"))).user == "bob"
        clock.now += 2
        with pytest.raises(Unauthenticated):
            await oidc.caller(issuer.token(oid="eve"))

    with_oidc(issuer.settings(), work, clock)


def test_keys_that_nobody_has_make_us_ask_once_a_minute(issuer: Issuer) -> None:
    clock = Clock()

    async def work(oidc: Oidc) -> None:
        for minute in range(3):
            storm = [
                oidc.caller(issuer.signed(issuer.claims(), f"k{minute}-{one}", key=rsa_key("one")))
                for one in range(40)
            ]
            for error in await asyncio.gather(*storm, return_exceptions=True):
                assert isinstance(error, Unauthenticated)
            clock.now += ASK_AGAIN_S

    with_oidc(issuer.settings(), work, clock)
    assert issuer.asked == {KEYS: 3, DISCOVERY: 3}


def test_however_many_come_at_once_the_keys_are_fetched_once(issuer: Issuer) -> None:
    async def work(oidc: Oidc) -> None:
        tokens = [issuer.token(oid=f"user-{one}") for one in range(30)]
        came = await asyncio.gather(*map(oidc.caller, tokens))
        assert [one.user for one in came] == [f"user-{one}" for one in range(30)]

    with_oidc(issuer.settings(), work)
    assert issuer.asked[KEYS] == 1


def test_who_leaves_while_waiting_takes_nobody_along(issuer: Issuer) -> None:
    async def work(oidc: Oidc) -> None:
        leaving = asyncio.create_task(oidc.caller(issuer.token(oid="bob")))
        staying = asyncio.create_task(oidc.caller(issuer.token()))
        await asyncio.to_thread(issuer.was_asked.wait)
        leaving.cancel()
        assert (await staying).user == "ann"
        assert leaving.cancelled()

    with_oidc(issuer.settings(), work)


def test_keys_go_on_working_while_the_issuer_is_down(
    issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()

    async def work(oidc: Oidc) -> None:
        await oidc.caller(issuer.token())
        issuer.status = 500
        clock.now += FRESH_S + 1
        assert (await oidc.caller(issuer.token(oid="bob"))).user == "bob"
        clock.now += STALE_S - FRESH_S - 2
        assert (await oidc.caller(issuer.token(oid="eve"))).user == "eve"
        clock.now += 2
        with pytest.raises(Overloaded, match="issuer does not answer"):
            await oidc.caller(issuer.token(oid="dan"))

    with caplog.at_level(logging.WARNING):
        with_oidc(issuer.settings(), work, clock)
    assert "cannot be fetched" in caplog.text


def test_an_issuer_that_is_down_is_asked_again_after_a_while(issuer: Issuer) -> None:
    clock = Clock()
    issuer.status = 503

    async def work(oidc: Oidc) -> None:
        for _ in range(20):
            with pytest.raises(Overloaded) as raised:
                await oidc.caller(issuer.token())
            assert raised.value.retry_after == RETRY_S
        assert issuer.asked[DISCOVERY] == 1
        issuer.status = 200
        clock.now += RETRY_S
        assert (await oidc.caller(issuer.token())).user == "ann"

    with_oidc(issuer.settings(), work, clock)


def test_an_issuer_that_never_answers_is_not_waited_for(issuer: Issuer) -> None:
    issuer.silent = True
    with pytest.raises(Overloaded):
        came(issuer, issuer.token())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b'{"keys": {}}',
        b'{"keys": []}',
        b'{"keys": [5, {}, {"kty": "RSA"}, {"kty": "oct", "k": "AA", "kid": "one"}]}',
        b"[" * 100_000,
        b'{"keys": []}' + b" " * 600_000,
        json.dumps({"keys": [public("one", rsa_key("one"))] * 101}).encode(),
        json.dumps({"keys": [public("one", rsa_key("one", 1024))]}).encode(),
        json.dumps({"keys": [public("one", rsa_key("one"), use="enc")]}).encode(),
        json.dumps({"keys": [public("one", rsa_key("one"), alg="HS256")]}).encode(),
        json.dumps({"keys": [public("one", ec_key("one"), crv="P-999")]}).encode(),
        json.dumps({"keys": [public("one", ec_key("one"), x="AA")]}).encode(),
    ],
)
def test_keys_that_are_none_let_nobody_in(issuer: Issuer, body: bytes) -> None:
    issuer.bodies[KEYS] = body
    with pytest.raises(Overloaded):
        came(issuer, issuer.token())


def test_a_key_is_used_only_for_what_it_is_for(issuer: Issuer) -> None:
    issuer.keys = [public("one", rsa_key("one"), alg="PS256")]
    assert refused(issuer, issuer.token())
    assert came(issuer, issuer.signed(issuer.claims(), algorithm="PS256")).user == "ann"


def test_a_token_may_leave_out_the_name_of_an_only_key(issuer: Issuer) -> None:
    nameless = issuer.signed(issuer.claims(), kid=None)
    assert came(issuer, nameless).user == "ann"
    issuer.keys.append(public("two", rsa_key("two")))
    assert refused(issuer, nameless)


@pytest.mark.parametrize(
    "named",
    [
        {"issuer": "https://elsewhere.example", "jwks_uri": "http://127.0.0.1:1/keys"},
        {"jwks_uri": "http://127.0.0.1:1/keys"},
        {"issuer": "SELF", "jwks_uri": "http://keys.example/keys"},
        {"issuer": "SELF", "jwks_uri": "file:///etc/passwd"},
        {"issuer": "SELF", "jwks_uri": "https://user:word@keys.example/"},
        {"issuer": "SELF"},
        [],
    ],
)
def test_keys_are_fetched_only_from_where_they_can_be_trusted(issuer: Issuer, named: Any) -> None:
    if isinstance(named, dict):
        named = {name: issuer.url if text == "SELF" else text for name, text in named.items()}
    issuer.bodies[DISCOVERY] = json.dumps(named).encode()
    with pytest.raises(Overloaded):
        came(issuer, issuer.token())
    assert issuer.asked[KEYS] == 0


def test_keys_may_be_named_without_asking_the_issuer(issuer: Issuer) -> None:
    assert came(issuer, issuer.token(), keys=issuer.url + KEYS).user == "ann"
    assert issuer.asked == {KEYS: 1}


def test_a_key_on_the_edwards_curve_is_taken_where_it_is_set(issuer: Issuer) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    written = OKPAlgorithm.to_jwk(key.public_key(), as_dict=True)
    issuer.keys = [{**written, "kid": "edwards"}]
    token = issuer.signed(issuer.claims(), "edwards", "EdDSA", key)
    assert came(issuer, token, algorithms="RS256,EdDSA").user == "ann"


def test_closing_ends_a_fetch_under_way(issuer: Issuer) -> None:
    issuer.silent = True

    async def work(oidc: Oidc) -> None:
        waiting = asyncio.create_task(oidc.caller(issuer.token()))
        await asyncio.to_thread(issuer.was_asked.wait)
        await oidc.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    with_oidc(issuer.settings(), work)


def test_an_issuer_that_is_not_there_at_all_is_an_overload(issuer: Issuer) -> None:
    with pytest.raises(Overloaded):
        came(issuer, issuer.token(), keys="http://127.0.0.1:9/keys")
