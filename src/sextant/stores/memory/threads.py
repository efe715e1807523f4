"""A tenant's threads in dicts: by user, then by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sextant.limits import Limits, check_thread_growth, check_thread_room
from sextant.stores.refusals import thread_moved_on
from sextant.stores.times import microseconds, moment
from sextant.types import Append, EntryRange, Thread, ThreadEntry, ThreadSummary


@dataclass(frozen=True, slots=True)
class _Kept:
    """A thread with all that it holds; the time of its last change is in microseconds."""

    thread: Thread
    entries: tuple[ThreadEntry, ...] = ()
    last: int = 0
    changed: int = 0

    @property
    def summary(self) -> ThreadSummary:
        own = self.thread
        changed = moment(self.changed) or datetime.now(UTC)
        return ThreadSummary(
            own.id, own.title, own.version, len(self.entries), self.last, changed, str(self.changed)
        )


@dataclass
class ThreadDicts:
    """The threads of all users of a tenant."""

    users: dict[str, dict[str, _Kept]] = field(default_factory=lambda: defaultdict(dict))

    def read(self, user: str, ids: Sequence[str]) -> dict[str, Thread]:
        """Return a user's threads that exist."""
        own = self.users.get(user, {})
        return {name: own[name].thread for name in ids if name in own}

    def save(self, user: str, thread: Thread, limits: Limits) -> Thread:
        """Save over the version that the thread carries, and no other."""
        own = self.users[user]
        known = _known(own, thread.id, thread.version, limits)
        saved = replace(thread, version=thread.version + 1)
        own[thread.id] = replace(known, thread=saved, changed=_next_change(own))
        return saved

    def append(self, user: str, appends: Sequence[Append], limits: Limits) -> list[ThreadSummary]:
        """Append to a user's threads, all or none."""
        own = dict(self.users.get(user, {}))
        for one in appends:
            known = _known(own, one.thread_id, one.version, limits)
            grown = _appended(known, one, _next_change(own))
            check_thread_growth(len(grown.entries), limits)
            own[one.thread_id] = grown
        self.users[user] = own
        return [own[one.thread_id].summary for one in appends]

    def entries(self, user: str, thread_id: str, part: EntryRange) -> list[ThreadEntry]:
        """Return a page of a user's thread by number."""
        kept = self.users.get(user, {}).get(thread_id)
        found = [
            entry
            for entry in (kept.entries if kept else ())
            if entry.number > part.after and (part.before is None or entry.number < part.before)
        ]
        return (found[::-1] if part.newest_first else found)[: part.limit]

    def page(self, user: str, prefix: str, before: int, limit: int) -> list[ThreadSummary]:
        """List a user's threads, the last changed first, of those that changed before a time."""
        own = self.users.get(user, {})
        found = (
            kept for name, kept in own.items() if name.startswith(prefix) and kept.changed < before
        )
        latest = sorted(found, key=lambda kept: kept.changed, reverse=True)
        return [kept.summary for kept in latest[:limit]]

    def delete(self, user: str, ids: Sequence[str]) -> int:
        """Delete a user's threads, and return how many existed."""
        own = self.users.get(user, {})
        return sum(own.pop(name, None) is not None for name in ids)

    def all_threads(self) -> dict[str, list[Thread]]:
        """Return every thread by user."""
        return {user: [kept.thread for kept in own.values()] for user, own in self.users.items()}

    def all_entries(self) -> Iterator[tuple[str, str, ThreadEntry]]:
        """Yield every entry, after its user and thread, in order."""
        for user, own in sorted(self.users.items()):
            for name, kept in sorted(own.items()):
                yield from ((user, name, entry) for entry in kept.entries)


def _known(own: dict[str, _Kept], name: str, version: int | None, limits: Limits) -> _Kept:
    """Return a thread, or an empty one where there is none, if it has the version wanted."""
    known = own.get(name, _Kept(Thread(name)))
    if version is not None and version != known.thread.version:
        raise thread_moved_on(known.thread.version, version)
    if name not in own:
        check_thread_room(len(own), limits)
    return known


def _appended(known: _Kept, one: Append, changed: int) -> _Kept:
    now = datetime.now(UTC)
    numbered = tuple(
        replace(entry, number=number, at=entry.at or now)
        for number, entry in enumerate(one.entries, known.last + 1)
    )
    title = known.thread.title if one.title is None else one.title
    thread = replace(known.thread, version=known.thread.version + 1, title=title)
    last = known.last + len(numbered)
    all_of_it = (*known.entries, *numbered)
    kept = all_of_it if one.keep is None else all_of_it[-one.keep :]
    return _Kept(thread, kept, last, changed)


def _next_change(own: dict[str, _Kept]) -> int:
    """Return a time for a change: now, or as little later as it takes to be the last."""
    latest = max((kept.changed for kept in own.values()), default=0)
    return max(microseconds(datetime.now(UTC)), latest + 1)
