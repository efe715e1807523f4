"""What OAuth clients are told."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sextant.serve.caller import Role
from sextant.serve.identity.metadata import challenge, metadata_url, resource_metadata
from sextant.settings import OidcSettings, ServeSettings, Settings

OIDC = Settings(
    serve=ServeSettings(auth="oidc"),
    oidc=OidcSettings(issuer="https://login.example/t/v2.0", audience="client-7"),
)
URL = "https://sextant.example"


def test_the_metadata_name_the_resource_and_who_gives_tokens_for_it() -> None:
    assert resource_metadata(OIDC, URL + "/") == {
        "resource": f"{URL}/mcp",
        "authorization_servers": ["https://login.example/t/v2.0"],
        "scopes_supported": [
            "RAGPipeline.SearchAccess",
            "KnowledgeStore.ReadAccess",
            "KnowledgeStore.WriteAccess",
            "LlmOrchestration.Access",
            "Toolbox.CallAccess",
        ],
        "bearer_methods_supported": ["header"],
        "resource_name": "Sextant",
    }
    assert metadata_url(URL) == f"{URL}/.well-known/oauth-protected-resource/mcp"


def test_an_issuer_for_many_tenants_is_named_by_the_home_of_all() -> None:
    many = replace(OIDC, oidc=replace(OIDC.oidc, issuer="https://login.example/{tenantid}/v2.0"))
    told = resource_metadata(many, URL)
    assert told["authorization_servers"] == ["https://login.example/common/v2.0"]


def test_entra_wants_the_application_in_front_of_a_scope() -> None:
    entra = replace(OIDC, oidc=replace(OIDC.oidc, audience="client-7, api://client-7"))
    assert (
        "api://client-7/RAGPipeline.SearchAccess"
        in resource_metadata(entra, URL)["scopes_supported"]
    )


def test_a_challenge_says_what_is_missing() -> None:
    where = f'resource_metadata="{URL}/.well-known/oauth-protected-resource/mcp"'
    least = 'scope="RAGPipeline.SearchAccess KnowledgeStore.ReadAccess"'
    assert challenge(OIDC, public_url=URL) == f'Bearer realm="sextant", {least}, {where}'
    assert challenge(OIDC, "invalid_token", public_url=URL) == (
        f'Bearer realm="sextant", error="invalid_token", {least}, {where}'
    )
    needing = challenge(OIDC, "insufficient_scope", needs=[Role.WRITE])
    assert needing == (
        'Bearer realm="sextant", error="insufficient_scope", scope="KnowledgeStore.WriteAccess"'
    )
    assert "LlmOrchestration.Access" in challenge(OIDC, "insufficient_scope")


def test_without_an_issuer_a_challenge_names_none() -> None:
    assert challenge(Settings(), public_url=URL) == 'Bearer realm="sextant"'


@given(st.text(), st.text())
def test_nothing_breaks_out_of_a_challenge(error: str, url: str) -> None:
    said = challenge(OIDC, error, public_url=url)
    assert said.isascii()
    assert said.isprintable()
    assert said.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 0
