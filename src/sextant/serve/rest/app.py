"""The REST door: one FastAPI app, put together from a file for each noun."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import HTMLResponse

from sextant import __version__
from sextant.serve.house import House
from sextant.serve.rest import (
    ask,
    backup,
    docs,
    documents,
    entities,
    feedback,
    ingest,
    jobs,
    profiles,
    search,
    status,
)
from sextant.serve.rest.describing import with_tags
from sextant.serve.rest.refusing import refuse_by_problems
from sextant.serve.wire.models import Problem

TITLE = "Sextant"
DESCRIPTION = (
    "Answers that cite what they rest on, from knowledge as documents and as a graph. "
    "Every error is a problem document with a hint."
)
_ROOMS: tuple[Callable[[House], APIRouter], ...] = (
    ask.routes,
    search.routes,
    feedback.routes,
    documents.routes,
    entities.routes,
    profiles.routes,
    ingest.routes,
    jobs.routes,
    backup.routes,
    status.routes,
)
_BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "The token that `sextant serve` prints, an API key, or a token of the issuer.",
}


def rest_app(house: House) -> FastAPI:
    """Return the REST door of a house."""
    app = FastAPI(
        title=TITLE,
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        redirect_slashes=False,
    )
    for routes in _ROOMS:
        app.include_router(routes(house))
    refuse_by_problems(app)
    app.openapi = lambda: openapi_of(app)  # type: ignore[method-assign]

    @app.get("/docs", include_in_schema=False)
    async def show_docs() -> HTMLResponse:
        return docs.page(app.openapi())

    return app


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an app, made once: with problems and how to be let in."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        components = document.setdefault("components", {})
        schemas = components.setdefault("schemas", {})
        whole = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(whole.pop("$defs", {}))
        schemas["Problem"] = whole
        components["securitySchemes"] = {"bearer": _BEARER}
        with_tags(document)
        document["security"] = [{"bearer": []}]
        app.openapi_schema = document
    return app.openapi_schema
