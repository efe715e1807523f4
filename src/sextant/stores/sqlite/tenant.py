"""One tenant's database: its connections, and what its arrays were made with.

A query runs in one read transaction with the snapshot of the same commit, so the arrays that rank a
chunk and the row that shows it are of one version.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sextant.errors import (
    LanguageMismatch,
    NotAStore,
    StoreBusy,
    StoreDamaged,
)
from sextant.settings import KeywordSettings, Settings
from sextant.stores.arrays.segments.derive import Analysis, derive
from sextant.stores.arrays.segments.files import sync_folder
from sextant.stores.arrays.segments.segment import Segment
from sextant.stores.arrays.snapshots.view import Snapshot
from sextant.stores.refusals import embedder_mismatch
from sextant.stores.sqlite.truth.feed import HISTORY, new_history
from sextant.stores.sqlite.truth.locks import Queue, reading, turn
from sextant.stores.sqlite.truth.rows import document_rows
from sextant.stores.sqlite.truth.schema import (
    FORMAT,
    bring_up_to_date,
    connect,
    damaged,
    decoding,
    format_of,
    make_tables,
)
from sextant.stores.sqlite.upkeep.folder import is_marked, mark_tenant
from sextant.stores.sqlite.upkeep.snapshots import Snapshots, Stale
from sextant.text.words import Words
from sextant.types import EmbedderIdentity

T = TypeVar("T")
FILES_OF_WRITER = 5
"""The database, its log, the log's index and two locks."""
FILES_OF_READER = 2
"""The database and its log once more."""
_TRIES = 1_000
"""Far more than other processes can replace files in a row."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a store is opened with. No identity means that vectors are taken as they are found."""

    settings: Settings
    identity: EmbedderIdentity | None = None
    adopt: bool = False
    """Open whatever made the arrays, so that they can be made anew."""


class Tenant:
    """An open database. Its methods block; the store runs them off the event loop."""

    def __init__(self, folder: Path, name: str, rules: Rules) -> None:
        self.folder, self.name, self.rules = folder, name, rules
        self.path = folder / "truth.db"
        self.segments = folder / "segments"
        self.segments.mkdir(parents=True, exist_ok=True)
        wait = rules.settings.sqlite.wait_seconds
        self._write_lock = threading.Lock()
        self._keyword: KeywordSettings | None = None
        self.identity: EmbedderIdentity | None = None
        self.snapshots = Snapshots(self.segments, self.derived, self._adopt_meta)
        self._writer = connect(self.path, wait)
        self._queue = Queue(self.path)
        try:
            if format_of(self._writer) != FORMAT:
                self._prepare(wait)
            if not is_marked(folder):
                with suppress(OSError):  # nobody writes here, so nothing can be lost either
                    mark_tenant(folder, name)
            with reading(self._writer):
                self._adopt_meta(self._writer)
        except BaseException:
            self._writer.close()
            self._queue.close()
            raise
        self._idle: list[sqlite3.Connection] = []
        self._readers = 0

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.snapshots.forget()
        while self._idle:
            self._idle.pop().close()
        self._writer.close()
        self._queue.close()

    @property
    def descriptors(self) -> int:
        """How many files it holds open."""
        return FILES_OF_WRITER + FILES_OF_READER * self._readers

    def read(self, task: Callable[[sqlite3.Connection, Snapshot], T]) -> T:
        """Run a task in one read transaction with the snapshot of its commit."""
        with self._reader() as connection:
            missing: set[str] = set()
            for _ in range(_TRIES):
                try:
                    with reading(connection):
                        return task(connection, self.snapshots.current(connection, missing))
                except Stale:
                    continue
        raise StoreDamaged(
            "The store's files were replaced by older ones while it was open.", "Open it again."
        )

    @contextmanager
    def truth(self) -> Iterator[sqlite3.Connection]:
        """Hold one state of the truth, without its arrays."""
        with self._reader() as connection, reading(connection):
            yield connection

    @contextmanager
    def write(self, since: float | None = None) -> Iterator[sqlite3.Connection]:
        """Hold the write transaction; wait for other threads and processes for a bounded time.

        That counts from a time of the monotonic clock, or from now.
        """
        now = time.monotonic()
        until = (now if since is None else since) + self.rules.settings.sqlite.wait_seconds
        if not self._write_lock.acquire(timeout=max(0.0, until - now)):
            raise StoreBusy(
                "Another thread kept the store busy for the whole wait.",
                "Try again, or raise sqlite.wait_seconds.",
            )
        try:
            with self._queue.turn(self._writer, until):
                if not self.rules.adopt:
                    self._adopt_meta(self._writer)
                    self._record_embedder()
                yield self._writer
        finally:
            self._write_lock.release()

    def derived(self, connection: sqlite3.Connection, low: int, high: int) -> Segment:
        """Derive a segment from the truth."""
        with decoding():
            return derive(document_rows(connection, low, high), self.analysis, self.width)

    def _prepare(self, wait: float) -> None:
        """Make the tables, or bring older ones up to date, in turn with others that would too."""
        with turn(self.folder, wait) as mine:
            if not mine:
                raise StoreBusy("Another process is making this store.", "Try again.")
            found = format_of(self._writer)
            if not found:
                self._make()
            elif found < FORMAT:
                # Not only the turn: whoever opened it before may be writing.
                with self._queue.turn(self._writer, time.monotonic() + wait):
                    bring_up_to_date(self._writer)
        for made in (self.folder, self.folder.parent, self.folder.parent.parent):
            sync_folder(made)

    def _make(self) -> None:
        if is_marked(self.folder) or any(self.segments.iterdir()):
            raise StoreDamaged(
                "The database that was made here is gone, or empty.", "Restore the last backup."
            )
        make_tables(self._writer, self._first_meta())

    @property
    def width(self) -> int:
        """How wide this store's vectors are; 0 before the first embedder."""
        return self.identity.width if self.identity else 0

    def _first_meta(self) -> dict[str, str]:
        meta = {"tenant": self.name, "analysis": analysis_name(self.rules.settings.keyword)}
        meta[HISTORY] = new_history()
        if self.rules.identity:
            meta["embedder"] = embedder_name(self.rules.identity)
        return meta

    def _adopt_meta(self, connection: sqlite3.Connection) -> bool:
        """Take over what the store was made with, and say if it changed; refuse something else."""
        before = (self.identity, self._keyword)
        meta = dict(connection.execute("SELECT name, value FROM meta").fetchall())
        if not {"tenant", "analysis"} <= meta.keys():
            raise damaged()
        if meta["tenant"] != self.name:
            raise NotAStore(
                "The database belongs to another tenant.", "Restore the folder from a backup."
            )
        rules = self.rules
        recorded = read_embedder(meta.get("embedder"))
        if rules.identity and recorded and recorded != rules.identity and not rules.adopt:
            raise embedder_mismatch(recorded, rules.identity)
        self.identity, self._recorded = recorded or rules.identity, recorded is not None
        keyword = rules.settings.keyword
        if rules.adopt:
            keyword = KeywordSettings(**json.loads(meta["analysis"]))
        elif meta["analysis"] != analysis_name(keyword):
            raise LanguageMismatch(
                f"The keyword index of this store was made with {meta['analysis']}, "
                f"not with {analysis_name(keyword)}.",
                "Set [keyword] back, or run `sextant rebuild` to index with the new settings.",
            )
        if self._keyword != keyword:
            self._keyword, self.analysis = keyword, analysis_of(keyword)
        return before != (self.identity, self._keyword)

    def _record_embedder(self) -> None:
        """Note whose vectors are written here from now on, if nobody's were before."""
        if self.rules.identity and not self._recorded:
            values = ("embedder", embedder_name(self.rules.identity))
            self._writer.execute("INSERT INTO meta VALUES (?, ?)", values)
            # Readers that were opened without an embedder look again.
            self._writer.execute("UPDATE state SET generation = generation + 1")

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = connect(self.path, self.rules.settings.sqlite.wait_seconds)
            self._readers += 1
        try:
            yield connection
        finally:
            self._idle.append(connection)


def tenant_folder(root: Path, tenant: str) -> Path:
    """Return a tenant's folder; its name says nothing and can be anything's."""
    return root / "tenants" / hashlib.sha256(tenant.encode()).hexdigest()[:32]


def analysis_name(keyword: KeywordSettings) -> str:
    """Return what is recorded of how text became terms."""
    fields = {name: getattr(keyword, name) for name in sorted(keyword.__slots__)}
    return json.dumps(fields, separators=(",", ":"))


def analysis_of(keyword: KeywordSettings) -> Analysis:
    """Return how text becomes terms under these settings."""
    return Analysis(Words(keyword.language), keyword.title_weight, keyword.headings_weight)


def embedder_name(identity: EmbedderIdentity) -> str:
    """Return what is recorded of an embedder."""
    return json.dumps([identity.name, identity.width])


def read_embedder(recorded: str | None) -> EmbedderIdentity | None:
    """Return the embedder that was recorded."""
    return EmbedderIdentity(*json.loads(recorded)) if recorded else None
