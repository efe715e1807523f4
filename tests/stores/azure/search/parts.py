"""What tests of the index in AI Search share: a service, who may use it, and an index in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from azure.core.credentials import AccessToken
from azure.core.pipeline.transport import AioHttpTransport

from sextant.ports import Store
from sextant.settings import AzureSettings, Settings
from sextant.stores.azure.search.client import SearchConnection, open_connection
from sextant.stores.azure.search.definition import index_definition
from sextant.stores.azure.search.index import AzureSearchIndex, open_index
from sextant.stores.paired.store import pair
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.testing.store_suite.suite import IDENTITY
from tests.certificates import make_certificate
from tests.peers.search_service.service import SearchService
from tests.peers.search_service.serving import serving

FAST = AzureSettings(call_seconds=5.0, retries=4, retry_seconds=2.0, lag_seconds=5.0)


class Token:
    """A credential that has a token already."""

    def __init__(self, token: str = "owner") -> None:
        self._token = token

    async def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        assert scopes == ("https://search.azure.com/.default",)
        return AccessToken(self._token, 4_102_444_800)

    async def close(self) -> None:
        """Nothing is held open."""

    async def __aenter__(self) -> "Token":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is held open."""


@dataclass(frozen=True)
class Place:
    """A service that runs, and how it is reached."""

    service: SearchService
    settings: Settings
    certificate: Path

    def transport(self) -> AioHttpTransport:
        """Return what trusts the service's certificate."""
        return AioHttpTransport(connection_verify=str(self.certificate))

    def connect(self, token: str = "owner") -> SearchConnection:
        """Open a connection as somebody."""
        return open_connection(self.settings.azure, Token(token), self.transport)

    async def make_index(self) -> None:
        """Make the index as `sextant azure init` does."""
        connection = self.connect()
        try:
            await connection.define(index_definition(self.settings, IDENTITY.width))
        finally:
            await connection.close()

    async def open_index(self, token: str = "owner") -> AzureSearchIndex:
        """Open the index, which is made if it is not there."""
        if self.settings.azure.search_index not in self.service.indexes:
            await self.make_index()
        return await open_index(self.settings, IDENTITY, Token(token), self.transport)

    async def open_store(self, folder: Path, token: str = "owner") -> Store:
        """Open an embedded truth with the index beside it."""
        store = await open_sqlite(str(folder / "store"), self.settings, IDENTITY)
        return pair(store, await self.open_index(token), self.settings.limits)

    def with_azure(self, **changes: Any) -> "Place":
        """Return the same place under other settings."""
        azure = replace(self.settings.azure, **changes)
        return replace(self, settings=replace(self.settings, azure=azure))


@contextmanager
def running_service(folder: Path) -> Iterator[Place]:
    """Start a service that is empty, and stop it."""
    folder.mkdir(exist_ok=True)
    certificate, tls = make_certificate(folder)
    service = SearchService()
    with serving(service, tls) as endpoint:
        azure = replace(FAST, search_endpoint=endpoint)
        yield Place(service, Settings(azure=azure), certificate)
