"""The truth's tables, how a connection to them is opened, and what SQLite's errors mean here.

Rows are numbered once and for ever: a new version of a document is a new row, so an array made from
a row can outlive it but never mistake another for it.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sextant.errors import (
    FormatMismatch,
    NotAStore,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreUnwritable,
)
from sextant.stores.sqlite.descriptors import are_used_up, too_many_files
from sextant.stores.sqlite.tools.tables import TOOL_TABLES
from sextant.stores.sqlite.truth.locks import LOG_BYTES, writing
from sextant.stores.sqlite.truth.threads import THREAD_STEPS

FORMAT = 6
_APPLICATION = 0x53585431  # "SXT1"
_CACHE_KIB = 16_384
_ALTERED = ("Could not decode", "user-defined function raised", "no such column", "no such table")
"""What SQLite says where rows or tables are not those that were written."""

NEXT_VECTORS = (
    "CREATE TABLE next_vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL, pieces BLOB)"
)
"""Where new vectors gather that take the place of the others, and so have the same columns."""

_UNEMBEDDED = (
    "CREATE TABLE unembedded (document INTEGER PRIMARY KEY)",
    """
    INSERT INTO unembedded SELECT row FROM documents
    WHERE chunk_count > 0 AND NOT EXISTS (SELECT 1 FROM vectors WHERE chunk = first_chunk)
    """,
)
"""The rows of documents with chunks and without vectors: who looks for them reads no others."""

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    commit_number INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    tail_chunks INTEGER NOT NULL
);
INSERT INTO state VALUES (1, 0, 0, 0);
CREATE TABLE documents (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    commit_number INTEGER NOT NULL,
    title TEXT NOT NULL,
    url TEXT NOT NULL,
    source_type TEXT NOT NULL,
    language TEXT NOT NULL,
    tags TEXT NOT NULL,
    personas TEXT NOT NULL,
    created INTEGER,
    modified INTEGER,
    reputation REAL NOT NULL,
    metadata TEXT NOT NULL,
    first_chunk INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    symbols BLOB NOT NULL,
    owner TEXT NOT NULL DEFAULT ''
);
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    headings TEXT NOT NULL,
    page INTEGER,
    entity_ids TEXT NOT NULL,
    entities BLOB NOT NULL
);
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL, pieces BLOB);
CREATE TABLE symbols (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    value TEXT NOT NULL UNIQUE,
    uses INTEGER NOT NULL
);
CREATE TABLE definitions (
    entity INTEGER NOT NULL,
    document INTEGER NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    aliases TEXT NOT NULL,
    metadata TEXT NOT NULL,
    PRIMARY KEY (entity, document)
) WITHOUT ROWID;
CREATE INDEX definitions_by_document ON definitions (document);
CREATE TABLE contributions (
    document INTEGER NOT NULL,
    number INTEGER NOT NULL,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    confidence REAL NOT NULL,
    weight INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (document, number)
) WITHOUT ROWID;
CREATE TABLE retired (document INTEGER PRIMARY KEY, commit_number INTEGER NOT NULL);
CREATE TABLE removed (id TEXT PRIMARY KEY, commit_number INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX removed_by_commit ON removed (commit_number);
CREATE TABLE segments (
    file TEXT PRIMARY KEY,
    low INTEGER NOT NULL,
    high INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    crc INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE threads (
    user TEXT NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (user, id)
) WITHOUT ROWID;
CREATE TABLE feedback (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    verdict TEXT NOT NULL,
    user TEXT NOT NULL,
    comment TEXT NOT NULL,
    at INTEGER
);
"""

_STEPS = {
    1: (
        "ALTER TABLE vectors ADD COLUMN pieces BLOB",
        "ALTER TABLE next_vectors ADD COLUMN pieces BLOB",
    ),
    2: (
        "CREATE TABLE removed (id TEXT PRIMARY KEY, commit_number INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE INDEX removed_by_commit ON removed (commit_number)",
        *THREAD_STEPS,
    ),
    3: ("ALTER TABLE documents ADD COLUMN owner TEXT NOT NULL DEFAULT ''",),
    4: TOOL_TABLES,
    5: _UNEMBEDDED,
}
"""What turns the tables of each older format into those of the next one."""


def connect(path: Path, wait_seconds: float) -> sqlite3.Connection:
    """Open a connection whose commits are durable when they return."""
    connection = sqlite3.connect(
        path, timeout=wait_seconds, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        # A log that began anew is cut: its length says how much is still to be copied.
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


def make_tables(connection: sqlite3.Connection, meta: dict[str, str]) -> None:
    """Make the tables in a new database. Only for who has the turn."""
    connection.execute("PRAGMA journal_mode = WAL")
    with writing(connection):
        later = (NEXT_VECTORS, *THREAD_STEPS, *TOOL_TABLES, *_UNEMBEDDED)
        for statement in (*_TABLES.split(";\n"), *later):
            connection.execute(statement)
        connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Turn older tables into today's, all or nothing. Only for who has the turn, and may write."""
    for older in range(format_of(connection), FORMAT):
        for statement in _STEPS[older]:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def format_of(connection: sqlite3.Connection) -> int:
    """Return the format of the tables, 0 if there are none.

    A newer one is refused, and so is somebody else's database.
    """
    application, version, tables = connection.execute(
        "SELECT (SELECT application_id FROM pragma_application_id), "
        "(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)"
    ).fetchone()
    if not (application or version or tables):
        return 0
    if application != _APPLICATION:
        raise NotAStore(
            "The database in this folder was not made by Sextant.", "Choose another folder."
        )
    if not 1 <= version <= FORMAT:
        raise unknown_format(version)
    return int(version)


def state(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Return the commit, the generation of segments, and how many chunks are in none yet."""
    found: tuple[int, int, int] | None = connection.execute(
        "SELECT commit_number, generation, tail_chunks FROM state"
    ).fetchone()
    if found is None or any(type(number) is not int for number in found):
        raise damaged()
    return found


def unknown_format(version: object) -> FormatMismatch:
    """Return why a store of this format is not opened."""
    return FormatMismatch(
        f"The store has format {version}; this version of Sextant reads and writes {FORMAT}.",
        "Use the version that wrote it, or ingest into a new folder with this one.",
    )


@contextmanager
def typed_errors() -> Iterator[None]:
    """Turn what SQLite and the system say into errors of ours that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(error) from error
    except OSError as error:
        raise _translate_system(error) from error
    except json.JSONDecodeError as error:
        raise damaged() from error


@contextmanager
def decoding() -> Iterator[None]:
    """Hold what only turns rows into values: where that fails, the rows are not as written."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise damaged() from error


def damaged() -> StoreDamaged:
    """Return what is said of a database that does not hold what was written to it."""
    return StoreDamaged("The store's database is damaged.", "Restore the last backup.")


def _translate(error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(
            "Other writers kept the store busy for the whole wait.",
            "Try again, or raise sqlite.wait_seconds.",
        )
    if code == sqlite3.SQLITE_FULL:
        return _full()
    if code == sqlite3.SQLITE_CANTOPEN and are_used_up():
        return too_many_files()
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreUnwritable(
            "The store's database cannot be opened for writing.",
            "Check the folder's owner, permissions and mount.",
        )
    if code == sqlite3.SQLITE_NOTADB:
        return NotAStore("The database in this folder is not one.", "Choose another folder.")
    if code == sqlite3.SQLITE_CORRUPT or any(sign in str(error) for sign in _ALTERED):
        return damaged()
    if code == sqlite3.SQLITE_IOERR:
        return StoreUnwritable(
            "The disk failed while the store was read or written; nothing was acknowledged.",
            "Check the disk, then try again.",
        )
    return StoreError(f"The store's database refused: {error}.", "Please report this.")


def _translate_system(error: OSError) -> StoreError:
    if are_used_up(error):
        return too_many_files()
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return _full()
    return StoreUnwritable(
        f"The store's files cannot be used: {error.strerror or error}.",
        "Check the folder's owner, permissions and mount.",
    )


def _full() -> StoreFull:
    return StoreFull(
        "There is no room left for the store; nothing of this call was kept.",
        "Free some space, then try again.",
    )
