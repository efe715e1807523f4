"""The house's own paths beside the doors: index, health, readiness, metrics, OAuth metadata."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from sextant.errors import Denied
from sextant.serve.caller import Role, require
from sextant.serve.door import Door, limits_of
from sextant.serve.house import Porch
from sextant.serve.http.health import ALIVE, Readiness
from sextant.serve.http.metrics import Meter
from sextant.serve.http.paths import address_called
from sextant.serve.http.problem import NOTHING, Problem, problem_of
from sextant.serve.identity.bearer import Bearer
from sextant.serve.identity.metadata import RESOURCE, WELL_KNOWN, resource_metadata
from sextant.version import __version__

Page = Callable[[Request], Awaitable[Response]]
_READING = ("GET", "HEAD")
_INDEX, _HEALTH, _READY, _METRICS = "/", "/health", "/ready", "/metrics"
_OAUTH = f"{WELL_KNOWN}/*"
OPEN = (_INDEX, _HEALTH, _READY, _OAUTH)
NOT_ALLOWED = Problem(
    405,
    "method_not_allowed",
    "Method not allowed",
    "This can only be read.",
    "Use GET.",
    (("allow", ", ".join(_READING)),),
)


def pages_door(porch: Porch, meter: Meter, readiness: Readiness, index: Mapping[str, str]) -> Door:
    """Return the house's own pages; who watches over it is answered however busy it is."""
    own = {"health": _HEALTH, "ready": _READY, "metrics": _METRICS}
    whole = {"name": "Sextant", "version": __version__, **index, **own}
    return Door(
        name="own",
        paths=(*OPEN, _METRICS),
        app=Pages(porch, meter, readiness, whole),
        scheme=Bearer(porch.identity, porch.settings),
        limits=replace(limits_of(porch.settings.serve), takes_place=False),
        open_paths=OPEN,
    )


class Pages:
    """Answers for the paths that it has."""

    def __init__(
        self, porch: Porch, meter: Meter, readiness: Readiness, index: Mapping[str, str]
    ) -> None:
        self._index = index
        self._settings, self._meter, self._readiness = porch.settings, meter, readiness
        self._pages: dict[str, Page] = {
            _INDEX: self._tell_index,
            _HEALTH: _health,
            _READY: self._ready,
            _METRICS: self._metrics,
        }
        if porch.settings.serve.auth == "oidc":
            self._pages |= dict.fromkeys((WELL_KNOWN, WELL_KNOWN + RESOURCE), self._metadata)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for a path."""
        page = self._pages.get(scope["path"])
        if page is None:
            await NOTHING(scope, receive, send)
            return
        if scope["method"] not in _READING:
            await NOT_ALLOWED(scope, receive, send)
            return
        try:
            response = await page(Request(scope, receive))
        except Denied as refused:
            await problem_of(refused)(scope, receive, send)
            return
        await response(scope, receive, send)

    async def _ready(self, request: Request) -> Response:  # noqa: ARG002 - it asks nothing
        parts = await self._readiness.now()
        is_ready = all(parts.values())
        told = {"status": "ready" if is_ready else "not ready", **parts}
        return JSONResponse(
            told, 200 if is_ready else 503, {} if is_ready else {"retry-after": "5"}
        )

    async def _metrics(self, request: Request) -> Response:
        """They count what all tenants do, so that an administrator of one tenant gets none."""
        require(request.state.visit.caller, Role.ADMIN, Role.ON_BEHALF)
        return self._meter.shown()

    async def _tell_index(self, request: Request) -> Response:  # noqa: ARG002 - it asks nothing
        return JSONResponse(self._index)

    async def _metadata(self, request: Request) -> Response:
        address = address_called(request.scope, self._settings)
        return JSONResponse(resource_metadata(self._settings, address))


async def _health(request: Request) -> Response:  # noqa: ARG001 - it asks nothing
    return JSONResponse(ALIVE)
