"""The partition that servers have for themselves in the container of records.

Its key is no name that a tenant can have, so no tenant reads it, and none is removed with it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sextant.stores.azure.cosmos.containers import Containers, Item, Kind

SERVERS = "\u200bservers"
"""The partition key: a tenant's name may have no character that cannot be seen."""


def record_id(kind: str, *names: str) -> str:
    """Return the id of a record, whatever its names are made of."""
    return f"{kind}-{hashlib.sha256(json.dumps(names).encode()).hexdigest()[:40]}"


async def find_records(
    containers: Containers,
    kind: str,
    where: str = "true",
    parameters: Item | None = None,
    *,
    fields: str = "*",
) -> list[Any]:
    """Return the records of a kind for which a condition holds, or some of their fields."""
    return await containers.query(
        Kind.RECORDS,
        SERVERS,
        f"SELECT {fields} FROM c WHERE c.tenant = @servers AND c.kind = @kind AND {where}",  # noqa: S608
        {"servers": SERVERS, "kind": kind, **(parameters or {})},
    )
