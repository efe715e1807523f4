"""Both services, with a certificate that is trusted and an identity that gets tokens."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.certificates import make_certificate
from tests.links.token_server import TokenServer, giving
from tests.settings_sources.azure_server import AzureServer, azure_services


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    return make_certificate(tmp_path_factory.mktemp("azure"))


@pytest.fixture
def identity(monkeypatch: pytest.MonkeyPatch) -> Iterator[TokenServer]:
    with giving() as server:
        monkeypatch.setenv("IDENTITY_ENDPOINT", server.url)
        monkeypatch.setenv("IDENTITY_HEADER", "header")
        monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
        yield server


@pytest.fixture
def azure(
    certificate: tuple[Path, ssl.SSLContext],
    identity: TokenServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[AzureServer]:
    identity.says = {"expires_on": "4102444800", "resource": "of the service"}
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate[0]))
    with azure_services(certificate[1]) as server:
        yield server
