"""Making the index, or saying what would be made, and what one that is there lacks.

For `sextant azure init` and `sextant azure check`, and for whoever opens the index.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from azure.core.credentials_async import AsyncTokenCredential

from sextant.errors import ConfigError, PeerError, PeerRefused
from sextant.settings import Settings
from sextant.stores.azure.refusals import is_signed_out
from sextant.stores.azure.search.client import SearchConnection, open_connection
from sextant.stores.azure.search.definition import (
    KEY,
    add_missing_fields,
    definition_problems,
    index_definition,
)
from sextant.stores.azure.search.refusals import other_definition

_NO_ROW = "sextant-check"
"""A key that no row has: to drop it changes nothing, and needs the right to write."""


def plan_index(settings: Settings, width: int) -> dict[str, Any]:
    """Return the definition that the service is sent for an index of ours."""
    return dict(index_definition(settings, width).as_dict())


async def make_index(connection: SearchConnection, settings: Settings, width: int) -> None:
    """Make the index, or add what one lacks; fields that are there cannot be changed."""
    wanted = index_definition(settings, width)
    try:
        found = await connection.definition()
    except ConfigError:  # there is none
        await connection.define(wanted)
        return
    made = add_missing_fields(found, wanted)
    if problems := definition_problems(made, settings, width):
        raise other_definition(settings.azure.search_index, problems)
    await connection.define(made)


async def check_definition(
    connection: SearchConnection, settings: Settings, width: int, *, is_seed: bool = False
) -> None:
    """Refuse an index that is not there or does not fit; who may not see that goes on."""
    try:
        found = await connection.definition()
    except PeerError:  # down, or closed to those who may only use rows
        return
    if problems := definition_problems(found, settings, width, is_seed=is_seed):
        raise other_definition(settings.azure.search_index, problems)


async def open_checked(
    settings: Settings,
    width: int,
    credential: AsyncTokenCredential | None,
    transport: Any,
    *,
    is_seed: bool = False,
) -> SearchConnection:
    """Open a connection to an index that fits, as far as that can be seen."""
    connection = open_connection(settings.azure, credential, transport)
    try:
        await check_definition(connection, settings, width, is_seed=is_seed)
    except BaseException:
        await connection.close()
        raise
    return connection


async def index_problems(connection: SearchConnection, settings: Settings, width: int) -> list[str]:
    """Name what the index lacks, and which roles on the service we lack."""
    is_seed = settings.azure.read_only
    problems: list[str] = []
    try:
        found = await connection.definition()
        problems += definition_problems(found, settings, width, is_seed=is_seed)
    except PeerRefused as error:
        if is_signed_out(error):
            raise
        problems.append(
            "Its definition cannot be read without the role Search Service Contributor."
        )
    except ConfigError:
        return [f"The index {settings.azure.search_index} does not exist."]
    reading = connection.find(select=[KEY], top=0)
    problems += await _refusal(reading, "Rows cannot be read", "Reader")
    if not is_seed:
        writing = connection.drop([_NO_ROW])
        problems += await _refusal(writing, "Rows cannot be written", "Contributor")
    return problems


async def _refusal(call: Awaitable[object], what: str, role: str) -> list[str]:
    try:
        await call
    except PeerRefused:
        return [f"{what} without the role Search Index Data {role}."]
    return []
