"""One tenant's database: connections, the snapshot that readers share, and how it is caught up.

A query runs in one read transaction with one snapshot of the same commit, so the arrays that rank a
chunk and the row that shows it are of one version.
"""

from __future__ import annotations

import hashlib
import json
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from sextant.errors import (
    EmbedderMismatch,
    LanguageMismatch,
    NotAStore,
    StoreBusy,
    StoreDamaged,
)
from sextant.settings import KeywordSettings, Settings
from sextant.stores.arrays.derive import Analysis, derive
from sextant.stores.arrays.files import SegmentDamaged, read_segment
from sextant.stores.arrays.merge import merge, settle
from sextant.stores.arrays.segment import Segment
from sextant.stores.arrays.view import Snapshot, View
from sextant.stores.sqlite.rows import document_rows, last_document_row
from sextant.stores.sqlite.schema import connect, is_prepared, prepare, reading, turn, writing
from sextant.text.words import Words
from sextant.types import EmbedderIdentity

_LOG = logging.getLogger(__name__)
_RATIO = 6.0
"""An older segment is merged with newer ones once they are this close to its size."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rules:
    """What a store is opened with. No identity means that vectors are taken as they are found."""

    settings: Settings
    identity: EmbedderIdentity | None = None
    adopt: bool = False
    """Open whatever made the arrays, so that they can be made anew."""


class _Stale(Exception):
    """The transaction is older than the snapshot, or its files are gone: begin again."""


class Tenant:
    """An open database. Its methods block; the store runs them off the event loop."""

    def __init__(self, folder: Path, name: str, rules: Rules) -> None:
        self.folder, self.name, self.rules = folder, name, rules
        self.path = folder / "truth.db"
        self.segments = folder / "segments"
        self.segments.mkdir(parents=True, exist_ok=True)
        wait = rules.settings.sqlite.wait_seconds
        self._write_lock = threading.Lock()
        self._catching_up = threading.Lock()
        self._snapshot = Snapshot()
        self._keyword: KeywordSettings | None = None
        self.damaged = False
        self._writer = connect(self.path, wait)
        if not is_prepared(self._writer):
            self._prepare(wait)
        self._idle: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        with reading(self._writer):
            self._adopt_meta(self._writer)

    def close(self) -> None:
        """Close every connection that is not in use."""
        self._snapshot = Snapshot()
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                break
        self._writer.close()

    def read(self, task: Callable[[sqlite3.Connection, Snapshot], T]) -> T:
        """Run a task in one read transaction with the snapshot of its commit."""
        with self._reader() as connection:
            missing: set[str] = set()
            while True:
                try:
                    with reading(connection):
                        return task(connection, self._current(connection, missing))
                except _Stale:
                    continue

    @contextmanager
    def truth(self) -> Iterator[sqlite3.Connection]:
        """Hold one state of the truth, without its arrays."""
        with self._reader() as connection, reading(connection):
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Hold the write transaction."""
        with self._write_lock, writing(self._writer):
            if not self.rules.adopt:
                self._adopt_meta(self._writer)
            yield self._writer

    def derived(self, connection: sqlite3.Connection, low: int, high: int) -> Segment:
        """Derive a segment from the truth."""
        return derive(document_rows(connection, low, high), self.analysis, self.width)

    def _prepare(self, wait: float) -> None:
        """Make the tables, in turn with other processes that would make them too."""
        if any(self.segments.iterdir()):
            raise StoreDamaged(
                "The store's database is gone, but its arrays are here.", "Restore the last backup."
            )
        with turn(self.folder, wait) as mine:
            if not mine:
                raise StoreBusy("Another process is making this store.", "Try again.")
            prepare(self._writer, self._first_meta())

    @property
    def width(self) -> int:
        """How wide this store's vectors are; 0 before the first embedder."""
        return self.identity.width if self.identity else 0

    def _first_meta(self) -> dict[str, str]:
        meta = {"tenant": self.name, "analysis": analysis_name(self.rules.settings.keyword)}
        if self.rules.identity:
            meta["embedder"] = embedder_name(self.rules.identity)
        return meta

    def _adopt_meta(self, connection: sqlite3.Connection) -> None:
        """Take over what the store was made with, or refuse to go on with something else."""
        meta = dict(connection.execute("SELECT name, value FROM meta").fetchall())
        if meta["tenant"] != self.name:
            raise NotAStore(
                "The database belongs to another tenant.", "Restore the folder from a backup."
            )
        rules = self.rules
        recorded = read_embedder(meta.get("embedder"))
        if rules.identity and recorded and recorded != rules.identity and not rules.adopt:
            raise EmbedderMismatch(
                f"The vectors in this store were made by {recorded.name} ({recorded.width} wide), "
                f"not by {rules.identity.name} ({rules.identity.width} wide).",
                "Use that embedder, or run `sextant rebuild --embedder …` with the new one.",
            )
        self.identity = recorded or rules.identity
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

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = connect(self.path, self.rules.settings.sqlite.wait_seconds)
        try:
            yield connection
        finally:
            self._idle.put(connection)

    def _current(self, connection: sqlite3.Connection, missing: set[str]) -> Snapshot:
        commit, generation = connection.execute(
            "SELECT commit_number, generation FROM state"
        ).fetchone()
        known = self._snapshot
        if (known.commit, known.generation) == (commit, generation):
            return known
        with self._catching_up:
            known = self._snapshot
            if known.commit > commit or known.generation > generation:
                raise _Stale
            if (known.commit, known.generation) != (commit, generation):
                self._snapshot = self._catch_up(connection, known, commit, generation, missing)
            return self._snapshot

    def _catch_up(
        self,
        connection: sqlite3.Connection,
        known: Snapshot,
        commit: int,
        generation: int,
        missing: set[str],
    ) -> Snapshot:
        if generation == known.generation:
            views, high = list(known.views), known.high
        else:
            before = (self.identity, self._keyword)
            self._adopt_meta(connection)
            if before != (self.identity, self._keyword):
                known = Snapshot()
            views = self._listed(connection, known, missing)
            high = views[-1].span[1] if views else 0
            fresh = _beyond(known.views, high)
            views += fresh
            high = fresh[-1].span[1] if fresh else high
        dead = connection.execute(
            "SELECT document FROM retired WHERE commit_number > ?", (known.commit,)
        ).fetchall()
        rows = np.array(dead, np.int64).reshape(-1)
        if len(rows):
            rows.sort()
            views = [view.without(rows) for view in views]
        last = last_document_row(connection)
        if last > high:
            tail = self.derived(connection, high + 1, last)
            if len(tail.document_row):
                views.append(View(tail, (high + 1, last)))
        return Snapshot(commit, generation, tuple(_compact(views)), last)

    def _listed(
        self, connection: sqlite3.Connection, known: Snapshot, missing: set[str]
    ) -> list[View]:
        """Map the listed segments, with every document retired since they were made dead."""
        mapped = {view.file: view.segment for view in known.views if view.file}
        retired = connection.execute("SELECT document FROM retired ORDER BY document").fetchall()
        rows = np.array(retired, np.int64).reshape(-1)
        listed = connection.execute(
            "SELECT file, low, high, bytes, crc FROM segments ORDER BY low"
        ).fetchall()
        found = {
            file: mapped.get(file) or self._map(file, size, crc) for file, _, _, size, crc in listed
        }
        lost = {file for file, segment in found.items() if segment is None}
        if lost - missing:  # perhaps only replaced since this transaction began: look again
            missing |= lost
            raise _Stale
        views = []
        for file, low, high, _, _ in listed:
            segment = found[file]
            if segment is None:
                _LOG.warning("Segment %s is damaged; deriving it anew.", file)
                self.damaged = True
                view = View(self.derived(connection, low, high), (low, high))
            else:
                view = View(segment, (low, high), file)
            views.append(view.without(rows) if len(rows) else view)
        return views

    def _map(self, file: str, size: int, crc: int) -> Segment | None:
        try:
            return read_segment(self.segments / file, size, crc)
        except SegmentDamaged:
            return None


def _beyond(views: Sequence[View], high: int) -> list[View]:
    """Return the unwritten views past a row; none if one straddles it: rows would be left out."""
    unwritten = [view for view in views if not view.file and view.span[1] > high]
    return unwritten if all(view.span[0] > high for view in unwritten) else []


def _compact(views: list[View]) -> list[View]:
    """Merge the newest segments in memory, so that many small commits do not slow queries down."""
    unwritten = [view for view in views if not view.file]
    start = len(views) - len(unwritten) + merge_start([len(view.segment) for view in unwritten])
    if len(views) - start < 2 or any(view.file for view in views[start:]):
        return views
    newest = views[start:]
    merged = settle(merge([(view.segment, view.living) for view in newest]))
    return [*views[:start], View(merged, (newest[0].span[0], newest[-1].span[1]))]


def merge_start(sizes: list[int], newest: int = 1) -> int:
    """Return where the run of segments worth merging starts; it holds at least the newest."""
    start = max(0, len(sizes) - newest)
    total = sum(sizes[start:])
    while start and sizes[start - 1] <= _RATIO * total:
        start -= 1
        total += sizes[start]
    return start


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
