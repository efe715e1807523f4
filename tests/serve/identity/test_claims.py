"""What claims mean, as Entra ID, Keycloak, Auth0 and Okta write them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import Unauthenticated
from sextant.serve.caller import Caller, Role
from sextant.serve.identity.claims import Reading
from sextant.settings import OidcSettings, ServeSettings, Settings
from tests.serve.identity.checking import with_oidc
from tests.serve.identity.issuer import SEARCH, Issuer, public, rsa_key

ISSUER = "https://login.example/"
MANY = "https://login.example/{tenantid}/v2.0"
FINE = {"iss": ISSUER, "exp": 4_000_000_000, "tid": "acme", "oid": "ann", "sub": "pair"}
READ = "KnowledgeStore.ReadAccess"


def read(claims: dict[str, Any], key_issuer: str = "", **oidc: Any) -> Caller:
    tenants = {"tenants": "acme,home,umbrella"} if oidc.get("issuer") == MANY else {}
    oidc = {"issuer": ISSUER, **tenants, **oidc}
    own = Settings(serve=ServeSettings(tenant="home"), oidc=replace(OidcSettings(), **oidc))
    return Reading(own, ["api://sextant", "client-7"]).caller({**FINE, **claims}, key_issuer)


def test_the_user_is_the_object_or_else_the_subject() -> None:
    assert read({}).user == "ann"
    assert read({"oid": None}).user == "pair"
    assert read({"uid": "u"}, user_claim="uid").user == "u"


def test_a_claim_is_found_by_its_name_or_by_its_path() -> None:
    keycloak = {"realm_access": {"roles": [SEARCH, "offline_access"]}}
    assert read(keycloak, roles_claim="realm_access.roles").roles == {Role.SEARCH}
    auth0 = {"https://sextant.example/roles": [READ]}
    assert read(auth0, roles_claim="https://sextant.example/roles").roles == {Role.READ}
    assert read({"org": {"name": "umbrella"}}, tenant_claim="org.name").tenant == "umbrella"
    assert read({"realm_access": [SEARCH]}, roles_claim="realm_access.roles").roles == frozenset()


@pytest.mark.parametrize(
    "claims",
    [
        {"scp": f"openid {SEARCH}"},
        {"scp": ["openid", SEARCH]},
        {"scope": f"openid {SEARCH}"},
        {"scope": f"api://sextant/{SEARCH}"},
        {"scp": f"client-7/{SEARCH}"},
        {"roles": SEARCH},
        {"roles": [SEARCH, SEARCH, None, {}, "x" * 999]},
    ],
)
def test_roles_and_scopes_are_read_however_they_are_written(claims: dict[str, Any]) -> None:
    assert read(claims).roles == {Role.SEARCH}


def test_a_scope_of_another_application_gives_nothing() -> None:
    assert read({"scope": f"api://other/{SEARCH} {SEARCH.lower()} {SEARCH}x"}).roles == frozenset()


def test_a_scope_makes_nobody_an_administrator_or_a_spokesman() -> None:
    every = " ".join(Role)
    assert read({"scp": every, "scope": every}).roles == set(Role) - {Role.ADMIN, Role.ON_BEHALF}
    assert read({"roles": list(Role)}).roles == set(Role)


def test_the_personas_are_those_of_the_claim() -> None:
    assert read({"personas": ["sre", "dev"]}).personas == frozenset({"sre", "dev"})
    assert read({"personas": "site reliability, dev"}).personas == frozenset(
        {"site reliability", "dev"}
    )
    assert read({}).personas == frozenset()
    assert read({"personas": "*"}).personas is None
    assert read({"groups": ["hr"]}, personas_claim="groups").personas == frozenset({"hr"})


def test_who_asks_on_behalf_of_others_may_use_all_personas_unless_some_are_named() -> None:
    assert read({"roles": ["OnBehalf"]}).personas is None
    assert read({"roles": ["OnBehalf"], "personas": ["sre"]}).personas == frozenset({"sre"})


def test_an_issuer_without_tenants_serves_the_one_of_the_settings() -> None:
    assert read({"tid": None}, tenant_claim="").tenant == "home"
    with pytest.raises(Unauthenticated, match="names no tenant"):
        read({"tid": None})


def test_only_the_tenants_that_are_named_are_let_in() -> None:
    assert read({}, tenants="umbrella, acme").tenant == "acme"
    with pytest.raises(Unauthenticated, match="not let in"):
        read({}, tenants="umbrella")


def test_an_issuer_for_many_tenants_is_each_tenants_own() -> None:
    own = {"iss": "https://login.example/acme/v2.0"}
    assert read(own, issuer=MANY).tenant == "acme"
    for wrong in ({**own, "tid": "umbrella"}, {"iss": MANY}, {**own, "tid": None}):
        with pytest.raises(Unauthenticated, match="another issuer"):
            read(wrong, issuer=MANY)


def test_a_stranger_tenant_cannot_make_itself_a_spokesman_for_all() -> None:
    every = {"roles": list(Role)}
    acme = read({"iss": "https://login.example/acme/v2.0", **every}, issuer=MANY)
    home = read({"iss": "https://login.example/home/v2.0", "tid": "home", **every}, issuer=MANY)
    assert Role.ON_BEHALF not in acme.roles
    assert acme.personas == frozenset()
    assert Role.ON_BEHALF in home.roles


ENTRA = "https://login.microsoftonline.com/acme/v2.0"


@pytest.mark.parametrize(
    ("own", "issuer"),
    [
        ({"nonce": "n"}, ISSUER),
        ({"nonce": ""}, ISSUER),
        ({"nonce": "n", "azp": "client-7", "typ": "JWT"}, ISSUER),
        ({"at_hash": "h"}, ISSUER),
        ({"typ": "ID"}, ISSUER),
        ({"ver": "2.0", "uti": "u", "rh": "0.A"}, ENTRA),
        ({"ver": "2.0", "nonce": "n", "azp": "client-7"}, ENTRA),
        ({"ver": "1.0"}, "https://sts.windows.net/acme/"),
        ({"ver": "2.0"}, "https://login.microsoftonline.us/acme/v2.0"),
        ({"tfp": "B2C_1_in"}, "https://acme.b2clogin.com/acme/v2.0/"),
        ({"ver": "2.0"}, "https://acme.ciamlogin.com/acme/v2.0"),
        ({"scp": "", "azp": None}, ENTRA),
    ],
)
def test_what_tells_a_client_who_signed_in_lets_nobody_in(own: dict[str, Any], issuer: str) -> None:
    claims = {"iss": issuer, "roles": list(Role), **own}
    with pytest.raises(Unauthenticated, match="not for an API"):
        read(claims, issuer=issuer)


@pytest.mark.parametrize(
    ("own", "issuer"),
    [
        ({"ver": "2.0", "azp": "client-7", "azpacr": "1"}, ENTRA),
        ({"ver": "2.0", "scp": SEARCH}, ENTRA),
        ({"ver": "1.0", "appid": "client-7"}, "https://sts.windows.net/acme/"),
        ({"ver": "1.0", "idtyp": "app"}, "https://sts.windows.net/acme/"),
        ({"tfp": "B2C_1_in", "azp": "c", "scp": SEARCH}, "https://acme.b2clogin.com/acme/v2.0/"),
        # Of Keycloak, where it repeats the nonce; of Auth0; of Okta; of who says least.
        ({"typ": "Bearer", "azp": "sextant", "nonce": "n"}, "https://sso.example/realms/acme"),
        ({"azp": "client-7", "scope": SEARCH, "gty": "client-credentials"}, ISSUER),
        ({"cid": "client-7", "scp": [SEARCH], "ver": 1}, ISSUER),
        ({}, ISSUER),
    ],
)
def test_an_access_token_lets_in_whoever_issued_it(own: dict[str, Any], issuer: str) -> None:
    claims = {"iss": issuer, "roles": [SEARCH], **own}
    assert read(claims, issuer=issuer).roles == {Role.SEARCH}


def test_a_key_for_one_issuer_signs_for_no_other() -> None:
    own = {"iss": "https://login.example/acme/v2.0"}
    assert read(own, "https://login.example/{tenantid}/v2.0", issuer=MANY).tenant == "acme"
    with pytest.raises(Unauthenticated, match="another issuer"):
        read(own, "https://login.example/9188040d/v2.0", issuer=MANY)


def test_an_issuer_for_many_tenants_works_from_end_to_end(issuer: Issuer) -> None:
    issuer.name = f"{issuer.url}/{{tenantid}}/v2.0"
    issuer.keys = [public("one", rsa_key("one"), issuer=issuer.name)]
    token = issuer.token(iss=f"{issuer.url}/acme/v2.0")
    own = issuer.settings(tenants="acme")
    assert with_oidc(own, lambda one: one.caller(token)).tenant == "acme"
    assert issuer.asked["/common/v2.0/.well-known/openid-configuration"] == 1


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(["tid", "oid", "sub", "roles", "scp", "personas"]), values))
def test_claims_of_any_kind_give_a_caller_or_a_refusal(claims: dict[str, Any]) -> None:
    try:
        caller = read(claims)
    except Unauthenticated:
        return
    assert caller.tenant == claims.get("tid", "acme")
    assert caller.tenant.isprintable()
    assert Role.ON_BEHALF not in caller.roles
    assert caller.user in (claims.get("oid", "ann"), claims.get("sub", "pair"))
