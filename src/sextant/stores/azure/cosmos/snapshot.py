"""What a viewer sees of a tenant at one commit. Items that are not to be seen are never read.

What is read stays as it is as long as the commit is the last one, so entities, edges and mentions
are remembered with it: one question asks for the same ones several times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.cosmos.heads import Head
from sextant.stores.azure.cosmos.items import order_key

T = TypeVar("T")

_STANDS = (
    "c.tenant = @tenant AND c.since <= @commit AND NOT ARRAY_CONTAINS(@dead, c.since) "
    "AND (c.until > @commit OR ARRAY_CONTAINS(@dead, c.until))"
)
_IS_SEEN = (
    "(ARRAY_LENGTH(c.personas) = 0 OR "
    "EXISTS(SELECT VALUE p FROM p IN c.personas WHERE ARRAY_CONTAINS(@personas, p)))"
)
_BATCH = 500
"""Values of one query: with ids of 100 characters a tenth of the 512 KB that it may have."""
_MOST_REMEMBERED = 10_000
"""Items that are remembered of one commit: about 20 MB."""


class Snapshot:
    """One commit of a tenant, as far as some personas see; None sees all."""

    def __init__(
        self, containers: Containers, head: Head, personas: frozenset[str] | None = None
    ) -> None:
        self._containers, self.head = containers, head
        self._where = _STANDS if personas is None else f"{_STANDS} AND {_IS_SEEN}"
        self._parameters: Item = {
            "tenant": head.tenant,
            "commit": head.commit,
            "dead": head.dead_numbers,
        }
        if personas is not None:
            self._parameters["personas"] = sorted(personas)
        self._remembered: dict[str, dict[str, list[Item]]] = defaultdict(dict)
        self._size = 0

    async def fetch(
        self, kind: Kind, what: str, where: str = "", *, order: str = "", **parameters: Any
    ) -> list[Any]:
        """Return fields of all items that stand and for which a condition holds."""
        if not self.head.commit:
            return []
        condition = f"{self._where} AND ({where})" if where else self._where
        return await self._containers.query(
            kind,
            self.head.tenant,
            f"SELECT {what} FROM c WHERE {condition} {order}",  # noqa: S608 - texts of ours alone
            self._parameters | parameters,
        )

    async def fetch_any(
        self, kind: Kind, what: str, where: str, values: Iterable[str], **parameters: Any
    ) -> list[Any]:
        """Return items for which a condition on some of ``@values`` holds, so many at a time."""
        ordered = sorted(set(values))
        parts = [ordered[at : at + _BATCH] for at in range(0, len(ordered), _BATCH)]
        found = await self._containers.run_all(
            self.fetch(kind, what, where, values=part, **parameters) for part in parts
        )
        return [item for part in found for item in part]

    async def fetch_page(
        self, kind: Kind, what: str, where: str, after: str, limit: int
    ) -> list[Any]:
        """Return the next items in the order of their things' ids."""
        return await self.fetch(
            kind,
            f"TOP {limit:d} {what}",
            " AND ".join(filter(None, (where, "c['order'] > @after"))),
            order="ORDER BY c['order']",
            after=order_key(after),
        )

    async def run_all(self, calls: Iterable[Awaitable[T]]) -> list[T]:
        """Run calls at once."""
        return await self._containers.run_all(calls)

    async def count(self, kind: Kind, where: str = "") -> int:
        """Return how many items stand for which a condition holds."""
        found = await self.fetch(kind, "VALUE COUNT(1)", where)
        return int(found[0]) if found else 0

    def recall(self, topic: str, names: Iterable[str]) -> tuple[dict[str, list[Item]], list[str]]:
        """Return what is remembered of some names, and the names of which nothing is known yet."""
        known = self._remembered[topic]
        wanted = dict.fromkeys(names)
        return (
            {name: known[name] for name in wanted if name in known},
            [name for name in wanted if name not in known],
        )

    def remember(self, topic: str, found: Mapping[str, Sequence[Item]]) -> None:
        """Keep what was found under each name, nothing included, while there is room."""
        self._size += sum(map(len, found.values())) + len(found)
        if self._size > _MOST_REMEMBERED:
            self._remembered.clear()
            self._size = 0
            return
        self._remembered[topic] |= {name: list(own) for name, own in found.items()}
