"""Writing units of work into the truth. Runs inside one transaction; knows no arrays."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sextant.limits import check_embedded
from sextant.stores.arrays.segments.rows import NO_TIME
from sextant.stores.digest import unit_key
from sextant.stores.refusals import chunk_taken, document_moved_on
from sextant.stores.sqlite.truth.feed import note_removed, note_written
from sextant.stores.sqlite.truth.pieces import to_blob
from sextant.stores.sqlite.truth.schema import state
from sextant.stores.times import microseconds
from sextant.types import Change, Chunk, Put, Receipt, Relation, Remove

WEIGHT_UNIT = 1_000_000
"""Weights are kept in millionths, since whole numbers add up the same in any order."""

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_BATCH = 500


def write_changes(
    connection: sqlite3.Connection, changes: Sequence[Change], width: int
) -> tuple[Receipt, int]:
    """Apply a batch; return its receipt and how many chunks the arrays have yet to take in."""
    before, _, tail = state(connection)
    commit = before + 1
    _check_versions(connection, changes)
    tally = dict.fromkeys(("written", "unchanged", "removed", "missing"), 0)
    new: list[tuple[Put, str]] = []
    for change in changes:
        if isinstance(change, Remove):
            removed = _remove(connection, change.document_id, commit)
            tally["removed" if removed else "missing"] += 1
            if removed:
                note_removed(connection, change.document_id, commit)
        elif _is_known(connection, change, key := unit_key(change)):
            tally["unchanged"] += 1
        else:
            _remove(connection, change.document.id, commit)
            new.append((change, key))
    used = [_symbols(put) for put, _ in new]
    numbers = _intern(connection, Counter(itertools.chain.from_iterable(used)))
    for (put, key), symbols in zip(new, used, strict=True):
        own = {symbol: numbers[symbol] for symbol in symbols}
        _put(connection, put, key, commit, width, own)
        tally["written"] += 1
        tail += len(put.chunks)
    if not (tally["written"] or tally["removed"]):
        return Receipt(before, before, **tally), tail
    connection.execute("UPDATE state SET commit_number = ?, tail_chunks = ?", (commit, tail))
    return Receipt(commit, before, **tally), tail


def _check_versions(connection: sqlite3.Connection, changes: Sequence[Change]) -> None:
    """Refuse a change over another version than the one that is there."""
    for change in changes:
        if change.over is not None:
            by_id = (change.document_id,)
            found = connection.execute("SELECT key FROM documents WHERE id = ?", by_id).fetchone()
            if change.over != (found[0] if found else ""):
                raise document_moved_on()


def _is_known(connection: sqlite3.Connection, put: Put, key: str) -> bool:
    """Whether this version is there, with vectors if it brings any."""
    found = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM unembedded WHERE document = row) FROM documents "
        "WHERE id = ? AND key = ?",
        (put.document.id, key),
    ).fetchone()
    return found is not None and (put.vectors is None or not found[0])


def _put(
    connection: sqlite3.Connection,
    put: Put,
    key: str,
    commit: int,
    width: int,
    numbers: Mapping[str, int],
) -> None:
    note_written(connection, put.document.id)
    first = _next_row(connection, "chunks")
    document = _insert_document(connection, put, key, commit, first, numbers)
    _insert_chunks(connection, put.chunks, document, first, numbers)
    if put.chunks and put.vectors is None:
        connection.execute("INSERT INTO unembedded VALUES (?)", (document,))
    _insert_vectors(connection, put, first, width)
    _insert_definitions(connection, put, document, numbers)
    _insert_contributions(connection, put, document, numbers)


def _remove(connection: sqlite3.Connection, document_id: str, commit: int) -> bool:
    found = connection.execute(
        "SELECT row, first_chunk, chunk_count, symbols FROM documents WHERE id = ?", (document_id,)
    ).fetchone()
    if found is None:
        return False
    row, first, count, symbols = found
    chunks = (first, first + count - 1)
    connection.execute("DELETE FROM chunks WHERE row BETWEEN ? AND ?", chunks)
    connection.execute("DELETE FROM vectors WHERE chunk BETWEEN ? AND ?", chunks)
    connection.execute("DELETE FROM next_vectors WHERE chunk BETWEEN ? AND ?", chunks)
    connection.execute("DELETE FROM unembedded WHERE document = ?", (row,))
    connection.execute("DELETE FROM definitions WHERE document = ?", (row,))
    connection.execute("DELETE FROM contributions WHERE document = ?", (row,))
    connection.execute("DELETE FROM documents WHERE row = ?", (row,))
    used = [(number,) for number in np.frombuffer(symbols, np.int64).tolist()]
    connection.executemany("UPDATE symbols SET uses = uses - 1 WHERE row = ?", used)
    connection.executemany("DELETE FROM symbols WHERE row = ? AND uses = 0", used)
    connection.execute("INSERT INTO retired VALUES (?, ?)", (row, commit))
    return True


def _symbols(put: Put) -> set[str]:
    """Every string of the unit that arrays hold as a number."""
    symbols = {entity.id for entity in put.entities}
    symbols.update(name for chunk in put.chunks for name in chunk.entity_ids)
    for relation in put.relations:
        symbols.update((relation.source, relation.target, relation.kind))
    return symbols


def _intern(connection: sqlite3.Connection, uses: Mapping[str, int]) -> dict[str, int]:
    """Number the symbols, and count in how many more documents each is used."""
    values = sorted(uses)
    known: dict[str, int] = {}
    for start in range(0, len(values), _BATCH):
        batch = values[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        statement = f"SELECT value, row FROM symbols WHERE value IN ({marks})"  # noqa: S608 - marks
        known |= connection.execute(statement, batch).fetchall()
    connection.executemany(
        "UPDATE symbols SET uses = uses + ? WHERE row = ?",
        [(uses[value], row) for value, row in known.items()],
    )
    new = [value for value in values if value not in known]
    numbered = dict(zip(new, itertools.count(_next_row(connection, "symbols")), strict=False))
    connection.executemany(
        "INSERT INTO symbols VALUES (?, ?, ?)",
        [(row, value, uses[value]) for value, row in numbered.items()],
    )
    return known | numbered


def _next_row(connection: sqlite3.Connection, table: str) -> int:
    found = connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)
    ).fetchone()
    return (found[0] if found else 0) + 1


def _insert_document(
    connection: sqlite3.Connection,
    put: Put,
    key: str,
    commit: int,
    first_chunk: int,
    numbers: Mapping[str, int],
) -> int:
    document = put.document
    created, modified = microseconds(document.created), microseconds(document.modified)
    cursor = connection.execute(
        "INSERT INTO documents (id, key, commit_number, title, url, source_type, language, tags, "
        "personas, created, modified, reputation, metadata, first_chunk, chunk_count, symbols, "
        "owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            document.id,
            key,
            commit,
            document.title,
            document.url,
            document.source_type,
            document.language,
            _json(sorted(document.tags)),
            _json(sorted(document.personas)),
            None if created == NO_TIME else created,
            None if modified == NO_TIME else modified,
            float(document.reputation),
            _json(dict(sorted(document.metadata.items()))),
            first_chunk,
            len(put.chunks),
            np.array(sorted(numbers.values()), np.int64).tobytes(),
            document.owner,
        ),
    )
    return int(cursor.lastrowid or 0)


def _insert_chunks(
    connection: sqlite3.Connection,
    chunks: Sequence[Chunk],
    document: int,
    first: int,
    numbers: Mapping[str, int],
) -> None:
    rows = (
        (
            first + at,
            document,
            chunk.id,
            chunk.text,
            chunk.start,
            chunk.end,
            _json(chunk.headings),
            chunk.page,
            _json(chunk.entity_ids),
            np.array([numbers[name] for name in chunk.entity_ids], np.int64).tobytes(),
        )
        for at, chunk in enumerate(chunks)
    )
    try:
        connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    except sqlite3.IntegrityError:
        raise chunk_taken() from None


def _insert_vectors(connection: sqlite3.Connection, put: Put, first: int, width: int) -> None:
    vectors, pieces = check_embedded(put, width)
    if vectors is not None:
        each = zip(vectors, pieces or (None,) * len(vectors), strict=True)
        rows = ((first + at, one.tobytes(), to_blob(own)) for at, (one, own) in enumerate(each))
        connection.executemany("INSERT INTO vectors VALUES (?, ?, ?)", rows)


def _insert_definitions(
    connection: sqlite3.Connection, put: Put, document: int, numbers: Mapping[str, int]
) -> None:
    connection.executemany(
        "INSERT INTO definitions VALUES (?, ?, ?, ?, ?, ?)",
        (
            (
                numbers[entity.id],
                document,
                entity.name,
                entity.type,
                _json(sorted(entity.aliases)),
                _json(dict(sorted(entity.metadata.items()))),
            )
            for entity in put.entities
        ),
    )


def _insert_contributions(
    connection: sqlite3.Connection, put: Put, document: int, numbers: Mapping[str, int]
) -> None:
    place = {chunk.id: at for at, chunk in enumerate(put.chunks)}
    each = [(relation, chunk) for relation in put.relations for chunk in _evidence(relation, place)]
    connection.executemany(
        "INSERT INTO contributions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                document,
                at,
                numbers[relation.source],
                numbers[relation.target],
                numbers[relation.kind],
                float(relation.confidence),
                round(relation.weight * WEIGHT_UNIT),
                chunk,
                relation.id,
            )
            for at, (relation, chunk) in enumerate(each)
        ),
    )


def _evidence(relation: Relation, place: Mapping[str, int]) -> list[int]:
    return [place[chunk_id] for chunk_id in dict.fromkeys(relation.evidence)] or [-1]


def _json(values: Sequence[str] | Mapping[str, str]) -> str:
    if values:
        return _ENCODE(values)
    return "{}" if isinstance(values, Mapping) else "[]"
