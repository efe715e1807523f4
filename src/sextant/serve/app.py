"""The app: guards, the gate, then a room for each path. Only here is it known what stands where."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.serve.front.gate import Gate
from sextant.serve.front.health import INDEX, Readiness, readiness_of
from sextant.serve.front.meter import Meter, Metered
from sextant.serve.front.pages import Pages
from sextant.serve.front.paths import MCP
from sextant.serve.guards.bodies import Bodies
from sextant.serve.guards.faults import Faults
from sextant.serve.guards.heads import Heads
from sextant.serve.guards.hosts import Hosts
from sextant.serve.guards.leaving import Leaving
from sextant.serve.guards.naming import Naming
from sextant.serve.guards.origins import Origins
from sextant.serve.guards.places import Places
from sextant.serve.guards.rates import Rated
from sextant.serve.guards.sealing import Sealing
from sextant.serve.guards.streams import Streams
from sextant.serve.guards.times import Times
from sextant.serve.guards.tracing import Tracing
from sextant.serve.house import House, Porch
from sextant.serve.mcp.deferred import DeferredMcp
from sextant.serve.rest.app import rest_app

if TYPE_CHECKING:
    from sextant.serve.mcp.ways.http import McpOverHttp


class App:
    """Doors behind their guards, as one ASGI app."""

    def __init__(
        self,
        porch: Porch,
        ready: Readiness,
        rest: ASGIApp,
        mcp: McpOverHttp | DeferredMcp,
        index: Mapping[str, str] = INDEX,
    ) -> None:
        self.meter = Meter()
        self._pages = Pages(porch, self.meter, ready, index)
        self._rest, self._mcp = rest, mcp
        self.streams = Streams(self._room, porch.settings.serve.streams)
        self.meter.watch("streams", "Streams that are open.", lambda: len(self.streams))
        self._guarded = guarded(self.streams, porch, self.meter)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or live and end with the server."""
        if scope["type"] == "lifespan":
            await Router(lifespan=self.lifespan)(scope, receive, send)
        elif scope["type"] == "http":
            await self._guarded(scope, receive, send)

    async def _room(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path in self._pages:
            await self._pages(scope, receive, send)
        elif path in (MCP, f"{MCP}/"):
            await self._mcp(scope, receive, send)
        else:
            await self._rest(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, _: object = None) -> AsyncIterator[None]:
        """Hold open what the doors need beside the house."""
        failed: BaseException | None = None
        async with self._mcp.lifespan():
            try:
                yield
            except (Exception, SystemExit) as error:  # what a task group would wrap
                failed = error
        if failed:
            raise failed


def make_app(house: House) -> App:
    """Return all doors of a house behind their guards, as one ASGI app."""
    ready = readiness_of(house.sextant, house.settings.serve.tenant)
    app = App(house, ready, rest_app(house), DeferredMcp(house))
    app.meter.watch("jobs_under_way", "Jobs that are being done.", house.jobs.under_way)
    return app


def guarded(app: ASGIApp, porch: Porch, meter: Meter) -> ASGIApp:
    """Return an app behind all guards; what comes last here sees a request first."""
    own = porch.settings.serve
    app = Places(app, own)
    app = Times(app, own.request_seconds)
    app = Bodies(app, own)
    app = Leaving(app)
    if own.auth != "none":
        app = Rated(app, own.requests_per_minute)
    app = Gate(app, porch.identity, porch.settings)
    app = Origins(app, own)
    app = Hosts(app, own)
    app = Heads(app)
    app = Faults(app)
    app = Metered(app, meter)
    app = Sealing(app)
    if porch.tracer:
        app = Tracing(app, porch.tracer)
    return Naming(app)
