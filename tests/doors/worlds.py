"""Two servers that differ in one thing: in one of them there is a second tenant, and it is busy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx2

from sextant.serve.caller import EVERY_ROLE, Role
from sextant.serve.records.folder import server_folder
from sextant.types import Scope
from sextant.types.serving import Key
from tests.serve.identity.making import Keys
from tests.serve.rest.knowing import page
from tests.serve.running import Served, served, small

T = TypeVar("T")
TENANT_ROLES = EVERY_ROLE - {Role.ON_BEHALF}
OURS = ("hub.md", "same.md", "ours.md")
THEIRS = ("hub.md", "same.md", "theirs.md")


@dataclass(frozen=True)
class Tenant:
    """A tenant of a server: the client that its key lets in, and the jobs that it began."""

    client: httpx2.AsyncClient
    jobs: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    replies: list[Any] = field(default_factory=list)
    key: tuple[Key, str] | None = None


@dataclass(frozen=True)
class World:
    """A server under way."""

    server: Served

    @asynccontextmanager
    async def tenant(
        self, name: str, pages: tuple[str, ...], key: tuple[Key, str] | None = None
    ) -> AsyncIterator[Tenant]:
        """Let there be a tenant that knows some pages, and a key of another server or a new one.

        A document is known by the key that brought it, too.
        """
        with closing(Keys(server_folder(self.server.house.settings))) as keys:
            if key:
                keys.add(key[0])
            key = key or keys.create("key", name, TENANT_ROLES, ["*"])
        told = [page(one, f"Hub of {one} is in {name[0].upper()}-Town.") for one in pages]
        await self.server.house.sextant.write(Scope(name), told)
        async with httpx2.AsyncClient(
            base_url=self.server.url, headers={"Authorization": f"Bearer {key[1]}"}, timeout=60
        ) as client:
            yield Tenant(client, key=key)


@asynccontextmanager
async def world(folder: Path, **options: Any) -> AsyncIterator[World]:
    """Serve to whoever has a key, with a cache that holds few searches."""
    usual = {"auth": "api-key", "cached_searches": 2, "requests_per_minute": 60_000}
    async with served(small(folder), **{**usual, **options}) as server:
        yield World(server)


class Held:
    """A loop in which something stays open between the examples of a property."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._ended = asyncio.Event()
        self._holding: list[asyncio.Task[None]] = []

    def open(self, resource: AbstractAsyncContextManager[T]) -> T:
        """Open something; one task opens and closes it."""
        return self.run(self._open(resource))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something to its end."""
        return self._runner.run(work)

    async def close(self) -> None:
        """Close what is open."""
        self._ended.set()
        await asyncio.gather(*self._holding)

    async def _open(self, resource: AbstractAsyncContextManager[T]) -> T:
        opened: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def hold() -> None:
            async with resource as one:
                opened.set_result(one)
                await self._ended.wait()

        holding = asyncio.create_task(hold())
        holding.add_done_callback(lambda _: opened.done() or opened.cancel())
        self._holding.append(holding)
        return await opened


@contextmanager
def held() -> Iterator[Held]:
    """Give a loop, and close at the end what was opened in it."""
    with asyncio.Runner() as runner:
        one = Held(runner)
        try:
            yield one
        finally:
            runner.run(one.close())
