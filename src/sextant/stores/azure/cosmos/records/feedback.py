"""Feedback: an item for each, numbered as it came."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from sextant.errors import Conflict, Outdated
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.types import Feedback

_OWN = "c.tenant = @tenant AND c.kind = 'feedback'"
_FIELDS = ("subject", "verdict", "user", "comment", "number")


class CosmosFeedback:
    """What people thought of answers; whoever makes the item of a number has it."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers

    async def read(self, tenant: str, after: int = 0, limit: int | None = None) -> list[Feedback]:
        """Read on from a number."""
        first = f"TOP {limit:d} " if limit is not None else ""
        found = await self._containers.query(
            Kind.RECORDS,
            tenant,
            f"SELECT {first}* FROM c WHERE {_OWN} AND c.number > @after ORDER BY c.number",  # noqa: S608
            {"tenant": tenant, "after": after},
        )
        return [_feedback_of(item) for item in found]

    async def append(self, tenant: str, items: Sequence[Feedback]) -> int:
        """Append one after the other, and return the number of the last."""
        last = await self._last(tenant)
        for item in items:
            last = await self._create(tenant, item, last + 1)
        return last

    async def _create(self, tenant: str, item: Feedback, number: int) -> int:
        while True:
            with suppress(Conflict, Outdated):  # somebody else has that number
                await self._containers.create(
                    Kind.RECORDS, _item_of(tenant, replace(item, number=number))
                )
                return number
            number += 1

    async def _last(self, tenant: str) -> int:
        found = await self._containers.query(
            Kind.RECORDS,
            tenant,
            f"SELECT TOP 1 c.number FROM c WHERE {_OWN} ORDER BY c.number DESC",  # noqa: S608
            {"tenant": tenant},
        )
        return int(found[0]["number"]) if found else 0


def _item_of(tenant: str, one: Feedback) -> Item:
    return {
        **{name: getattr(one, name) for name in _FIELDS},
        "id": f"feedback-{one.number}",
        "tenant": tenant,
        "kind": "feedback",
        "givenAt": one.at.astimezone(UTC).isoformat() if one.at else None,
    }


def _feedback_of(item: Item) -> Feedback:
    at = datetime.fromisoformat(item["givenAt"]) if item["givenAt"] else None
    return Feedback(**{name: item[name] for name in _FIELDS}, at=at)
