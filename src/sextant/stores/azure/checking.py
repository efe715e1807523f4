"""What can be reached in Azure, as whom, and which right is missing. Keeps nothing there."""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from sextant.errors import SextantError
from sextant.settings import Settings
from sextant.stores.azure.connection import COSMOS, CosmosConnection, open_cosmos
from sextant.stores.azure.cosmos.containers import Containers, Kind, container_names
from sextant.stores.azure.search.client import SearchConnection, open_connection
from sextant.stores.azure.search.making import index_problems

STRICT = frozenset({"Strong", "BoundedStaleness"})
"""Levels of consistency with which who sees a commit sees all of its items, in one region."""
_PROBE = {"id": "sextant-check", "tenant": "sextant:check", "kind": "check"}
_COSMOS_SCOPE = "https://cosmos.azure.com/.default"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and what is wrong with it; nothing if all is well."""

    what: str
    problem: str = ""
    hint: str = ""


async def check_azure(
    settings: Settings,
    width: int,
    cosmos: CosmosConnection | None = None,
    search: SearchConnection | None = None,
) -> list[Finding]:
    """Look at the account, the database, its containers, our rights, and the index."""
    connection = cosmos or open_cosmos(settings.azure)
    try:
        who = await _whoever(connection)
        if who.problem:  # nothing else can be asked without a token
            return [who]
        found = [who, *await _check_cosmos(connection, settings)]
    finally:
        await connection.close()
    if settings.azure.search_endpoint or not settings.index:
        found += await _check_search(settings, width, search)
    return found


async def _whoever(connection: CosmosConnection) -> Finding:
    """Say who the service takes us for."""
    if connection.credential is None:
        return Finding("Signed in with the key of an emulator")
    try:
        token = await connection.credential.get_token(_COSMOS_SCOPE)
    except Exception as error:  # the SDK of each way to sign in has errors of its own
        problem = f"Nobody is signed in ({type(error).__name__})."
        return Finding("Signing in", problem, "Run `az login`, or use a managed identity.")
    return Finding(f"Signed in as {_name_in(token.token)}")


def _name_in(token: str) -> str:
    """Return what a token says of whom it was issued to; it is ours, so it is not checked."""
    try:
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return str(claims.get("upn") or claims.get("appid") or claims.get("oid") or "somebody")
    except (IndexError, ValueError):
        return "somebody"


async def _check_cosmos(connection: CosmosConnection, settings: Settings) -> list[Finding]:
    found = [await _tried("Cosmos DB answers", lambda: _level_of(connection))]
    if found[0].problem and not found[0].what.startswith("Consistency"):
        return found
    containers = Containers(connection)
    own = settings.azure
    for kind, name in container_names(own).items():
        if not (own.read_only and kind == Kind.RECORDS):
            found.append(await _check_container(containers, kind, name))
    if not own.read_only:
        found.append(await _tried("Items can be written", lambda: _write(containers)))
    return found


async def _level_of(connection: CosmosConnection) -> Finding:
    account: Any = await connection.call(connection.client._get_database_account)  # noqa: SLF001
    level = str((account.ConsistencyPolicy or {}).get("defaultConsistencyLevel", "unknown"))
    what = f"Consistency is {level}"
    if level in STRICT or connection.settings.read_only:  # nothing of ours is committed there
        return Finding(what)
    hint = "Set the account's default consistency to Strong or BoundedStaleness."
    return Finding(what, "Another process may see a commit before all of its items.", hint)


async def _check_container(containers: Containers, kind: Kind, name: str) -> Finding:
    async def look() -> Finding:
        await containers.check([kind])
        await containers.query(kind, None, "SELECT TOP 1 c.id FROM c")
        return Finding(f"Container {name}")

    return await _tried(f"Container {name}", look)


async def _write(containers: Containers) -> Finding:
    await containers.upsert(Kind.RECORDS, dict(_PROBE))
    await containers.delete(Kind.RECORDS, _PROBE["tenant"], _PROBE["id"])
    return Finding("Items can be written")


async def _tried(what: str, look: Callable[[], Awaitable[Finding]]) -> Finding:
    try:
        return await look()
    except SextantError as error:
        hint = error.hint
        if error.code == "peer_refused":
            role = "Contributor" if "written" in what else "Reader"
            hint = f"Give whoever is signed in the role {COSMOS} Built-in Data {role}."
        return Finding(what, error.message, hint)


async def _check_search(
    settings: Settings, width: int, search: SearchConnection | None
) -> list[Finding]:
    what = f"Index {settings.azure.search_index}"
    try:
        connection = search or open_connection(settings.azure)
    except SextantError as error:
        return [Finding(what, error.message, error.hint)]
    try:
        problems = await index_problems(connection, settings, width)
    except SextantError as error:
        return [Finding(what, error.message, error.hint)]
    finally:
        await connection.close()
    hint = "Run `sextant azure init`, or give whoever is signed in the role."
    return [Finding(what, one, hint) for one in problems] or [Finding(what)]
