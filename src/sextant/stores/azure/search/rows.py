"""Rows of the index: what is kept of a unit of work, and the passage that a row stands for."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sextant.errors import InvalidInput, NotAStore
from sextant.stores.azure.search.definition import CONTENT, ENTITIES, KEY, TITLE, URL, VECTOR
from sextant.stores.azure.search.keys import chunk_id_in, encode_key
from sextant.stores.sqlite.truth.pieces import from_blob, to_blob
from sextant.text.codec.decode import loads, shaped
from sextant.text.codec.encode import plain_of
from sextant.types import Chunk, Document, Passage, Pieces, Put

Row = dict[str, Any]
SHOWN = [CONTENT, "version", "passage", "hasVector"]
"""The fields that a passage is made of."""
SEED_SHOWN = [KEY, CONTENT, TITLE, URL, ENTITIES]
"""The fields that a passage of somebody else's index is made of."""


def unit_rows(tenant: str, unit: Put, changes: int, change: int) -> Iterator[Row]:
    """Yield the rows of a unit: one for the document, which is counted, and one for each chunk."""
    own = _document_row(tenant, unit) | {"changes": changes, "change": change}
    yield {KEY: encode_key("document", tenant, unit.document.id, f"{change:x}"), **own}
    for at, chunk in enumerate(unit.chunks):
        yield {**own, **_chunk_row(tenant, unit, at, chunk, change)}


def _document_row(tenant: str, unit: Put) -> Row:
    document = unit.document
    return {
        "tenant": tenant,
        "documentId": document.id,
        "version": unit.key,
        "tags": sorted(document.tags),
        "personas": sorted(document.personas),
        "sourceType": document.source_type,
        "language": document.language or None,
        "created": _written(document.created),
        "modified": _written(document.modified),
        "reputation": document.reputation,
    }


def _chunk_row(tenant: str, unit: Put, at: int, chunk: Chunk, change: int) -> Row:
    document = unit.document
    passage = {"document": plain_of(document), "chunk": plain_of(replace(chunk, text=""))}
    row: Row = {
        KEY: encode_key("chunk", tenant, chunk.id, f"{change:x}"),
        "chunkId": chunk.id,
        CONTENT: chunk.text,
        TITLE: document.title,
        "headings": list(chunk.headings),
        URL: document.url,
        ENTITIES: list(chunk.entity_ids),
        "hasVector": unit.vectors is not None,
        "passage": json.dumps(passage, ensure_ascii=False, separators=(",", ":")),
    }
    if unit.vectors is not None:
        row[VECTOR] = [float(one) for one in unit.vectors[at]]
    blob = to_blob(unit.pieces[at]) if unit.pieces else None
    if blob:
        row["pieces"] = b64encode(blob).decode("ascii")
    return row


def _written(moment: datetime | None) -> str | None:
    """Return a moment as AI Search takes it; it keeps milliseconds, the passage all of it."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


def passage_in(row: Mapping[str, Any]) -> Passage:
    """Return the passage that a row of ours stands for."""
    try:
        kept = loads(row["passage"])
        document = shaped(Document, kept["document"])
        chunk = shaped(Chunk, kept["chunk"])
        return Passage(replace(chunk, text=row[CONTENT]), document, row["version"])
    except (InvalidInput, KeyError, TypeError):
        raise NotAStore(
            "A row of the index in AI Search was not written by Sextant.",
            "Give Sextant an index of its own in azure.search_index, or set azure.read_only.",
        ) from None


def seed_passage_in(row: Mapping[str, Any]) -> Passage:
    """Return the passage that a row of somebody else's stands for; its key is its version too."""
    own = chunk_id_in(row[KEY])
    text, entities = row.get(CONTENT) or "", tuple(row.get(ENTITIES) or ())
    document = Document(own.partition("#")[0], row.get(TITLE) or "", row.get(URL) or "")
    return Passage(Chunk(own, text, 0, len(text), entity_ids=entities), document, row[KEY])


def pieces_in(row: Mapping[str, Any], width: int) -> Pieces | None:
    """Return the pieces that a row keeps, if it has any."""
    kept = row.get("pieces")
    return from_blob(b64decode(kept), width) if kept else None
