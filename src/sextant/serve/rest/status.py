"""GET /api/status: how much there is, and for who runs it, how the store is."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sextant.ports import Store, names_by_part
from sextant.serve.house import House
from sextant.serve.rest.openapi.schemas import kept, problems
from sextant.serve.rest.request.common_parameters import All, For, to_read, visit_of
from sextant.serve.rest.request.replies import tagged
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.common.models import Wire
from sextant.serve.wire.knowledge import CountsShape, counts_of
from sextant.types import Facets, Scope
from sextant.version import __version__


class StoreShape(Wire):
    """How the tenant's store is, and what its parts promise; no problems means that it is well."""

    commit: int
    format: int
    bytes_on_disk: int
    embedder: str
    language: str
    problems: list[str]
    documents_behind: int
    chunks_without_vectors: int
    abilities: dict[str, list[str]]
    lacking: dict[str, list[str]]


class StatusShape(Wire):
    """How much the caller sees, by tag and source type too."""

    version: str
    tenant: str
    counts: CountsShape
    tags: dict[str, int]
    source_types: dict[str, int]
    store: StoreShape | None


def routes(house: House) -> Operations:
    """Return what can be known of the whole."""
    operations = Operations("knowledge")
    sextant = house.sextant

    @operations.on(
        "GET",
        "/api/status",
        operation_id="status",
        summary="Count what there is",
        responses={
            **kept(StatusShape, "How much there is."),
            **problems(),
        },
    )
    async def status(request: Request, wanted: For, is_all: All = False) -> Response:
        """Count documents, chunks, entities and relations, as far as the caller sees."""
        scope = house.enter(visit_of(request), wanted, to_read(is_all), "status")
        value = {
            "version": __version__,
            "tenant": scope.tenant,
            "counts": counts_of(await sextant.store.truth.counts(scope)),
            **_facets(await sextant.store.index.facets(scope)),
            "store": await _store(sextant.store, scope) if is_all else None,
        }
        return tagged(request, value)

    return operations


def _facets(facets: Facets) -> dict[str, Any]:
    return {
        "tags": dict(sorted(facets.tags.items())),
        "sourceTypes": dict(sorted(facets.source_types.items())),
    }


async def _store(store: Store, scope: Scope) -> dict[str, Any]:
    status = await store.admin.status(scope)
    embedder = status.embedder
    return {
        "commit": status.commit,
        "format": status.format,
        "bytesOnDisk": status.bytes_on_disk,
        "embedder": f"{embedder.name} ({embedder.width})" if embedder else "",
        "language": status.language,
        "problems": list(status.problems),
        "documentsBehind": status.documents_behind,
        "chunksWithoutVectors": status.unembedded_chunks,
        "abilities": names_by_part(store.abilities),
        "lacking": names_by_part(store.lacking),
    }
