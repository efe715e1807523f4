"""What of the truth a scope sees, by id and without arrays."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Mapping, Sequence

from sextant.stores.arrays.snapshots.view import EVERYTHING, Viewer
from sextant.stores.sqlite.reads.entities import sees
from sextant.stores.sqlite.truth import rows
from sextant.stores.sqlite.truth.units import unit
from sextant.types import Definition, Document, Passage, Pieces, Put, Scope


def viewer_of(scope: Scope) -> Viewer:
    """Return through whose eyes the scope looks."""
    return EVERYTHING if scope.sees_all else scope.personas


def passages(
    connection: sqlite3.Connection, scope: Scope, ids: Sequence[str]
) -> dict[str, Passage]:
    """Return the passages of these chunks."""
    found = rows.passages_by_id(connection, ids)
    return {name: one for name, one in found.items() if scope.sees(one.document)}


def pieces(
    connection: sqlite3.Connection, scope: Scope, versions: Mapping[str, str]
) -> dict[str, Pieces]:
    """Return the pieces of the chunks that stand at these versions."""
    found = rows.pieces_at(connection, versions)
    return {name: own for name, (one, own) in found.items() if scope.sees(one)}


def page(connection: sqlite3.Connection, scope: Scope, after: str, limit: int) -> list[Document]:
    """Return the next documents by id."""
    seen = (one for one in rows.documents_after(connection, after) if scope.sees(one))
    return list(itertools.islice(seen, limit))


def chunk_ids(
    connection: sqlite3.Connection, scope: Scope, ids: Sequence[str]
) -> dict[str, list[str]]:
    """Return the chunk ids of these documents, in reading order."""
    found = rows.chunk_ids(connection, ids)
    return {name: own for name, (one, own) in found.items() if scope.sees(one)}


def units(connection: sqlite3.Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Put]:
    """Return these documents, each as it could be written again."""
    known = rows.document_numbers(connection, ids)
    found = {name: unit(connection, name) for name in known}
    return {name: one for name, one in found.items() if scope.sees(one.document)}


def definitions(
    connection: sqlite3.Connection,
    scope: Scope,
    after: str,
    limit: int,
    unless: Mapping[str, frozenset[str]],
) -> list[Definition]:
    """Return every definition of the next entities by id."""
    viewer = viewer_of(scope)
    page: list[Definition] = []
    ids: set[str] = set()
    for definition in rows.definitions_after(connection, after, unless):
        if sees(viewer, definition.personas):
            ids.add(definition.entity.id)
            if len(ids) > limit:
                break
            page.append(definition)
    return page
