"""A unit of work out of the truth, whole: a document with all that it contributed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sextant.stores.sqlite.truth.changes import WEIGHT_UNIT
from sextant.stores.sqlite.truth.columns import check_numbers, check_texts
from sextant.stores.sqlite.truth.pieces import from_blob
from sextant.stores.sqlite.truth.rows import (
    CHUNK_COLUMNS,
    DOCUMENT_COLUMNS,
    chunk_in,
    document_in,
    entity_in,
)
from sextant.types import Chunk, Entity, Pieces, Put, Relation


def unit(connection: sqlite3.Connection, document_id: str) -> Put:
    """Return a document and all that it contributes, as it could be written again."""
    columns = f"d.row, d.first_chunk, d.chunk_count, {DOCUMENT_COLUMNS}"
    row, first, count, *rest = connection.execute(
        f"SELECT {columns} FROM documents d WHERE d.id = ?",
        (document_id,),
    ).fetchone()
    chunks = tuple(
        chunk_in(chunk)
        for chunk in connection.execute(
            f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.row BETWEEN ? AND ? ORDER BY c.row",
            (first, first + count - 1),
        )
    )
    vectors, pieces = _vectors(connection, first, count)
    return Put(
        document_in(rest),
        chunks,
        tuple(_entities(connection, row)),
        tuple(_relations(connection, row, chunks)),
        vectors,
        rest[-1],
        pieces=pieces,
    )


def _entities(connection: sqlite3.Connection, row: int) -> Iterator[Entity]:
    for said in connection.execute(
        "SELECT s.value, e.name, e.type, e.aliases, e.metadata FROM definitions e "
        "JOIN symbols s ON s.row = e.entity WHERE e.document = ? ORDER BY s.value",
        (row,),
    ):
        yield entity_in(said)


def _relations(
    connection: sqlite3.Connection, row: int, chunks: Sequence[Chunk]
) -> Iterator[Relation]:
    for source, target, kind, confidence, weight, chunk, name in connection.execute(
        "SELECT s.value, t.value, k.value, confidence, weight, chunk, id FROM contributions "
        "JOIN symbols s ON s.row = source JOIN symbols t ON t.row = target "
        "JOIN symbols k ON k.row = kind WHERE document = ? ORDER BY number",
        (row,),
    ):
        check_texts(source, target, kind, name)
        check_numbers(confidence, weight)
        evidence = () if chunk < 0 else (chunks[chunk].id,)
        weight /= WEIGHT_UNIT
        yield Relation(source, target, kind, confidence, weight, evidence, id=name)


def _vectors(
    connection: sqlite3.Connection, first: int, count: int
) -> tuple[NDArray[np.float32] | None, tuple[Pieces | None, ...] | None]:
    blobs = connection.execute(
        "SELECT vector, pieces FROM vectors WHERE chunk BETWEEN ? AND ? ORDER BY chunk",
        (first, first + count - 1),
    ).fetchall()
    if not blobs:
        return None, None
    vectors = np.stack([np.frombuffer(vector, np.float32) for vector, _ in blobs])
    pieces = tuple(from_blob(own, vectors.shape[1]) for _, own in blobs)
    return vectors, None if all(own is None for own in pieces) else pieces
