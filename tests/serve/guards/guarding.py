"""A room of the test's own behind all guards, on a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from starlette.types import ASGIApp

from sextant.serve.app import App
from sextant.serve.door import Door, limits_of
from sextant.serve.guards.limits.streams import Streams
from sextant.serve.house import House
from sextant.serve.http.health import Readiness
from sextant.serve.http.metrics import Meter
from sextant.serve.http.server import Server, bound, listening
from sextant.serve.identity.bearer import Bearer
from sextant.serve.running import open_house
from sextant.settings import Settings
from tests.serve.running import TOKEN

_SETTINGS = Settings(store="memory:", embedder="tiny:")
BEARER = f"Authorization: Bearer {TOKEN}"


@dataclass(frozen=True)
class Guarded:
    """A room that is guarded."""

    port: int
    meter: Meter
    streams: Streams
    server: Server


@asynccontextmanager
async def guarding(
    room: ASGIApp, settings: Settings = _SETTINGS, **options: Any
) -> AsyncIterator[Guarded]:
    """Let a room answer behind all guards until the block ends; options are those of [serve]."""
    settings = replace(settings, serve=replace(settings.serve, port=0, audit=False, **options))
    with bound(settings.serve) as listener:
        async with open_house(settings, TOKEN) as house:
            app = App(house, _doors(room, house), Readiness({}))
            async with listening(app, app.streams, settings.serve, listener) as server:
                yield Guarded(listener.getsockname()[1], app.meter, app.streams, server)


def _doors(room: ASGIApp, house: House) -> list[Door]:
    """Return doors where those of the product are, and one for all else, to the same room."""
    limits, scheme = limits_of(house.settings.serve), Bearer(house.identity, house.settings)
    rest = Door(
        "rest",
        ("/api/*", "/docs"),
        room,
        scheme,
        replace(limits, uploads=frozenset({"/api/ingest"})),
        open_paths=("/docs",),
    )
    mcp = Door("mcp", ("/mcp",), room, scheme, limits, ends_own_work=True)
    return [rest, mcp, Door("else", ("/*",), room, scheme, limits)]
