"""Tokens of an issuer, right and wrong, against a real one."""

import asyncio
import base64
import hashlib
import hmac
import json
import string
import time
from dataclasses import replace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sextant.errors import ConfigError, Unauthenticated
from sextant.serve.caller import Caller, Role
from sextant.serve.identity import open_identity
from sextant.serve.identity.jwks import FRESH_S
from sextant.serve.identity.oidc import Oidc, open_oidc
from tests.serve.identity.checking import Clock, came, refused, with_oidc
from tests.serve.identity.issuer import AUDIENCE, SEARCH, Issuer, ec_key, public, rsa_key


def test_a_token_of_the_issuer_says_who_came_and_what_they_may(issuer: Issuer) -> None:
    claims = issuer.claims(
        roles=[SEARCH, "Other.Role", 5], scp="openid KnowledgeStore.ReadAccess", personas=["sre"]
    )
    assert came(issuer, issuer.signed(claims)) == Caller(
        "acme/ann",
        "acme",
        "ann",
        frozenset({"sre"}),
        frozenset({Role.SEARCH, Role.READ}),
        float(claims["exp"]),
    )


def test_the_mode_is_opened_by_its_name(issuer: Issuer) -> None:
    async def task() -> Caller:
        identity = await open_identity(issuer.settings())
        try:
            return await identity.caller(issuer.token())
        finally:
            await identity.close()

    assert asyncio.run(task()).user == "ann"


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256"])
def test_every_algorithm_that_is_set_is_taken(issuer: Issuer, algorithm: str) -> None:
    issuer.keys.append(public("curve", ec_key("curve")))
    is_curve = algorithm == "ES256"
    key = ec_key("curve") if is_curve else rsa_key("one")
    name = "curve" if is_curve else "one"
    token = issuer.signed(issuer.claims(), name, algorithm, key)
    assert came(issuer, token).tenant == "acme"
    assert "not valid" in refused(issuer, token, algorithms="RS384")


NOW = time.time()


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        ({"exp": NOW - 120}, "expired"),
        ({"exp": None}, "not valid"),
        ({"exp": "soon"}, "not valid"),
        ({"exp": float("inf")}, "not valid"),
        ({"exp": [NOW + 60]}, "not valid"),
        ({"exp": True}, "expired"),
        ({"nbf": NOW + 100_000}, "not valid yet"),
        ({"iat": NOW + 100_000}, "not valid yet"),
        ({"aud": "api://other"}, "another application"),
        ({"aud": []}, "not valid"),
        ({"aud": None}, "not valid"),
        ({"aud": {"a": 1}}, "another application"),
        ({"iss": "https://elsewhere.example"}, "another issuer"),
        ({"iss": None}, "not valid"),
        ({"tid": None}, "names no tenant"),
        ({"tid": ["acme"]}, "names no tenant"),
        ({"tid": "a\nb"}, "names no tenant"),
        ({"tid": " acme"}, "names no tenant"),
        ({"tid": "a" * 300}, "names no tenant"),
        ({"oid": None}, "not valid"),
        ({"oid": 7, "sub": ""}, "not valid"),
        ({"sub": 7}, "not valid"),
        ({"at_hash": "x"}, "not for an API"),
        ({"typ": "ID"}, "not for an API"),
        ({"token_use": "id"}, "not for an API"),
    ],
)
def test_a_token_with_a_wrong_claim_is_refused(
    issuer: Issuer, claims: dict[str, Any], sentence: str
) -> None:
    given_claims = issuer.claims() | claims
    token = issuer.signed(
        {name: value for name, value in given_claims.items() if value is not None}
    )
    assert sentence in refused(issuer, token)


def test_an_end_beyond_all_numbers_is_only_far_away(issuer: Issuer) -> None:
    assert came(issuer, issuer.token(exp=10**400)).expires == 2.0**53


@pytest.mark.parametrize("claim", ["exp", "nbf", "iat"])
def test_clocks_may_differ_by_the_leeway(issuer: Issuer, claim: str) -> None:
    late = {"exp": -30, "nbf": 30, "iat": 30}[claim]
    token = issuer.token(**{claim: int(time.time()) + late})
    assert came(issuer, token).user == "ann"
    assert refused(issuer, token, leeway_seconds=0.0)


def test_a_token_that_nobody_signed_is_refused(issuer: Issuer) -> None:
    bare = jwt.encode(issuer.claims(), "", algorithm="none", headers={"kid": "one"})
    assert "not valid" in refused(issuer, bare)
    assert "not valid" in refused(issuer, bare + "eA")
    headless = issuer.token().split(".", 1)[1]
    for alg in ("none", "None", "nOnE", ""):
        head = base64.urlsafe_b64encode(json.dumps({"alg": alg, "kid": "one"}).encode())
        assert "not valid" in refused(issuer, f"{head.decode().rstrip('=')}.{headless}")


def test_a_public_key_is_no_shared_secret(issuer: Issuer) -> None:
    public_key = rsa_key("one").public_key()
    pem = public_key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    der = public_key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for secret in (pem, pem.strip(), der):
        head = {"alg": "HS256", "typ": "JWT", "kid": "one"}
        parts = [json.dumps(one).encode() for one in (head, issuer.claims())]
        said = b".".join(base64.urlsafe_b64encode(one).rstrip(b"=") for one in parts)
        signature = base64.urlsafe_b64encode(hmac.digest(secret, said, hashlib.sha256))
        assert "not valid" in refused(issuer, (said + b"." + signature.rstrip(b"=")).decode())


def test_an_algorithm_that_shares_its_secret_cannot_be_set(issuer: Issuer) -> None:
    for wrong in ("HS256", "none", "RS256,HS256", ""):
        with pytest.raises(ConfigError, match="algorithms"):
            open_oidc(issuer.settings(algorithms=wrong))


def test_another_key_under_the_same_name_is_refused(issuer: Issuer) -> None:
    assert "not valid" in refused(
        issuer, issuer.signed(issuer.claims(), "one", key=rsa_key("other"))
    )


@pytest.mark.parametrize(
    "head",
    [
        {"typ": "dpop+jwt"},
        {"typ": "logout+jwt"},
        {"typ": 5},
        {"crit": ["exp"]},
        {"crit": []},
        {"crit": ["x-unknown"], "x-unknown": 1},
    ],
)
def test_a_head_that_nobody_here_understands_is_refused(
    issuer: Issuer, head: dict[str, Any]
) -> None:
    assert came(issuer, issuer.signed(issuer.claims(), typ="at+JWT")).user == "ann"
    claims = jwt.api_jws.PyJWS()
    token = claims.encode(
        json.dumps(issuer.claims()).encode(), rsa_key("one"), "RS256", {"kid": "one", **head}
    )
    assert "not valid" in refused(issuer, token)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        "..",
        "é.é.é",
        "\ud800.a.b",
        "a b.c.d",
        "sxt_0123456789ab_" + "0" * 64,
        "eyJhbGciOlsxXX0.e30.AA",  # {"alg":[1]}
        "eyJhbGciOiJSUzI1NiIsImtpZCI6NX0.e30.AA",  # {"alg":"RS256","kid":5}
        "bnVsbA.e30.AA",
        base64.urlsafe_b64encode(b"[" * 9_000).decode().rstrip("=") + ".e30.AA",
        "A" * 20_000,
    ],
)
def test_what_is_no_token_is_refused_without_asking_anybody(issuer: Issuer, text: str) -> None:
    assert "not valid" in refused(issuer, text)
    assert not issuer.asked


def test_claims_nested_without_end_are_refused(issuer: Issuer) -> None:
    token = jwt.api_jws.PyJWS().encode(b'{"a":' * 2_000, rsa_key("one"), "RS256", {"kid": "one"})
    assert "not valid" in refused(issuer, token)


def test_a_token_too_long_is_refused_though_it_is_signed(issuer: Issuer) -> None:
    assert came(issuer, issuer.token(groups=["g" * 36] * 200)).user == "ann"
    assert "not valid" in refused(issuer, issuer.token(groups=["g" * 36] * 400))


def test_nothing_is_asked_of_whoever_brings_nothing(issuer: Issuer) -> None:
    assert refused(issuer, None) == refused(issuer, "") == "This needs a token."


def test_a_token_with_any_letter_changed_is_refused(issuer: Issuer) -> None:
    token = issuer.token(exp=4_000_000_000)
    runner = asyncio.Runner()
    oidc = open_oidc(issuer.settings())
    letters = st.one_of(
        st.sampled_from(string.ascii_letters + string.digits + "-_.="), st.characters()
    )
    places = st.one_of(st.integers(0, len(token) - 1), st.just(len(token) - 1))

    @settings(max_examples=200, deadline=None)
    @given(places, letters)
    def check(at: int, letter: str) -> None:
        assume(letter != token[at])
        with pytest.raises(Unauthenticated):
            runner.run(oidc.caller(token[:at] + letter + token[at + 1 :]))

    with runner:
        assert runner.run(oidc.caller(token)).user == "ann"
        check()
        runner.run(oidc.close())


def test_a_token_is_not_remembered_beyond_its_end(issuer: Issuer) -> None:
    clock = Clock()

    async def work(oidc: Oidc) -> None:
        lasting, ended = issuer.token(), issuer.token(exp=int(time.time()) - 5)
        await oidc.caller(lasting)
        await oidc.caller(ended)
        issuer.keys = [public("two", rsa_key("two"))]
        clock.now += FRESH_S + 1
        assert (await oidc.caller(lasting)).user == "ann"
        with pytest.raises(Unauthenticated):
            await oidc.caller(ended)

    with_oidc(issuer.settings(), work, clock)


def test_only_so_many_tokens_are_remembered(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sextant.serve.identity.oidc._MOST_REMEMBERED", 2)
    clock = Clock()

    async def work(oidc: Oidc) -> None:
        tokens = [issuer.token(oid=f"user-{one}") for one in range(3)]
        for token in tokens:
            await oidc.caller(token)
        issuer.keys = [public("two", rsa_key("two"))]
        clock.now += FRESH_S + 1
        assert (await oidc.caller(tokens[2])).user == "user-2"
        with pytest.raises(Unauthenticated):
            await oidc.caller(tokens[0])

    with_oidc(issuer.settings(), work, clock)


def test_several_audiences_may_be_named(issuer: Issuer) -> None:
    both = f"{AUDIENCE}, 0f5c-client"
    assert came(issuer, issuer.token(aud="0f5c-client"), audience=both).user == "ann"
    assert came(issuer, issuer.token(aud=["x", AUDIENCE]), audience=both).user == "ann"
    assert "another application" in refused(issuer, issuer.token(aud="0f5c"), audience=both)


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": ""},
        {"issuer": "http://login.example"},
        {"issuer": "ftp://login.example"},
        {"issuer": "https://a:b@login.example"},
        {"issuer": "https://[::1"},
        {"audience": ""},
        {"audience": " , "},
    ],
)
def test_settings_that_trust_nobody_in_particular_are_refused(
    issuer: Issuer, wrong: dict[str, str]
) -> None:
    with pytest.raises(ConfigError):
        open_oidc(issuer.settings(**wrong))


def test_without_an_audience_tokens_are_for_the_public_address(issuer: Issuer) -> None:
    chosen = issuer.settings(audience="")
    chosen = replace(chosen, serve=replace(chosen.serve, public_url="https://s.example/"))
    token = issuer.token(aud="https://s.example/mcp")
    assert with_oidc(chosen, lambda one: one.caller(token)).user == "ann"
