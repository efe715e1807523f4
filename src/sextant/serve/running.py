"""From settings to a server that answers, and back: opens the house, listens, closes all again."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from sextant import build
from sextant.serve.app import App, make_app
from sextant.serve.collecting import collecting_seldom
from sextant.serve.embedding import embedding
from sextant.serve.house import House, Porch
from sextant.serve.http.server import bound, listening
from sextant.serve.identity import check_way_in, open_identity
from sextant.serve.jobs import open_jobs
from sextant.serve.records.audit import open_audit
from sextant.serve.records.idempotency import open_replies
from sextant.serve.records.opening import server_records
from sextant.serve.stopping import AtOnce, do_nothing, stop_wanted
from sextant.settings import ServeSettings, Settings

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where it is reached from here


@dataclass(frozen=True, slots=True)
class Running:
    """A server under way; the token is the local mode's."""

    url: str
    token: str
    house: House
    app: App


@asynccontextmanager
async def open_porch(settings: Settings, token: str = "") -> AsyncIterator[Porch]:
    """Open what stands before every door."""
    async with AsyncExitStack() as opened:
        identity = await open_identity(settings, token=token)
        opened.push_async_callback(identity.close)
        audit = open_audit(settings)
        opened.callback(audit.close)
        yield Porch(settings, identity, audit, None)


@asynccontextmanager
async def open_house(settings: Settings, token: str = "") -> AsyncIterator[House]:
    """Open all that the doors need."""
    async with AsyncExitStack() as opened:
        porch = await opened.enter_async_context(open_porch(settings, token))
        built = await build.open_sextant(
            settings, cached_searches=settings.serve.cached_searches, keeps_readers=True
        )
        sextant = await opened.enter_async_context(built)
        records = await opened.enter_async_context(server_records(settings))
        jobs = await opened.enter_async_context(open_jobs(sextant, settings, records))
        replies = await open_replies(records)
        await opened.enter_async_context(embedding(sextant))
        yield House(settings, porch.identity, porch.audit, sextant.tracer, sextant, jobs, replies)


@asynccontextmanager
async def running(settings: Settings, token: str = "") -> AsyncIterator[Running]:
    """Serve until the block ends."""
    check_way_in(settings)
    async with AsyncExitStack() as opened:
        listener = opened.enter_context(bound(settings.serve))
        house = await opened.enter_async_context(open_house(settings, token))
        app = make_app(house)
        url = await opened.enter_async_context(answering(app, settings.serve, listener))
        opened.enter_context(collecting_seldom())
        yield Running(url, getattr(house.identity, "token", ""), house, app)


@asynccontextmanager
async def answering(
    app: App, settings: ServeSettings, listener: socket.socket
) -> AsyncIterator[str]:
    """Let an app answer what comes to a socket until the block ends; yield its address."""
    async with app.lifespan(), listening(app, app.streams, settings, listener) as server:
        app.meter.watch("connections", "Connections that are open.", server.connections)
        yield _url(settings, listener)


async def until_stopped(
    telling: Awaitable[None] | None = None, at_once: AtOnce = do_nothing
) -> None:
    """Wait until somebody wants an end: Ctrl+C or a polite kill; the next one is not polite.

    Whoever is told that we are here may want that at once, so it is told once it can be obeyed.
    """
    with stop_wanted(at_once) as stopped:
        if telling:
            await telling
        await stopped.wait()


def _url(settings: ServeSettings, listener: socket.socket) -> str:
    host, port = settings.host.strip("[]"), listener.getsockname()[1]
    host = _EVERYWHERE.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
