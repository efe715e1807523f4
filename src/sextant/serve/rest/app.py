"""The REST door: one FastAPI app, put together from a file for each noun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from sextant import __version__
from sextant.serve.door import Door, limits_of
from sextant.serve.house import House
from sextant.serve.identity.bearer import Bearer
from sextant.serve.rest import (
    ask,
    backup,
    conversations,
    documents,
    entities,
    feedback,
    jobs,
    profiles,
    search,
    status,
)
from sextant.serve.rest.described import docs
from sextant.serve.rest.described.describing import with_spellings, with_tags
from sextant.serve.rest.described.operations import with_operations
from sextant.serve.rest.frame.reading import JSON
from sextant.serve.rest.frame.refusing import refuse_by_problems
from sextant.serve.rest.frame.telling import by_tag
from sextant.serve.rest.intake import ingest
from sextant.serve.wire.filters import KnowledgeSearchFilters
from sextant.serve.wire.models import Problem
from sextant.serve.wire.pipeline import RankingPreferences
from sextant.serve.wire.search import SearchRequest
from sextant.text.writing import written

API, OPENAPI, DOCS = "/api", "/openapi.json", "/docs"
TITLE = "Sextant"
DESCRIPTION = (
    "Answers that cite what they rest on, from knowledge as documents and as a graph. "
    "Every error is a problem document with a hint. For whom a request asks it may say in its "
    "address, at the top of its body, or in `context` and `user`; two that disagree are refused, "
    "and so is every field that is not listed here, but for more in `context` and `user`."
)
_ROOMS: tuple[Callable[[House], APIRouter], ...] = (
    ask.routes,
    search.routes,
    conversations.routes,
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


class _Door(FastAPI):
    """An app in which problems are answered; for all else that may go wrong there are guards."""

    def build_middleware_stack(self) -> ASGIApp:
        """Return what a request goes through."""
        return ExceptionMiddleware(self.router, handlers=self.exception_handlers)


def open_door(house: House) -> Door:
    """Return the REST door of a house."""
    return Door(
        name="rest",
        paths=(f"{API}/*", OPENAPI, DOCS),
        app=rest_app(house),
        scheme=Bearer(house.identity, house.settings),
        limits=replace(limits_of(house.settings.serve), uploads=frozenset({ingest.PATH})),
        open_paths=(OPENAPI, DOCS),
        index={"rest": API, "openapi": OPENAPI, "docs": DOCS},
    )


def rest_app(house: House) -> FastAPI:
    """Return the app behind the REST door."""
    app = _Door(
        title=TITLE,
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    for routes in _ROOMS:
        app.include_router(routes(house))
    refuse_by_problems(app)
    app.openapi = lambda: openapi_of(app)  # type: ignore[method-assign]
    _describe(app)
    return app


def _describe(app: FastAPI) -> None:
    """Let an app tell what it can do; none of it changes, so it is written out once."""
    document = cache(lambda: written(app.openapi()))
    page = cache(lambda: docs.page(app.openapi()))

    async def show_document(request: Request) -> Response:
        return by_tag(request, document(), JSON, {})

    async def show_page(request: Request) -> Response:
        policy = {"content-security-policy": docs.POLICY}
        return by_tag(request, page(), "text/html", policy)

    app.add_route(OPENAPI, show_document, include_in_schema=False)
    app.add_route(DOCS, show_page, include_in_schema=False)


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
        with_operations(document)
        with_spellings(document, SearchRequest, KnowledgeSearchFilters, RankingPreferences)
        document["security"] = [{"bearer": []}]
        app.openapi_schema = document
    return app.openapi_schema
