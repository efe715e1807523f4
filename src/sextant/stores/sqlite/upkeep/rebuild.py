"""Making the arrays anew from the truth, and the vectors with another embedder.

New vectors gather in a table of their own, batch by batch; whoever stops a rebuild can go on with
it. Queries use the old ones until all new segments are written; then all changes in one commit.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sextant.errors import StoreBusy, StoreError
from sextant.limits import check_vectors
from sextant.ports import Embedder, Progress
from sextant.stores.arrays.segments.derive import derive
from sextant.stores.sqlite.tenant import Tenant, analysis_name, analysis_of, embedder_name
from sextant.stores.sqlite.truth.feed import note_all_written
from sextant.stores.sqlite.truth.locks import turn
from sextant.stores.sqlite.truth.pieces import to_blob
from sextant.stores.sqlite.truth.rows import document_rows, last_document_row
from sextant.stores.sqlite.truth.schema import NEXT_VECTORS, state
from sextant.stores.sqlite.upkeep.background import Run, entered, to_its_end
from sextant.stores.sqlite.upkeep.maintain import Written, clear_rubbish, list_segments, write_file
from sextant.text.embedding import embed_chunks
from sextant.text.passages import Embeddable, embeddable
from sextant.types import Chunk, Document, EmbedderIdentity

_EMBED_BATCH = 32
_DERIVE_CHUNKS = 20_000


@dataclass(frozen=True, slots=True)
class _Unembedded:
    """A chunk that has no new vector yet."""

    row: int
    text: Embeddable


@dataclass(frozen=True, slots=True)
class _New:
    """What the new embedder says of a chunk, as it is kept."""

    row: int
    vector: bytes
    pieces: bytes | None


@dataclass(frozen=True, slots=True)
class _Extent:
    """How far new segments reach: all documents up to a row, as of a commit or later."""

    last: int
    commit: int


async def rebuild(
    tenant: Tenant, run: Run, embedder: Embedder | None, progress: Progress | None
) -> None:
    """Rebuild one tenant's arrays with the settings that it was opened with."""
    tell = progress or (lambda *_: None)
    if embedder is None:
        await _replace(tenant, run, None, tell)
        return
    async with _turn(tenant, run, "rebuild", "rebuilding"):
        await run(_begin, tenant, embedder.identity)
        await _embed_all(tenant, run, embedder, tell)
        await _replace(tenant, run, embedder, tell)


@asynccontextmanager
async def _turn(tenant: Tenant, run: Run, name: str, doing: str) -> AsyncIterator[None]:
    lock = turn(tenant.folder, tenant.rules.settings.sqlite.wait_seconds, name)
    async with entered(run, lock) as mine:
        if not mine:
            raise StoreBusy(f"Another process is {doing} this store.", "Try again in a minute.")
        yield


async def _replace(tenant: Tenant, run: Run, embedder: Embedder | None, tell: Progress) -> None:
    """Write new segments, then let them and the new vectors take the place of the old ones."""

    async def catch_up() -> None:
        if embedder is not None:
            await _embed_all(tenant, run, embedder, tell)

    async with _turn(tenant, run, "turn", "tidying up"):
        extent = await run(_extent, tenant)
        await catch_up()  # what is written from now on lies beyond the extent
        identity = embedder.identity if embedder else None
        written = await to_its_end(run, _make_segments, tenant, extent, identity, tell)
        await catch_up()
        await _swap(tenant, run, embedder, written, extent)
        await run(clear_rubbish, tenant)


async def _embed_all(tenant: Tenant, run: Run, embedder: Embedder, tell: Progress) -> None:
    done, total = await run(_progress, tenant)
    last = 0
    while True:
        tell("embedding", done, total)
        batch = await run(_unembedded_in, tenant, last)
        if not batch:
            return
        await run(_keep_in, tenant, await _embedded(embedder, batch))
        last, done = batch[-1].row, done + len(batch)


async def _embedded(embedder: Embedder, batch: Sequence[_Unembedded]) -> list[_New]:
    vectors, pieces = await embed_chunks(embedder, [chunk.text for chunk in batch])
    vectors = check_vectors(vectors, len(batch), embedder.identity.width)
    each = zip(batch, vectors, pieces or (None,) * len(batch), strict=True)
    return [_New(chunk.row, vector.tobytes(), to_blob(own)) for chunk, vector, own in each]


async def _swap(
    tenant: Tenant, run: Run, embedder: Embedder | None, written: Sequence[Written], extent: _Extent
) -> None:
    """Change everything in one commit; what came in at the last moment is embedded within it."""
    async with entered(run, tenant.write()) as connection:
        if embedder is not None:
            last = 0
            while batch := await run(_unembedded, connection, last):
                await run(_keep, connection, await _embedded(embedder, batch))
                last = batch[-1].row
            await run(_take_new_vectors, connection, embedder.identity)
        await run(_list_anew, connection, tenant, written, extent)


def _begin(tenant: Tenant, identity: EmbedderIdentity) -> None:
    """Make room for new vectors; those begun with yet another embedder are dropped."""
    name = embedder_name(identity)
    with tenant.write() as connection:
        begun = connection.execute("SELECT value FROM meta WHERE name = 'next_embedder'").fetchone()
        if begun is None or begun[0] != name:
            connection.execute("DELETE FROM next_vectors")
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('next_embedder', ?)", (name,))


def _progress(tenant: Tenant) -> tuple[int, int]:
    with tenant.truth() as connection:
        done, total = connection.execute(
            "SELECT (SELECT count(*) FROM next_vectors), (SELECT count(*) FROM chunks)"
        ).fetchone()
    return done, total


def _unembedded_in(tenant: Tenant, last: int) -> list[_Unembedded]:
    with tenant.truth() as connection:
        return _unembedded(connection, last)


def _unembedded(connection: sqlite3.Connection, last: int) -> list[_Unembedded]:
    """Return the next chunks without a new vector."""
    rows = connection.execute(
        "SELECT c.row, d.title, d.metadata, c.headings, c.text FROM chunks c "
        "JOIN documents d ON d.row = c.document WHERE c.row > ? "
        "AND NOT EXISTS (SELECT 1 FROM next_vectors n WHERE n.chunk = c.row) "
        "ORDER BY c.row LIMIT ?",
        (last, _EMBED_BATCH),
    ).fetchall()
    return [
        _Unembedded(
            row,
            embeddable(
                Document("", title, metadata=json.loads(metadata)),
                Chunk("", text, headings=tuple(json.loads(headings))),
            ),
        )
        for row, title, metadata, headings, text in rows
    ]


def _keep_in(tenant: Tenant, new: Sequence[_New]) -> None:
    with tenant.write() as connection:
        _keep(connection, new)


def _keep(connection: sqlite3.Connection, new: Sequence[_New]) -> None:
    """Keep new vectors of the chunks that are still there."""
    connection.executemany(
        "INSERT OR REPLACE INTO next_vectors SELECT row, ?, ? FROM chunks WHERE row = ?",
        [(one.vector, one.pieces, one.row) for one in new],
    )


def _extent(tenant: Tenant) -> _Extent:
    with tenant.truth() as connection:
        return _Extent(last_document_row(connection), state(connection)[0])


def _make_segments(
    tenant: Tenant,
    extent: _Extent,
    identity: EmbedderIdentity | None,
    tell: Progress,
    stop: threading.Event,
) -> list[Written]:
    clear_rubbish(tenant)
    with tenant.truth() as connection:
        spans = list(_spans(connection, extent.last))
    written: list[Written] = []
    for at, span in enumerate(spans):
        tell("indexing", at, len(spans))
        if stop.is_set():
            raise StoreError("The rebuild was stopped.", "Call it again; it goes on where it was.")
        written.append(_write_anew(tenant, span, identity))
    tell("indexing", len(spans), len(spans))
    return written


def _spans(connection: sqlite3.Connection, last: int) -> Iterator[tuple[int, int]]:
    """Cut the document rows into spans of a size that is pleasant to hold in memory."""
    low, held = 1, 0
    for row, count in connection.execute(
        "SELECT row, chunk_count FROM documents WHERE row <= ? ORDER BY row", (last,)
    ):
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
    connection.execute("DROP TABLE vectors")
    connection.execute("ALTER TABLE next_vectors RENAME TO vectors")
    connection.execute(NEXT_VECTORS)
    connection.execute("DELETE FROM unembedded")
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (embedder_name(identity),)
    )
    connection.execute("DELETE FROM meta WHERE name = 'next_embedder'")
    connection.execute("UPDATE state SET commit_number = commit_number + 1")
    note_all_written(connection)


def _list_anew(
    connection: sqlite3.Connection, tenant: Tenant, written: Sequence[Written], extent: _Extent
) -> None:
    name = analysis_name(tenant.rules.settings.keyword)
    connection.execute("UPDATE meta SET value = ? WHERE name = 'analysis'", (name,))
    list_segments(connection, written, (1, extent.last), extent.commit)
