"""The snapshot that the readers of a process share, and how it is caught up with the truth."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from sextant.stores.arrays.segments.files import SegmentDamaged, SegmentOutdated, read_segment
from sextant.stores.arrays.segments.merge import merge, settle
from sextant.stores.arrays.segments.segment import Segment
from sextant.stores.arrays.snapshots.view import Snapshot, View
from sextant.stores.sqlite.truth.rows import last_document_row
from sextant.stores.sqlite.truth.schema import state

_LOG = logging.getLogger(__name__)
RATIO = 6.0
"""An older segment is merged with all newer ones once it is at most this many times their size."""


class Stale(Exception):
    """The transaction is older than the snapshot, or its files are gone: begin again."""


class Snapshots:
    """Holds the newest snapshot. ``damaged`` says that a listed segment had to be derived anew."""

    def __init__(
        self,
        segments: Path,
        derived: Callable[[sqlite3.Connection, int, int], Segment],
        adopt: Callable[[sqlite3.Connection], bool],
    ) -> None:
        self._segments, self._derived, self._adopt = segments, derived, adopt
        self._catching_up = threading.Lock()
        self._snapshot = Snapshot()
        self.damaged = False

    def forget(self) -> None:
        """Let go of all arrays."""
        self._snapshot = Snapshot()

    def current(self, connection: sqlite3.Connection, missing: set[str]) -> Snapshot:
        """Return the snapshot of the transaction's commit; missing notes files not found so far."""
        commit, generation, _ = state(connection)
        known = self._snapshot
        if (known.commit, known.generation) == (commit, generation):
            return known
        with self._catching_up:
            known = self._snapshot
            if known.commit > commit or known.generation > generation:
                raise Stale
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
            if self._adopt(connection):
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
            tail = self._derived(connection, high + 1, last)
            if len(tail.document_row):
                views.append(View(tail, (high + 1, last)))
        return Snapshot(commit, generation, tuple(_compact(views)), last, self._snapshot.rows)

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
            raise Stale
        views = []
        for file, low, high, _, _ in listed:
            segment = found[file]
            if segment is None:
                self.damaged = True
                view = View(self._derived(connection, low, high), (low, high))
            else:
                view = View(segment, (low, high), file)
            views.append(view.without(rows) if len(rows) else view)
        return views

    def _map(self, file: str, size: int, crc: int) -> Segment | None:
        try:
            return read_segment(self._segments / file, size, crc)
        except SegmentOutdated:
            _LOG.info("Segment %s has arrays of another version; deriving it anew.", file)
        except SegmentDamaged:
            _LOG.warning("Segment %s is damaged; deriving it anew.", file)
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


def merge_start(sizes: list[int], ratio: float = RATIO) -> int:
    """Return where the run of segments worth merging starts; it holds at least the newest."""
    start = max(0, len(sizes) - 1)
    newer = 0
    for at in reversed(range(len(sizes))):
        if sizes[at] <= ratio * newer:
            start = at
        newer += sizes[at]
    return start
