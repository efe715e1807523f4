"""The way to a Neo4j database: a pool of connections that are made when they are needed.

Every call is one transaction, repeated by the driver where an error is said to pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from neo4j import (
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
    NotificationMinimumSeverity,
    unit_of_work,
)
from neo4j.exceptions import ConstraintError, DriverError, Neo4jError

from sextant.errors import ConfigError, StoreClosed
from sextant.settings import NEO4J_PASSWORD_VARIABLE, Neo4jSettings, read_secret_variable
from sextant.stores.neo4j.refusals import translate
from sextant.stores.neo4j.schema import SCHEMA
from sextant.version import __version__

_FORM = 'Write "neo4j://host:7687".'
_BATCH = 500
"""Rows of one statement: schemas of tools are large, and a message is held in memory whole."""
_TRIES = 3
"""More processes than that do not write to one tenant in the same few milliseconds."""

T = TypeVar("T")
Transaction = AsyncManagedTransaction
Task = Callable[[Transaction], Awaitable[T]]
Row = list[Any]


class Connection:
    """A driver, which connects when it is first used, and how long it may take."""

    def __init__(self, driver: AsyncDriver, settings: Neo4jSettings) -> None:
        self._driver, self._settings = driver, settings
        self._is_ready, self._is_closed = False, False
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def read(self, task: Task[T]) -> T:
        """Run a task that writes nothing."""
        seconds = self._settings.read_seconds
        work = unit_of_work(timeout=seconds)(task)
        async with self._guarded(seconds) as session:
            return await session.execute_read(work)

    async def write(self, tenant: str, task: Task[T]) -> T:
        """Run a task of which all is written, or nothing, after the tenant's tasks before it.

        The database makes writers wait for each other as well; those of one process do so here,
        because some databases have one of them try again instead.
        """
        seconds = self._settings.write_seconds
        work = unit_of_work(timeout=seconds)(task)
        turn = self._turns.setdefault(tenant, asyncio.Lock())
        async with self._guarded(seconds) as session, turn:
            if not self._is_ready:
                await _make_schema(session)
                self._is_ready = True
            return await _write_in_turn(session, work)

    async def close(self) -> None:
        """Close all connections."""
        self._is_closed = True
        await self._driver.close()

    @asynccontextmanager
    async def _guarded(self, seconds: float) -> AsyncIterator[AsyncSession]:
        if self._is_closed:
            raise StoreClosed("The tool graph was closed.", "Open it again.")
        try:
            async with (
                asyncio.timeout(seconds),
                self._driver.session(database=self._settings.database or None) as session,
            ):
                yield session
        except (Neo4jError, DriverError, OSError) as error:
            raise translate(error) from error


async def _write_in_turn(session: AsyncSession, work: Task[T]) -> T:
    """Write; what breaks a rule may do so only because another process wrote at the same time."""
    for _ in range(_TRIES):
        try:
            return await session.execute_write(work)
        except ConstraintError:
            continue
    return await session.execute_write(work)


async def _make_schema(session: AsyncSession) -> None:
    for statement in SCHEMA:
        await (await session.run(statement)).consume()


async def fetch(transaction: Transaction, statement: str, **parameters: object) -> list[Row]:
    """Run a statement of ours and return its rows."""
    return await (await transaction.run(statement, parameters)).values()


async def fetch_all(
    transaction: Transaction, statement: str, rows: list[dict[str, Any]], **parameters: object
) -> list[Row]:
    """Run a statement over rows, so many at a time; without any it is not run."""
    found: list[Row] = []
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        found += await fetch(transaction, statement, rows=batch, **parameters)
    return found


def open_connection(scheme: str, rest: str, settings: Neo4jSettings) -> Connection:
    """Read an address, of which the scheme has been split off; nothing is connected to yet."""
    password = read_secret_variable(NEO4J_PASSWORD_VARIABLE)
    driver = AsyncGraphDatabase.driver(
        _address(scheme, rest),
        auth=(settings.user, password) if settings.user else None,
        max_connection_pool_size=settings.connections,
        connection_timeout=settings.connect_seconds,
        connection_acquisition_timeout=settings.connect_seconds,
        max_transaction_retry_time=settings.retry_seconds,
        notifications_min_severity=NotificationMinimumSeverity.OFF,
        user_agent=f"sextant/{__version__}",
    )
    return Connection(driver, settings)


def _address(scheme: str, rest: str) -> str:
    try:
        parts = urlsplit(f"{scheme}:{rest}")
        has_port = parts.port is not None
    except ValueError:
        raise ConfigError("The address in toolbox.graph cannot be read.", _FORM) from None
    if not parts.hostname:
        raise ConfigError("The address in toolbox.graph has no host.", _FORM)
    if parts.username is not None or parts.path.strip("/") or parts.query or parts.fragment:
        raise ConfigError(
            "The address in toolbox.graph has more in it than a host and a port.",
            f"The user is neo4j.user, the password {NEO4J_PASSWORD_VARIABLE}, the database "
            f"neo4j.database. {_FORM}",
        )
    return f"{scheme}://{parts.netloc}" + ("" if has_port else ":7687")
