"""How tests open the tools of a tenant of their own in a database that speaks Bolt."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from neo4j import AsyncGraphDatabase

from sextant.build import open_store
from sextant.ports import ToolGraph
from sextant.settings import Neo4jSettings, Settings, ToolboxSettings
from sextant.types import Scope
from tests.peers.fixtures import Bolt


def settings_for(bolt: Bolt, **changed: Any) -> Settings:
    chosen: dict[str, Any] = {"user": bolt.user, "database": "neo4j", **changed}
    return Settings(
        store="memory:", toolbox=ToolboxSettings(bolt.url), neo4j=Neo4jSettings(**chosen)
    )


def new_scope() -> Scope:
    return Scope(f"tenant-{secrets.token_hex(4)}")


@asynccontextmanager
async def graph_of(settings: Settings) -> AsyncIterator[ToolGraph]:
    store = await open_store(settings)
    assert store.tools
    try:
        yield store.tools
    finally:
        await store.tools.close()
        await store.admin.close()


async def run_cypher(bolt: Bolt, statement: str, **parameters: object) -> list[list[Any]]:
    """Do what somebody else does in the database, past the store."""
    async with (
        AsyncGraphDatabase.driver(bolt.url, auth=(bolt.user, bolt.password)) as driver,
        driver.session(database="neo4j") as session,
    ):
        return await (await session.run(statement, parameters)).values()
