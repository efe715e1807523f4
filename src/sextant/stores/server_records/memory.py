"""Server records in memory: for tests, and for a server that need not remember anything.

Nobody can share them, and they are gone with the process.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sextant.errors import ConfigError
from sextant.stores.server_records.memory_jobs import MemoryJobs
from sextant.types.serving import KeptReply, Key, KeyedRequest, ReplyBounds


async def open_records(rest: str, folder: Path) -> MemoryServerRecords:  # noqa: ARG001 - for files
    """Open new, empty records."""
    if rest:
        raise ConfigError("Server records in memory take no folder.", "Write memory: alone.")
    return MemoryServerRecords()


class MemoryServerRecords:
    """All parts, in dicts."""

    def __init__(self) -> None:
        self._keys, self._jobs, self._replies = MemoryKeys(), MemoryJobs(), MemoryReplies()
        self._presence = MemoryPresence()

    async def open_keys(self) -> MemoryKeys:
        """Return the keys."""
        return self._keys

    async def open_jobs(self) -> MemoryJobs:
        """Return the jobs."""
        return self._jobs

    async def open_replies(self) -> MemoryReplies:
        """Return the replies."""
        return self._replies

    async def open_presence(self) -> MemoryPresence:
        """Return who is here: this server alone."""
        return self._presence

    async def close(self) -> None:
        """Nothing is open."""


class MemoryKeys:
    """Keys by id, in the order they came."""

    def __init__(self) -> None:
        self._keys = dict[str, Key]()

    async def add_key(self, key: Key) -> None:
        """Keep a new key."""
        self._keys[key.id] = key

    async def find_key(self, key_id: str) -> Key | None:
        """Return a key by its id, also if it no longer works."""
        return self._keys.get(key_id)

    async def list_keys(self) -> Sequence[Key]:
        """Return all keys, the oldest first, those that no longer work too."""
        return sorted(self._keys.values(), key=lambda key: (key.created, key.id))

    async def revoke_key(self, key_id: str, at: float) -> Key | None:
        """Note since when a key does not work; the first time stays."""
        key = self._keys.get(key_id)
        if key and not key.revoked:
            key = self._keys[key_id] = replace(key, revoked=at)
        return key

    async def note_use(self, key_id: str, at: float) -> None:
        """Note when a key was used last."""
        key = self._keys.get(key_id)
        if key:
            self._keys[key_id] = replace(key, used=max(key.used, at))


_Place = tuple[str, str, str]


class MemoryReplies:
    """Replies by their request, each with the time at which it was begun."""

    def __init__(self) -> None:
        self._replies = dict[_Place, tuple[KeptReply, float]]()

    async def begin_reply(
        self, request: KeyedRequest, owner: str, bounds: ReplyBounds
    ) -> KeptReply | None:
        """Return what is known of a request, or note that the owner is at work on it: None."""
        now = time.time()
        self._forget_old(request.tenant, now, bounds)
        known = self._replies.get(_place(request))
        if known:
            return known[0]
        self._replies[_place(request)] = KeptReply(request.digest, owner), now
        return None

    async def take_over_reply(
        self, request: KeyedRequest, dead: str, owner: str, bounds: ReplyBounds
    ) -> KeptReply | None:
        """Begin anew what a dead server was at, unless somebody else just did."""
        known = self._replies.get(_place(request))
        if known and known[0].owner == dead:
            del self._replies[_place(request)]
        return await self.begin_reply(request, owner, bounds)

    async def keep_reply(self, request: KeyedRequest, reply: KeptReply) -> None:
        """Keep the reply to a request that was begun, or in place of the one before."""
        known = self._replies.get(_place(request))
        if known:
            kept = replace(reply, digest=known[0].digest, owner="")
            self._replies[_place(request)] = kept, known[1]

    async def forget_reply(self, request: KeyedRequest) -> None:
        """Let a request be begun anew."""
        self._replies.pop(_place(request), None)

    def _forget_old(self, tenant: str, now: float, bounds: ReplyBounds) -> None:
        own = [(at, place) for place, (_, at) in self._replies.items() if place[0] == tenant]
        latest = sorted(own, reverse=True)
        for number, (at, place) in enumerate(latest):
            if number >= bounds.kept or at < now - bounds.kept_seconds:
                del self._replies[place]


class MemoryPresence:
    """One server, alone."""

    def __init__(self) -> None:
        self._name = secrets.token_hex(8)

    @property
    def name(self) -> str:
        """The name of this server."""
        return self._name

    async def is_alive(self, name: str) -> bool:
        """Whether that is the name of this server."""
        return name == self._name


def _place(request: KeyedRequest) -> _Place:
    return request.tenant, request.sender, request.key
