"""What is kept of a user's threads: entries that are appended, and the list of threads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ThreadEntry:
    """One message or event of a thread; the store gives the number, and the time if there is none.

    Numbers of a thread begin at 1 and grow by 1; none is given twice while the thread exists.
    """

    kind: str
    """Who spoke or what happened, such as ``user``, ``assistant`` or ``tool``."""
    body: str
    """A JSON text; it is returned as it was given."""
    at: datetime | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Append:
    """Entries for the end of a thread, which is made if it does not exist."""

    thread_id: str
    entries: tuple[ThreadEntry, ...]
    version: int | None = None
    """The version that the thread must have, 0 if it must not exist; None is any."""
    title: str | None = None
    """The thread's new title; None leaves it as it is."""
    keep: int | None = None
    """How many of the last entries are kept; None keeps all."""


@dataclass(frozen=True, slots=True)
class EntryRange:
    """A page of a thread: at most `limit` entries with numbers after one and before another."""

    after: int = 0
    before: int | None = None
    limit: int = 100
    newest_first: bool = False


@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """A thread as a list shows it: without its state and its entries."""

    id: str
    title: str
    version: int
    """How many times it was saved or appended to."""
    count: int
    """How many entries it has."""
    last: int
    """The number of its last entry; 0 if there never was one."""
    changed: datetime
    cursor: str
    """Its place in the list; only the store that gave it knows how to read it."""
