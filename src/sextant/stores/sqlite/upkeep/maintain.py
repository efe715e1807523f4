"""Keeping arrays few and on disk: writes segments, lists them, and clears what nobody lists.

Only who holds the turn writes or clears files. A segment counts once its row is committed; until
then its file is rubbish, and a crash leaves nothing to repair.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sextant.errors import StoreBusy
from sextant.stores.arrays.segments.files import write_segment
from sextant.stores.arrays.segments.merge import Merged, merge
from sextant.stores.arrays.snapshots.view import View
from sextant.stores.sqlite.tenant import Tenant
from sextant.stores.sqlite.truth.feed import forget_old_removals, has_old_removals
from sextant.stores.sqlite.truth.locks import turn
from sextant.stores.sqlite.truth.schema import typed_errors
from sextant.stores.sqlite.upkeep.snapshots import RATIO, merge_start

_LOG = logging.getLogger(__name__)
_LEFT_AT_CLOSE = 5
"""This part of what is flushed at once may be left for the next opening to derive."""

_DEAD_SHARE = 0.3
"""A segment with more dead than this is written anew."""

_QUIET_SECONDS, _QUIET_RATIO = 30.0, 4 * RATIO
"""Once writers have been quiet for so long, or have gone, larger segments are merged as well: every
read goes through each segment."""


@dataclass(frozen=True, slots=True)
class Written:
    """A segment file that is durable but not yet listed."""

    file: str
    low: int
    high: int
    chunks: int
    size: int
    crc: int


def maintain(tenant: Tenant, least: int | None = None, ratio: float = RATIO) -> bool:
    """Write what is worth writing; return False if another process has the turn.

    With at least this many chunks in memory only (by default the setting's number), these are
    written first, since a crash would have them derived again; merging comes after, of segments up
    to this many times as large as the newer ones.
    """
    least = tenant.rules.settings.sqlite.flush_chunks if least is None else least
    with turn(tenant.folder) as mine:
        if not mine:
            return False
        clear_rubbish(tenant)
        _forget_removals(tenant)
        while True:
            snapshot = tenant.read(lambda _, snapshot: snapshot)
            repairing = tenant.snapshots.damaged
            views = worth_writing(snapshot.views, 0 if repairing else least, ratio)
            if not views:
                tenant.snapshots.damaged = False
                return True
            span = (views[0].span[0], views[-1].span[1])
            written = write_file(
                tenant, merge([(view.segment, view.living) for view in views]), span
            )
            with tenant.write() as connection:
                list_segments(connection, [written], span, snapshot.commit)
            clear_rubbish(tenant)


def _forget_removals(tenant: Tenant) -> None:
    with tenant.truth() as connection:
        is_worth_it = has_old_removals(connection)
    if is_worth_it:
        with tenant.write() as connection:
            forget_old_removals(connection)


def worth_writing(views: Sequence[View], least: int, ratio: float) -> Sequence[View]:
    """Return the run of views to be written as one segment; none if all is well."""
    sizes = [len(view.segment) for view in views]
    filed = len(views)
    while filed and not views[filed - 1].file:
        filed -= 1
    if filed < len(views) and sum(sizes[filed:]) >= least:
        return views[filed:]
    for view in views[:filed]:
        if not view.file or view.dead_share > _DEAD_SHARE:
            return (view,)
    start = merge_start(sizes[:filed], ratio)
    return views[start:filed] if filed - start > 1 else ()


def write_file(tenant: Tenant, arrays: Merged, span: tuple[int, int]) -> Written:
    """Write a segment that nobody lists yet."""
    name = f"{span[0]:012d}-{span[1]:012d}-{uuid.uuid4().hex[:8]}.seg"
    size, crc = write_segment(tenant.segments / name, arrays)
    return Written(name, *span, int(arrays["chunk.row"].shape[0]), size, crc)


def list_segments(
    connection: sqlite3.Connection, written: Sequence[Written], span: tuple[int, int], commit: int
) -> None:
    """Let new segments, made at or after a commit, replace all in a span of document rows."""
    low, high = span
    straddling = connection.execute(
        "SELECT 1 FROM segments WHERE (low < ? AND high >= ?) OR (low <= ? AND high > ?)",
        (low, low, high, high),
    ).fetchone()
    if straddling:
        raise StoreBusy("Another process merged these segments meanwhile.", "Try again.")
    connection.execute("DELETE FROM segments WHERE low >= ? AND high <= ?", span)
    connection.executemany(
        "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?)",
        [(one.file, one.low, one.high, one.chunks, one.size, one.crc) for one in written],
    )
    connection.execute(
        "DELETE FROM retired WHERE commit_number <= ? AND document BETWEEN ? AND ?", (commit, *span)
    )
    connection.execute(
        "UPDATE state SET generation = generation + 1, tail_chunks = "
        "(SELECT coalesce(sum(chunk_count), 0) FROM documents WHERE row > "
        "(SELECT coalesce(max(high), 0) FROM segments))"
    )


def clear_rubbish(tenant: Tenant) -> None:
    """Delete the files that are not listed. Only for who has the turn."""
    with tenant.truth() as connection:
        listed = {file for (file,) in connection.execute("SELECT file FROM segments")}
    for path in tenant.segments.iterdir():
        if path.name not in listed:
            path.unlink(missing_ok=True)


class Caretaker:
    """A thread that maintains one tenant whenever it is woken, and remembers what went wrong.

    ``waiting`` is how many chunks the last write of this process left for the arrays to take in,
    ``changed`` how many documents it wrote or removed since it last asked for maintenance.
    """

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self._wake = threading.Condition()
        self._asked = self._done = 0
        self._closing = False
        self.waiting = self.changed = 0
        self._thread: threading.Thread | None = None
        self.problem = ""

    def wake(self) -> int:
        """Ask for maintenance and return a number to wait for."""
        with self._wake:
            self._asked += 1
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._live, name="sextant-caretaker", daemon=True
                )
                self._thread.start()
            self._wake.notify_all()
            return self._asked

    def wait(self, number: int, seconds: float) -> None:
        """Wait until the maintenance that was asked for has been tried."""
        with self._wake:
            self._wake.wait_for(lambda: self._done >= number or self._closing, seconds)

    @property
    def is_busy(self) -> bool:
        """Whether maintenance that was asked for is still to be done."""
        with self._wake:
            return self._asked > self._done

    def leave(self) -> None:
        """Finish what was asked for, and stop; the next opening derives what is not written."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Finish what was asked for, write what the next opening would have to derive, and stop."""
        self.leave()
        worth = self._tenant.rules.settings.sqlite.flush_chunks // _LEFT_AT_CLOSE
        if self.waiting > worth or self._thread is not None:
            self._tend(worth, _QUIET_RATIO)

    def _live(self) -> None:
        patience = None
        while True:
            with self._wake:
                quiet = not self._wake.wait_for(self._has_to, patience)
                self._asked += quiet
                if self._asked == self._done:
                    return
                number = self._asked
            self._tend(ratio=_QUIET_RATIO if quiet else RATIO)
            patience = None if quiet else _QUIET_SECONDS
            with self._wake:
                self._done = number
                self._wake.notify_all()

    def _has_to(self) -> bool:
        return self._closing or self._asked > self._done

    def _tend(self, least: int | None = None, ratio: float = RATIO) -> None:
        try:
            with typed_errors():
                maintain(self._tenant, least, ratio)
            self.problem = ""
        except Exception as error:
            # Whatever it was, the thread must live on: it is the only one that tidies up.
            self.problem = str(error) or type(error).__name__
            _LOG.warning("Maintenance of the store failed and will be tried again: %s", error)
