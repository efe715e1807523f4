"""How threads and their entries stand in the records container."""

from __future__ import annotations

import hashlib
import json
import random
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from sextant.stores.azure.cosmos.containers import Item
from sextant.stores.times import microseconds, moment
from sextant.types import Append, Thread, ThreadEntry, ThreadSummary

_DIGITS = 100
"""What a time is multiplied by to make room for a number by chance: two processes rarely change
threads of one user in the same microsecond, and then differ in it."""


def thread_id_of(user: str, thread_id: str) -> str:
    """Return the id of a thread's item."""
    return f"thread-{hashlib.sha256(json.dumps([user, thread_id]).encode()).hexdigest()[:40]}"


def new_item(tenant: str, user: str, thread_id: str) -> Item:
    """Return the item of a thread that does not exist yet: it is at version 0."""
    return {
        "id": thread_id_of(user, thread_id),
        "tenant": tenant,
        "kind": "thread",
        "user": user,
        "threadId": thread_id,
        "birth": secrets.token_hex(8),
        "title": "",
        "state": "",
        "stateParts": [],
        "version": 0,
        "count": 0,
        "last": 0,
        "changed": "",
        "reservations": 0,
        "open": None,
        "dead": [],
    }


def reserved(item: Item, until: float) -> Item:
    """Return the item with a reservation of the next numbers; one before it is given up."""
    number = item["reservations"] + 1
    dead = [*item["dead"], item["open"]["number"]] if item["open"] else item["dead"]
    own = {"number": number, "until": until}
    return item | {"reservations": number, "open": own, "dead": dead}


def published(item: Item, one: Append, clock: Clock) -> Item:
    """Return the item with what was reserved, which is there from now on."""
    count = item["count"] + len(one.entries)
    return item | {
        "open": None,
        "title": item["title"] if one.title is None else one.title,
        "version": item["version"] + 1,
        "count": count if one.keep is None else min(count, one.keep),
        "last": item["last"] + len(one.entries),
        "changed": clock.tick(),
    }


def entry_items(item: Item, entries: Sequence[ThreadEntry]) -> list[Item]:
    """Return the items of entries that are written under the item's reservation."""
    birth, number, now = item["birth"], item["open"]["number"], datetime.now(UTC)
    return [
        {
            "id": f"entry-{birth}-{number}-{at}",
            "tenant": item["tenant"],
            "kind": "entry",
            "birth": birth,
            "reservation": number,
            "number": at,
            "entryKind": entry.kind,
            "body": entry.body,
            "writtenAt": microseconds(entry.at or now),
        }
        for at, entry in enumerate(entries, item["last"] + 1)
    ]


def entry_of(item: Item) -> ThreadEntry:
    """Return an entry from its item."""
    return ThreadEntry(item["entryKind"], item["body"], moment(item["writtenAt"]), item["number"])


def thread_of(item: Item) -> Thread:
    """Return a thread from its item, with as much of its state as stands there."""
    return Thread(item["threadId"], item["state"], item["version"], item["title"])


def summary_of(item: Item) -> ThreadSummary:
    """Return a thread as a list shows it."""
    changed = moment(int(item["changed"]) // _DIGITS) or datetime.now(UTC)
    return ThreadSummary(
        item["threadId"],
        item["title"],
        item["version"],
        item["count"],
        item["last"],
        changed,
        item["changed"],
    )


class Clock:
    """Times for changes: each is later than all before it in this process."""

    def __init__(self) -> None:
        self._last = 0

    def tick(self) -> str:
        """Return a time as a text that sorts as times do."""
        chance = random.randrange(_DIGITS)  # noqa: S311 - no secret
        self._last = max(microseconds(datetime.now(UTC)) * _DIGITS + chance, self._last + _DIGITS)
        return f"{self._last:018d}"
