"""Documents and entities as resources: addresses, pages of them, and what each holds."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import quote, unquote

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from sextant.errors import InvalidInput, NotFound
from sextant.serve.around import Graph, entity_page
from sextant.serve.listing import Shelf, listed
from sextant.serve.wire.knowledge import document_of
from sextant.text.codec.json_bytes import shown_json
from sextant.text.markdown import printable
from sextant.types import Chunk, Document, Put, Scope, is_own

DOCUMENTS, ENTITIES = "sextant://documents/", "sextant://entities/"
_PAGE = 100
_RELATIONS = 50
_TEMPLATES = (
    ResourceTemplate(
        uri_template=f"{DOCUMENTS}{{id}}",
        name="document",
        title="Document",
        description="A document by its percent-encoded id: its text, then its metadata as JSON.",
    ),
    ResourceTemplate(
        uri_template=f"{ENTITIES}{{id}}",
        name="entity",
        title="Entity",
        description="An entity by its percent-encoded id: names, metadata and relations as JSON.",
        mime_type="application/json",
    ),
)


class Documents(Shelf, Protocol):
    """What is asked of a store."""

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        """Return documents with their chunks."""


def templates() -> ListResourceTemplatesResult:
    """Return what addresses look like."""
    return ListResourceTemplatesResult(resource_templates=list(_TEMPLATES))


async def page(shelf: Documents, scope: Scope, cursor: str | None) -> ListResourcesResult:
    """Return some documents by id, and where the next ones are."""
    found = await listed(shelf, scope, _after(cursor), _PAGE)
    more = _cursor(found[-1].id) if len(found) == _PAGE else None
    return ListResourcesResult(resources=[_listed(one) for one in found], next_cursor=more)


async def read(shelf: Documents, graph: Graph, scope: Scope, uri: str) -> ReadResourceResult:
    """Return what an address holds."""
    if uri.startswith(DOCUMENTS):
        name = unquote(uri.removeprefix(DOCUMENTS))
        unit = (await shelf.units(scope, [name])).get(name) if name else None
        if unit is not None and not is_own(name):
            return _document(uri, unit, scope)
    elif uri.startswith(ENTITIES):
        name = unquote(uri.removeprefix(ENTITIES))
        entity = (await graph.entities(scope, [name])).get(name) if name else None
        if entity is not None:
            found = await entity_page(graph, scope, entity, _RELATIONS)
            return ReadResourceResult(contents=[_json(uri, found)])
    raise NotFound("There is no such resource.", "List resources to see which there are.")


def _document(uri: str, unit: Put, scope: Scope) -> ReadResourceResult:
    text = TextResourceContents(uri=uri, mime_type="text/plain", text=joined(unit.chunks))
    return ReadResourceResult(contents=[text, _json(uri, document_of(unit.document, scope))])


def joined(chunks: Sequence[Chunk]) -> str:
    """Return the text of chunks in reading order, what two of them share once."""
    parts: list[str] = []
    end = -1
    for chunk in chunks:
        if chunk.start < end:
            parts.append(chunk.text[end - chunk.start :])
        else:
            parts += ["\n\n", chunk.text] if parts else [chunk.text]
        end = max(end, chunk.end)
    return "".join(parts)


def _json(uri: str, value: Any) -> TextResourceContents:
    return TextResourceContents(uri=uri, mime_type="application/json", text=shown_json(value))


def _listed(document: Document) -> Resource:
    return Resource(
        uri=f"{DOCUMENTS}{quote(document.id, safe='')}",
        name=printable(document.id),
        title=printable(document.title) or None,
        description=printable(document.url) or None,
        mime_type="text/plain",
    )


def _cursor(last: str) -> str:
    return base64.urlsafe_b64encode(last.encode()).decode()


def _after(cursor: str | None) -> str:
    try:
        return base64.b64decode(cursor or "", altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise InvalidInput("Unknown cursor.", "Start again without `cursor`.") from None
