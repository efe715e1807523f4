"""A room of the test's own behind all guards, on a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from starlette.types import ASGIApp

from sextant.serve.app import guarded
from sextant.serve.front.listening import Server, bound, listening
from sextant.serve.front.meter import Meter
from sextant.serve.guards.streams import Streams
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
    meter, streams = Meter(), Streams(room, settings.serve.streams)
    with bound(settings.serve) as listener:
        async with open_house(settings, TOKEN) as house:
            app = guarded(streams, house, meter)
            async with listening(app, streams, settings.serve, listener) as server:
                yield Guarded(listener.getsockname()[1], meter, streams, server)
