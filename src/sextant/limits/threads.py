"""What may be appended to a thread, and which pages of threads may be read."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sextant.errors import InvalidInput, TooLarge
from sextant.limits.values import (
    DEFAULT,
    Limits,
    at_most,
    between,
    each,
    label,
    moment,
    text,
    unique,
)
from sextant.types import Append, EntryRange, ThreadEntry

_LAST = 2**62
"""No number or version of a thread is higher; it fits into 64 bits with room to add to."""


def check_appends(appends: Sequence[Append], limits: Limits = DEFAULT) -> None:
    """Refuse appends that are too many, too long or of no JSON."""
    each("appends", appends, Append, limits.batch)
    unique("thread id", [one.thread_id for one in appends])
    at_most("entries", sum(len(one.entries) for one in appends), limits.batch)
    for one in appends:
        label("thread id", one.thread_id, limits.id)
        each("entries", one.entries, ThreadEntry, limits.batch)
        if one.version is not None:
            between("thread version", one.version, 0, _LAST)
        if one.title is not None:
            text("thread title", one.title, limits.name)
        if one.keep is not None:
            between("keep", one.keep, 1, limits.entries)
        for entry in one.entries:
            _check_entry(entry, limits)


def check_entry_range(part: EntryRange, limits: Limits = DEFAULT) -> None:
    """Refuse a page of entries that is too long, or cannot be one."""
    between("after", part.after, 0, _LAST)
    if part.before is not None:
        between("before", part.before, 0, _LAST)
    between("limit", part.limit, 1, limits.entry_page)


def check_thread_page(prefix: str, after: str, limit: int, limits: Limits = DEFAULT) -> None:
    """Refuse a page of threads that is too long, or starts after what is no cursor."""
    text("prefix", prefix, limits.id)
    text("cursor", after, limits.id)
    between("limit", limit, 1, limits.k)


def check_thread_growth(entries: int, limits: Limits = DEFAULT) -> None:
    """Refuse more entries than a thread may have."""
    if entries > limits.entries:
        raise TooLarge(
            f"The thread would have {entries} entries; at most {limits.entries} are taken.",
            "Go on in another thread, or keep only the last entries.",
        )


def check_thread_room(threads: int, limits: Limits = DEFAULT) -> None:
    """Refuse another thread to a user who has as many as there may be."""
    if threads >= limits.threads:
        raise TooLarge(
            f"The user has {threads} threads; at most {limits.threads} are taken.",
            "Delete some of them.",
        )


def _check_entry(entry: ThreadEntry, limits: Limits) -> None:
    label("entry kind", entry.kind, limits.id)
    text("entry", entry.body, limits.entry)
    moment("entry", entry.at)
    try:
        json.loads(entry.body)
    except (ValueError, RecursionError):
        raise InvalidInput(
            "The body of an entry is no JSON.", "Write it with json.dumps."
        ) from None
