"""Documents: list them, read one with its chunks, delete one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.core import Sextant
from sextant.errors import NotFound
from sextant.limits import DEFAULT
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.listing import listed
from sextant.serve.rest.openapi.schemas import kept, problems
from sextant.serve.rest.request.common_parameters import After, All, For, Limit, to_read, visit_of
from sextant.serve.rest.request.parameters import in_path
from sextant.serve.rest.request.replies import linked, next_link, paged, tagged
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.knowledge import DocumentPage, DocumentsPage, chunk_of, document_of
from sextant.types import Document, Scope, is_own

DocumentId = Annotated[
    str,
    in_path(),
    Field(
        max_length=DEFAULT.id,
        description="Percent-encoded where it holds more than letters, digits, `/`, `.`, `-`, `_`.",
        examples=["runbooks/service-a.md"],
    ),
]


def routes(house: House) -> Operations:
    """Return what can be done with documents."""
    operations = Operations("knowledge")
    _list(operations, house)
    _get(operations, house)
    _delete(operations, house)
    return operations


def _list(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/documents",
        operation_id="listDocuments",
        summary="List documents by id",
        responses={
            **kept(DocumentsPage, "A page of documents."),
            **problems(),
        },
    )
    async def list_documents(
        request: Request, wanted: For, after: After = "", limit: Limit = 100, is_all: All = False
    ) -> Response:
        """List the documents that the caller sees, from the first one after an id."""
        role = to_read(is_all)
        scope = house.enter(visit_of(request), wanted, role, "list documents", after)
        found = await listed(house.sextant.store.truth, scope, after, limit + 1)
        page, there = paged(request, found, limit)
        value = {"documents": [document_of(one, scope) for one in page], "next": there}
        return tagged(request, value, next_link(there))


def _get(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/documents/{document_id:path}",
        operation_id="getDocument",
        summary="Read a document and its chunks",
        responses={
            **kept(DocumentPage, "The document, and a page of its chunks."),
            **problems(404),
        },
    )
    async def get_document(
        request: Request,
        wanted: For,
        document_id: DocumentId,
        after: After = "",
        limit: Limit = 100,
        is_all: All = False,
    ) -> Response:
        """Read a document's fields, and its chunks in reading order, page by page."""
        role = to_read(is_all)
        scope = house.enter(visit_of(request), wanted, role, "read document", document_id)
        chunk_ids = await _chunk_ids(house.sextant, scope, document_id)
        page = _page(chunk_ids, after, limit)
        value = await _read(house.sextant, scope, document_id, chunk_ids[:1], page)
        there = None
        if page and page[-1] != chunk_ids[-1]:
            there = linked(request, after=page[-1])
        if not after:
            await house.sextant.opened(scope, [document_id])
        value |= {"chunkCount": len(chunk_ids), "next": there}
        return tagged(request, value, next_link(there))


def _delete(operations: Operations, house: House) -> None:
    @operations.on(
        "DELETE",
        "/api/documents/{document_id:path}",
        operation_id="deleteDocument",
        summary="Delete a document and all that it brought",
        responses={204: {"description": "It is gone."}, **problems(404, 409)},
    )
    async def delete_document(
        request: Request, wanted: For, document_id: DocumentId, is_all: All = False
    ) -> Response:
        """Delete a document that the caller sees: its chunks, names, relations and links to it."""
        visit = visit_of(request)
        scope = house.enter(visit, wanted, Role.WRITE, "delete document", document_id)
        if is_all:
            scope = house.enter(visit, wanted, Role.ADMIN, "delete document", document_id)
        await _chunk_ids(house.sextant, scope, document_id)
        if not await house.sextant.remove(scope, [document_id]):
            raise unknown(document_id)
        return Response(status_code=204)


def unknown(document_id: str) -> NotFound:
    """Return that there is no such document, as far as the caller sees."""
    return NotFound(
        f"There is no document {document_id[:80]!r}.", "See GET /api/documents for those there are."
    )


async def _chunk_ids(sextant: Sextant, scope: Scope, document_id: str) -> Sequence[str]:
    """Return the ids of a document's chunks in reading order."""
    is_any = document_id and not is_own(document_id)
    found = await sextant.store.truth.chunk_ids(scope, [document_id]) if is_any else {}
    if document_id not in found:
        raise unknown(document_id)
    return found[document_id]


def _page(chunk_ids: Sequence[str], after: str, limit: int) -> Sequence[str]:
    if not after:
        return chunk_ids[:limit]
    if after not in chunk_ids:
        raise NotFound("The document has no such chunk any more.", "Begin without after.")
    start = chunk_ids.index(after) + 1
    return chunk_ids[start : start + limit]


async def _read(
    sextant: Sextant, scope: Scope, document_id: str, first: Sequence[str], page: Sequence[str]
) -> dict[str, Any]:
    """Return a document and some of its chunks as plain values."""
    passages = await sextant.store.truth.passages(scope, list(dict.fromkeys([*first, *page])))
    if not passages:
        return await _without_chunks(sextant, scope, document_id)
    any_one = next(iter(passages.values()))
    chunks = [chunk_of(passages[name].chunk) for name in page if name in passages]
    return _value(scope, any_one.document, any_one.version, chunks)


async def _without_chunks(sextant: Sextant, scope: Scope, document_id: str) -> dict[str, Any]:
    found = await sextant.store.truth.units(scope, [document_id])
    if document_id not in found:
        raise unknown(document_id)
    return _value(scope, found[document_id].document, found[document_id].key, [])


def _value(
    scope: Scope, document: Document, version: str, chunks: list[dict[str, Any]]
) -> dict[str, Any]:
    return {"document": document_of(document, scope), "version": version, "chunks": chunks}
