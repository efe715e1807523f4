"""Stores on the emulator of Cosmos DB, each in a database of its own."""

import base64
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sextant.build import open_server_records, open_store
from sextant.ports import Embedder, Store
from sextant.server_ports import ServerRecords
from sextant.settings import COSMOS_KEY_VARIABLE, AzureSettings, Settings
from sextant.stores.azure.connection import open_cosmos
from sextant.stores.azure.making import make_containers

KEY = base64.b64encode(b"no secret").decode()
"""The emulator takes any key."""


@contextmanager
def emulator_key() -> Iterator[None]:
    """Have the key of the emulator in the environment."""
    before = os.environ.get(COSMOS_KEY_VARIABLE)
    os.environ[COSMOS_KEY_VARIABLE] = KEY
    try:
        yield
    finally:
        del os.environ[COSMOS_KEY_VARIABLE]
        if before is not None:
            os.environ[COSMOS_KEY_VARIABLE] = before


def azure_settings(url: str, folder: Path | str, **changes: Any) -> Settings:
    """Return settings for a database that nobody else uses."""
    name = "test-" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    azure = AzureSettings(cosmos_endpoint=url, database=name, retries=2)
    return Settings(store="azure:", index="memory:", azure=replace(azure, **changes))


async def make_database(settings: Settings) -> None:
    """Make the containers that the settings name, if they are not there."""
    connection = open_cosmos(settings.azure)
    try:
        await make_containers(connection)
    finally:
        await connection.close()


async def open_azure(settings: Settings, embedder: Embedder | None = None) -> Store:
    """Open the store, in a database that is made if need be."""
    with emulator_key():
        await make_database(settings)
        return await open_store(settings, embedder)


async def open_server_records_in_azure(settings: Settings) -> ServerRecords:
    """Open the records of servers, in a database that is made if need be."""
    serve = replace(settings.serve, records="azure:")
    with emulator_key():
        await make_database(settings)
        return await open_server_records(replace(settings, serve=serve), Path())
