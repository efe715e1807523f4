"""Making the arrays anew from the truth, and the vectors with another embedder.

New vectors gather in a table of their own, batch by batch; whoever stops a rebuild can go on with
it. Queries use the old ones until all new segments are written; then all changes in one commit.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol

from sextant.errors import StoreBusy
from sextant.limits import check_vectors
from sextant.ports import Embedder, Progress
from sextant.stores.arrays.derive import derive
from sextant.stores.arrays.lists import Array
from sextant.stores.sqlite.maintain import Written, clear_rubbish, list_segments, write_file
from sextant.stores.sqlite.rows import document_rows, last_document_row
from sextant.stores.sqlite.schema import turn
from sextant.stores.sqlite.tenant import Tenant, analysis_name, analysis_of, embedder_name
from sextant.text.passages import embedding_text
from sextant.types import EmbedderIdentity

_EMBED_BATCH = 32
_DERIVE_CHUNKS = 20_000


class Run(Protocol):
    """Runs blocking work off the event loop."""

    def __call__(self, task: Callable[..., Any], *arguments: object) -> Awaitable[Any]:
        """Return what the task returns."""


@dataclass(frozen=True, slots=True)
class _Unembedded:
    """A chunk that has no new vector yet."""

    row: int
    text: str


class _Incomplete(Exception):
    """Chunks came in that have no new vector yet."""


async def rebuild(
    tenant: Tenant, run: Run, embedder: Embedder | None, progress: Progress | None
) -> None:
    """Rebuild one tenant's arrays with the settings that it was opened with."""
    tell = progress or (lambda *_: None)
    identity = embedder.identity if embedder else None
    with ExitStack() as held:
        lock = turn(tenant.folder, tenant.rules.settings.sqlite.wait_seconds)
        if not await run(held.enter_context, lock):
            raise StoreBusy("Another process is tidying up this store.", "Try again in a minute.")
        while True:
            if embedder is not None:
                await _embed_all(tenant, run, embedder, tell)
            try:
                await run(_replace_arrays, tenant, identity, tell)
            except _Incomplete:
                continue
            return


async def _embed_all(tenant: Tenant, run: Run, embedder: Embedder, tell: Progress) -> None:
    await run(_begin, tenant, embedder.identity)
    last = 0
    while True:
        batch, done, total = await run(_unembedded, tenant, last)
        tell("embedding", done, total)
        if not batch:
            return
        vectors = await embedder.embed([chunk.text for chunk in batch], "document")
        checked = check_vectors(vectors, len(batch), embedder.identity.width)
        await run(_keep, tenant, [chunk.row for chunk in batch], checked)
        last = batch[-1].row


def _begin(tenant: Tenant, identity: EmbedderIdentity) -> None:
    """Make room for new vectors; those begun with yet another embedder are dropped."""
    name = embedder_name(identity)
    with tenant.write() as connection:
        begun = connection.execute("SELECT value FROM meta WHERE name = 'next_embedder'").fetchone()
        if begun and begun[0] != name:
            connection.execute("DROP TABLE IF EXISTS next_vectors")
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('next_embedder', ?)", (name,))
        connection.execute(
            "CREATE TABLE IF NOT EXISTS next_vectors "
            "(chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL)"
        )


def _unembedded(tenant: Tenant, last: int) -> tuple[list[_Unembedded], int, int]:
    """Return the next chunks without a new vector, and how many have one of how many."""
    with tenant.truth() as connection:
        done, total = connection.execute(
            "SELECT (SELECT count(*) FROM next_vectors), (SELECT count(*) FROM chunks)"
        ).fetchone()
        rows = connection.execute(
            "SELECT c.row, d.title, c.headings, c.text FROM chunks c "
            "JOIN documents d ON d.row = c.document WHERE c.row > ? "
            "AND NOT EXISTS (SELECT 1 FROM next_vectors n WHERE n.chunk = c.row) "
            "ORDER BY c.row LIMIT ?",
            (last, _EMBED_BATCH),
        ).fetchall()
    batch = [
        _Unembedded(row, embedding_text(title, json.loads(headings), text))
        for row, title, headings, text in rows
    ]
    return batch, done, total


def _keep(tenant: Tenant, rows: Sequence[int], vectors: Array) -> None:
    with tenant.write() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO next_vectors VALUES (?, ?)",
            [(row, vector.tobytes()) for row, vector in zip(rows, vectors, strict=True)],
        )


def _replace_arrays(tenant: Tenant, identity: EmbedderIdentity | None, tell: Progress) -> None:
    with tenant.truth() as connection:
        commit = connection.execute("SELECT commit_number FROM state").fetchone()[0]
        last = last_document_row(connection)
        spans = list(_spans(connection, last))
    written: list[Written] = []
    for at, span in enumerate(spans):
        tell("indexing", at, len(spans))
        written.append(_write_anew(tenant, span, identity))
    tell("indexing", len(spans), len(spans))

    def adopt(connection: sqlite3.Connection) -> None:
        name = analysis_name(tenant.rules.settings.keyword)
        connection.execute("UPDATE meta SET value = ? WHERE name = 'analysis'", (name,))
        if identity is not None:
            _take_new_vectors(connection, identity)

    list_segments(tenant, written, (1, last), commit, adopt)
    clear_rubbish(tenant)


def _spans(connection: sqlite3.Connection, last: int) -> Iterator[tuple[int, int]]:
    """Cut the document rows into spans of a size that is pleasant to hold in memory."""
    low, held = 1, 0
    for row, count in connection.execute("SELECT row, chunk_count FROM documents ORDER BY row"):
        held += count
        if held >= _DERIVE_CHUNKS:
            yield low, row
            low, held = row + 1, 0
    if low <= last:
        yield low, last


def _write_anew(
    tenant: Tenant, span: tuple[int, int], identity: EmbedderIdentity | None
) -> Written:
    table = "vectors" if identity is None else "next_vectors"
    width = tenant.width if identity is None else identity.width
    with tenant.truth() as connection:
        rows = document_rows(connection, *span, table)
    segment = derive(rows, analysis_of(tenant.rules.settings.keyword), width)
    return write_file(tenant, segment.arrays, span)


def _take_new_vectors(connection: sqlite3.Connection, identity: EmbedderIdentity) -> None:
    lacking = connection.execute(
        "SELECT 1 FROM chunks c WHERE NOT EXISTS "
        "(SELECT 1 FROM next_vectors n WHERE n.chunk = c.row) LIMIT 1"
    ).fetchone()
    if lacking:
        raise _Incomplete
    connection.execute("DELETE FROM next_vectors WHERE chunk NOT IN (SELECT row FROM chunks)")
    connection.execute("DROP TABLE vectors")
    connection.execute("ALTER TABLE next_vectors RENAME TO vectors")
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (embedder_name(identity),)
    )
    connection.execute("DELETE FROM meta WHERE name = 'next_embedder'")
    connection.execute("UPDATE state SET commit_number = commit_number + 1")
