"""An issuer that vouches for every directory lets in those that are listed, and no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sextant.errors import ConfigError, Unauthenticated
from sextant.serve.identity.claims import Reading
from sextant.serve.identity.oidc import check_issuer
from sextant.settings import OidcSettings, Settings

ENTRA = "https://login.microsoftonline.com/{tenantid}/v2.0"
OIDC = OidcSettings(issuer=ENTRA, audience="client-7")


def read(tid: str, **oidc: Any) -> str:
    claims = {
        "iss": ENTRA.replace("{tenantid}", tid),
        "exp": 4_000_000_000,
        "tid": tid,
        "oid": "ann",
        "azp": "client-7",
        "roles": ["RAGPipeline.SearchAccess"],
        "org": "acme",
    }
    return Reading(Settings(oidc=replace(OIDC, **oidc)), ["client-7"]).caller(claims).tenant


def test_a_server_that_lists_no_directory_does_not_start() -> None:
    with pytest.raises(ConfigError, match=r"oidc\.tenants lists none") as refusal:
        check_issuer(Settings(oidc=OIDC))
    assert "oidc.issuer" in refusal.value.hint
    check_issuer(Settings(oidc=replace(OIDC, tenants="acme")))
    check_issuer(Settings(oidc=replace(OIDC, issuer=ENTRA.replace("{tenantid}", "acme"))))


def test_a_directory_that_is_not_listed_is_not_let_in() -> None:
    assert read("acme", tenants="acme, umbrella") == "acme"
    for tenants in ("umbrella", ""):
        with pytest.raises(Unauthenticated, match="not let in"):
            read("acme", tenants=tenants)


@pytest.mark.parametrize("claim", ["org", ""])
def test_another_claim_for_the_tenant_does_not_stand_for_the_directory(claim: str) -> None:
    assert read("dir-1", tenants="dir-1", tenant_claim=claim) in ("acme", "default")
    with pytest.raises(Unauthenticated, match="not let in"):
        read("stranger", tenants="dir-1,acme", tenant_claim=claim)
