"""The REST door, put together from a file for each noun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from starlette.requests import Request
from starlette.responses import Response

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
from sextant.serve.rest.intake import ingest
from sextant.serve.rest.openapi import page as docs
from sextant.serve.rest.openapi.document import openapi_of
from sextant.serve.rest.request.bodies import JSON
from sextant.serve.rest.request.replies import by_tag
from sextant.serve.rest.request.routing import Operations, Router
from sextant.serve.rest.toolbox import catalogue, learning, relations, selecting
from sextant.text.codec.json_bytes import written

API, OPENAPI, DOCS = "/api", "/openapi.json", "/docs"
_ROOMS: tuple[Callable[[House], Operations], ...] = (
    ask.routes,
    search.routes,
    conversations.routes,
    feedback.routes,
    documents.routes,
    entities.routes,
    profiles.routes,
    catalogue.routes,
    selecting.routes,
    learning.routes,
    relations.routes,
    ingest.routes,
    jobs.routes,
    backup.routes,
    status.routes,
)


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


def rest_app(house: House) -> Router:
    """Return what answers at the REST door."""
    operations = [one for routes in _ROOMS for one in routes(house).all]
    router = Router()
    for one in operations:
        router.add(one.method, one.path, one.answer)
    # None of what it tells of itself changes, so it is written out once.
    document = cache(lambda: openapi_of(operations))
    whole = cache(lambda: written(document()))
    page = cache(lambda: docs.page(document()))

    async def show_document(request: Request) -> Response:
        return by_tag(request, whole(), JSON, {})

    async def show_page(request: Request) -> Response:
        return by_tag(request, page(), "text/html", {"content-security-policy": docs.POLICY})

    for method in ("GET", "HEAD"):
        router.add(method, OPENAPI, show_document)
        router.add(method, DOCS, show_page)
    return router
