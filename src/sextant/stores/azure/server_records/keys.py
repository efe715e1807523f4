"""The keys of programs: one item each, read anew for every request. Knows no secret."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.cosmos.records.changing import change_item
from sextant.stores.azure.server_records.partition import SERVERS, find_records, record_id
from sextant.types.serving import Key

_KIND = "server-key"


class CosmosKeys:
    """A book of keys that all servers share."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers

    async def add_key(self, key: Key) -> None:
        """Keep a new key."""
        own = {"id": record_id(_KIND, key.id), "tenant": SERVERS, "kind": _KIND}
        await self._containers.create(Kind.RECORDS, own | {"key": _values_of(key)})

    async def find_key(self, key_id: str) -> Key | None:
        """Return a key by its id, also if it no longer works."""
        item = await self._containers.read(Kind.RECORDS, SERVERS, record_id(_KIND, key_id))
        return _key_of(item) if item else None

    async def list_keys(self) -> Sequence[Key]:
        """Return all keys, the oldest first, those that no longer work too."""
        found = map(_key_of, await find_records(self._containers, _KIND))
        return sorted(found, key=lambda key: (key.created, key.id))

    async def revoke_key(self, key_id: str, at: float) -> Key | None:
        """Note since when a key does not work; the first time stays."""
        return await self._change(
            key_id, lambda values: None if values["revoked"] else {"revoked": at}
        )

    async def note_use(self, key_id: str, at: float) -> None:
        """Note when a key was used last."""
        await self._change(key_id, lambda values: None if values["used"] >= at else {"used": at})

    async def _change(self, key_id: str, decide: Callable[[Item], Item | None]) -> Key | None:
        """Let a function say which values of a key change; of a key that is not there, none do."""

        def new_item(item: Item | None) -> Item | None:
            changes = decide(item["key"]) if item else None
            return {**item, "key": item["key"] | changes} if item and changes else None

        item = await change_item(self._containers, SERVERS, record_id(_KIND, key_id), new_item)
        return _key_of(item) if item else None


def _values_of(key: Key) -> Item:
    return asdict(key) | {
        "personas": list(key.personas),
        "roles": list(key.roles),
        "digest": key.digest.hex(),
    }


def _key_of(item: Item) -> Key:
    values = dict(item["key"])
    values |= {name: tuple(values[name]) for name in ("personas", "roles")}
    return Key(**values | {"digest": bytes.fromhex(values["digest"])})
