"""Reading the truth inside one transaction: rows to derive from, and values to hand out."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sextant.stores.arrays.segments.rows import NO_TIME, ChunkRow, DocumentRow, EdgeRow
from sextant.stores.arrays.snapshots.memo import Memo
from sextant.stores.definitions import has_any
from sextant.stores.making import maker
from sextant.stores.sqlite.truth.columns import (
    check_numbers,
    check_texts,
    fields_in,
    text_set_in,
    texts_in,
    texts_once,
)
from sextant.stores.sqlite.truth.pieces import from_blob
from sextant.stores.sqlite.truth.schema import decoding
from sextant.stores.times import moment
from sextant.text.names import normal_name
from sextant.types import Chunk, Definition, Document, Entity, Passage, Pieces

DOCUMENT_COLUMNS = (
    "d.id, d.title, d.url, d.source_type, d.language, d.tags, d.personas, d.created, d.modified, "
    "d.reputation, d.metadata, d.owner, d.key"
)
_STANDING = "FROM chunks c JOIN documents d ON d.row = c.document"
_BATCH = 500
_FLOAT_BYTES = 4
_PASSAGE_BYTES, _SYMBOL_BYTES = 2_500, 300
"""What a value takes in memory beside its text, about."""

_KNOWN_FIELDS = 256
"""Most definitions have the same few metadata."""

CHUNK_COLUMNS = "c.id, c.text, c.span_start, c.span_end, c.headings, c.page, c.entity_ids"

_make_chunk, _make_document, _make_passage = maker(Chunk), maker(Document), maker(Passage)


def _among(
    connection: sqlite3.Connection, statement: str, values: Sequence[Any], rest: str = ""
) -> Iterator[tuple[Any, ...]]:
    """Run a statement for values of any number, which come between it and the rest."""
    for start in range(0, len(values), _BATCH):
        batch = values[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        yield from connection.execute(f"{statement} IN ({marks}) {rest}", batch).fetchall()


def document_rows(
    connection: sqlite3.Connection, low: int, high: int, vectors: str = "vectors"
) -> list[DocumentRow]:
    """Read the living documents whose rows lie in low..high, with all that they contribute."""
    span = (low, high)
    chunks = _chunk_rows(connection, span, vectors)
    names = _names(connection, span)
    edges = _edges(connection, span)
    return [
        DocumentRow(
            row,
            title,
            source_type,
            texts_in(tags),
            texts_in(personas),
            NO_TIME if created is None else created,
            NO_TIME if modified is None else modified,
            tuple(chunks[row]),
            tuple(names[row]),
            tuple(edges[row]),
        )
        for row, title, source_type, tags, personas, created, modified in connection.execute(
            "SELECT row, title, source_type, tags, personas, created, modified FROM documents "
            "WHERE row BETWEEN ? AND ? ORDER BY row",
            span,
        )
    ]


def _chunk_rows(
    connection: sqlite3.Connection, span: tuple[int, int], vectors: str
) -> Mapping[int, list[ChunkRow]]:
    chunks: dict[int, list[ChunkRow]] = defaultdict(list)
    for document, row, name, text, headings, entities, vector in connection.execute(
        "SELECT c.document, c.row, c.id, c.text, c.headings, c.entities, v.vector FROM documents d "
        "JOIN chunks c ON c.row BETWEEN d.first_chunk AND d.first_chunk + d.chunk_count - 1 "
        f"LEFT JOIN {vectors} v ON v.chunk = c.row WHERE d.row BETWEEN ? AND ? ORDER BY c.row",
        span,
    ):
        chunks[document].append(
            ChunkRow(
                row,
                name,
                text,
                texts_in(headings),
                tuple(np.frombuffer(entities, np.int64).tolist()) if entities else (),
                None if vector is None else np.frombuffer(vector, np.float32),
            )
        )
    return chunks


def _names(
    connection: sqlite3.Connection, span: tuple[int, int]
) -> Mapping[int, list[tuple[str, int]]]:
    names: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for document, entity, name, aliases in connection.execute(
        "SELECT document, entity, name, aliases FROM definitions WHERE document BETWEEN ? AND ?",
        span,
    ):
        spellings = {normal_name(spelling) for spelling in (name, *texts_in(aliases))}
        names[document] += [(spelling, entity) for spelling in spellings]
    return names


def _edges(connection: sqlite3.Connection, span: tuple[int, int]) -> Mapping[int, list[EdgeRow]]:
    edges: dict[int, list[EdgeRow]] = defaultdict(list)
    for document, *values in connection.execute(
        "SELECT document, source, target, kind, confidence, weight, chunk FROM contributions "
        "WHERE document BETWEEN ? AND ? ORDER BY document, number",
        span,
    ):
        edges[document].append(EdgeRow(*values))
    return edges


def last_document_row(connection: sqlite3.Connection) -> int:
    """Return the highest document row ever given."""
    found = connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = 'documents'"
    ).fetchone()
    return int(found[0]) if found else 0


def passages(
    connection: sqlite3.Connection, chunk_rows: Sequence[int], known: Memo
) -> dict[int, Passage]:
    """Return the passages of these chunk rows, by row; what a row holds never changes."""
    found: dict[int, Any] = {row: known.get(row) for row in chunk_rows}
    statement = f"SELECT {CHUNK_COLUMNS}, {DOCUMENT_COLUMNS}, c.row {_STANDING} WHERE c.row"
    unread = [row for row, passage in found.items() if passage is None]
    with decoding():
        for *values, row in _among(connection, statement, unread):
            found[row] = passage = _passage(values)
            known.keep(row, passage, _PASSAGE_BYTES + len(passage.chunk.text))
    return found


def passages_by_id(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Passage]:
    """Return the passages of these chunk ids that exist."""
    statement = f"SELECT {CHUNK_COLUMNS}, {DOCUMENT_COLUMNS} {_STANDING} WHERE c.id"
    each = (_passage(row) for row in _among(connection, statement, ids))
    return {passage.chunk.id: passage for passage in each}


def pieces_at(
    connection: sqlite3.Connection, versions: Mapping[str, str]
) -> dict[str, tuple[Document, Pieces]]:
    """Return the pieces of the chunks that stand at these versions, each with its document."""
    statement = (
        f"SELECT c.id, length(v.vector), v.pieces, {DOCUMENT_COLUMNS} {_STANDING} "
        "JOIN vectors v ON v.chunk = c.row WHERE length(v.pieces) > 0 AND c.id"
    )
    found: dict[str, tuple[Document, Pieces]] = {}
    for name, size, blob, *rest in _among(connection, statement, list(versions)):
        pieces = from_blob(blob, size // _FLOAT_BYTES)
        if pieces is not None and rest[-1] == versions[name]:
            found[name] = (document_in(rest), pieces)
    return found


def documents_after(connection: sqlite3.Connection, after: str) -> Iterator[Document]:
    """Yield documents by id."""
    for row in connection.execute(
        f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.id > ? ORDER BY d.id", (after,)
    ):
        yield document_in(row)


def chunk_ids(
    connection: sqlite3.Connection, document_ids: Sequence[str]
) -> dict[str, tuple[Document, list[str]]]:
    """Return documents that exist with their chunk ids in reading order."""
    found: dict[str, tuple[Document, list[str]]] = {}
    statement = (
        f"SELECT d.first_chunk, d.chunk_count, {DOCUMENT_COLUMNS} FROM documents d WHERE d.id"
    )
    for first, count, *rest in _among(connection, statement, document_ids):
        own = connection.execute(
            "SELECT id FROM chunks WHERE row BETWEEN ? AND ? ORDER BY row",
            (first, first + count - 1),
        )
        names = [name for (name,) in own]
        check_texts(*names)
        found[rest[0]] = (document_in(rest), names)
    return found


def numbers_of(connection: sqlite3.Connection, values: Sequence[str]) -> dict[str, int]:
    """Return the numbers of the symbols that exist."""
    return dict(_among(connection, "SELECT value, row FROM symbols WHERE value", values))


def values_of(
    connection: sqlite3.Connection, numbers: Sequence[int], known: Memo
) -> dict[int, str]:
    """Return the symbols behind numbers; a number never comes to mean another.

    They are known under what is less than 0, to keep clear of chunk rows.
    """
    found: dict[int, Any] = {number: known.get(-number) for number in numbers}
    unread = [number for number, value in found.items() if value is None]
    for number, value in _among(connection, "SELECT row, value FROM symbols WHERE row", unread):
        check_texts(value)
        found[number] = value
        known.keep(-number, value, _SYMBOL_BYTES + len(value))
    return found


def document_numbers(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
    """Return the rows of the documents that exist."""
    return dict(_among(connection, "SELECT id, row FROM documents WHERE id", ids))


def chunk_numbers(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
    """Return the rows of the chunks that exist."""
    return dict(_among(connection, "SELECT id, row FROM chunks WHERE id", ids))


def document_ids(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """Return the ids of the documents in these rows."""
    return dict(_among(connection, "SELECT row, id FROM documents WHERE row", numbers))


_DEFINITION = "s.value, e.name, e.type, e.aliases, e.metadata, d.id, d.reputation, d.personas"
_DEFINED = (
    "FROM symbols s JOIN definitions e ON e.entity = s.row JOIN documents d ON d.row = e.document"
)


def definitions_after(
    connection: sqlite3.Connection, after: str, unless: Mapping[str, frozenset[str]]
) -> Iterator[Definition]:
    """Yield each definition by entity and document id; unless leaves some out by their metadata."""

    # SQLite's own JSON functions read some names and values otherwise than they were written.
    @lru_cache(_KNOWN_FIELDS)
    def left_out(metadata: str) -> bool:
        return has_any(fields_in(metadata), unless)

    connection.create_function("left_out", 1, left_out, deterministic=True)
    for row in connection.execute(
        f"SELECT {_DEFINITION} {_DEFINED} WHERE s.value > ? AND NOT left_out(e.metadata) "
        "ORDER BY s.value, d.id",
        (after,),
    ):
        yield _definition(row)


def definitions(
    connection: sqlite3.Connection, numbers: Sequence[int]
) -> Iterator[tuple[int, Definition]]:
    """Yield each definition of these entities, with the entity's number."""
    statement = f"SELECT e.entity, {_DEFINITION} {_DEFINED} WHERE e.entity"
    for number, *row in _among(connection, statement, numbers):
        yield number, _definition(row)


def wordings(
    connection: sqlite3.Connection, numbers: Sequence[int]
) -> Iterator[tuple[int, Entity]]:
    """Yield all that is said of these entities, each once, with the entity's number."""
    statement = (
        "SELECT DISTINCT e.entity, s.value, e.name, e.type, e.aliases, e.metadata "
        "FROM symbols s JOIN definitions e ON e.entity = s.row WHERE e.entity"
    )
    for number, *said in _among(connection, statement, numbers):
        yield number, entity_in(said)


def first_definitions(
    connection: sqlite3.Connection, numbers: Sequence[int]
) -> Iterator[tuple[int, Definition]]:
    """Yield definitions; of those that differ by nothing but the document's id only the first."""
    columns = _DEFINITION.replace("d.id", "min(d.id)")
    statement = f"SELECT e.entity, {columns} {_DEFINED} WHERE e.entity"
    alike = "GROUP BY e.entity, e.name, e.type, e.aliases, e.metadata, d.reputation, d.personas"
    for number, *row in _among(connection, statement, numbers, alike):
        yield number, _definition(row)


def _definition(row: Sequence[Any]) -> Definition:
    check_texts(row[5])
    check_numbers(row[6])
    return Definition(entity_in(row), row[5], row[6], text_set_in(row[7]))


def entity_in(row: Sequence[Any]) -> Entity:
    """Return the entity that a row holds: its id, name, type, aliases and metadata."""
    check_texts(row[0], row[1], row[2])
    return Entity(row[0], row[1], row[2], text_set_in(row[3]), fields_in(row[4]))


def document_in(row: Sequence[Any]) -> Document:
    """Return the document that the columns of a document hold."""
    check_texts(row[0], row[1], row[2], row[3], row[4], row[11], row[12])
    check_numbers(row[9])
    return _make_document(
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
        text_set_in(row[5]),
        text_set_in(row[6]),
        moment(row[7]),
        moment(row[8]),
        row[9],
        fields_in(row[10]),
        row[11],
    )


def _passage(row: Sequence[Any]) -> Passage:
    return _make_passage(chunk_in(row), document_in(row[7:]), row[-1])


def chunk_in(row: Sequence[Any]) -> Chunk:
    """Return the chunk that the columns of a chunk hold."""
    check_texts(row[0], row[1])
    check_numbers(row[2], row[3], row[5])
    entity_ids = texts_once(row[6])
    return _make_chunk(row[0], row[1], row[2], row[3], texts_in(row[4]), row[5], entity_ids)
