"""The app: every request finds its door, and goes to it through all guards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.serve.door import Door, door_of
from sextant.serve.doors import Doors, index_of, open_doors
from sextant.serve.guards.access_log import AccessLog
from sextant.serve.guards.disconnects import Leaving
from sextant.serve.guards.faults import Faults
from sextant.serve.guards.headers.hosts import Hosts
from sextant.serve.guards.headers.origins import Origins
from sextant.serve.guards.headers.request_head import Heads
from sextant.serve.guards.headers.request_ids import Naming
from sextant.serve.guards.headers.response_headers import Sealing
from sextant.serve.guards.limits.bodies import Bodies
from sextant.serve.guards.limits.concurrency import Places
from sextant.serve.guards.limits.rates import Rated
from sextant.serve.guards.limits.streams import Streams
from sextant.serve.guards.limits.timeouts import Times
from sextant.serve.guards.tracing import Tracing
from sextant.serve.house import House, Porch
from sextant.serve.http.gate import Gate
from sextant.serve.http.health import Readiness, readiness_of
from sextant.serve.http.metrics import Meter, Metered
from sextant.serve.http.pages import pages_door
from sextant.serve.http.paths import path_called


class App:
    """Doors, and the house's own pages, behind their guards, as one ASGI app."""

    def __init__(self, porch: Porch, doors: Sequence[Door], ready: Readiness) -> None:
        self.meter = Meter()
        pages = pages_door(porch, self.meter, ready, index_of(doors))
        self._doors = Doors(porch, (*doors, pages))
        self.streams = Streams(_enter)
        self.meter.watch("streams", "Streams that are open.", lambda: len(self.streams))
        self._guarded = _guarded(self.streams, porch, self.meter)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or live and end with the server."""
        if scope["type"] == "lifespan":
            await Router(lifespan=self.lifespan)(scope, receive, send)
        elif scope["type"] == "http":
            door = self._doors.find(path_called(scope))
            scope.setdefault("state", {})["door"] = door
            await self._guarded(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, _: object = None) -> AsyncIterator[None]:
        """Hold open what the doors need beside the house."""
        async with self._doors.lifespan():
            yield


def make_app(house: House) -> App:
    """Return all doors of a house behind their guards, as one ASGI app."""
    ready = readiness_of(house.sextant, house.settings.serve.tenant, has_jobs=True)
    app = App(house, open_doors(house), ready)
    app.meter.watch("jobs_under_way", "Jobs that are being done.", house.jobs.under_way)
    house.sextant.hear_runs(app.meter.count_run)
    return app


async def _enter(scope: Scope, receive: Receive, send: Send) -> None:
    await door_of(scope).app(scope, receive, send)


def _guarded(app: ASGIApp, porch: Porch, meter: Meter) -> ASGIApp:
    """Return an app behind all guards; what comes last here sees a request first."""
    own = porch.settings.serve
    app = Places(app, own)
    app = Times(app)
    app = Bodies(app, own)
    app = Leaving(app)
    app = Rated(app, own.requests_per_minute if own.auth != "none" else 0)
    app = Gate(app, porch.audit)
    app = Origins(app, own)
    app = Hosts(app, own)
    app = Heads(app)
    app = Faults(app)
    app = Metered(app, meter)
    app = Sealing(app)
    if porch.tracer:
        app = Tracing(app, porch.tracer)
    return Naming(AccessLog(app))
