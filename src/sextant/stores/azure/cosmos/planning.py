"""What a batch of changes comes to, over what is there at one commit. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.stores import refusals
from sextant.stores.azure.cosmos.containers import Kind
from sextant.stores.azure.cosmos.items import DOCUMENT
from sextant.stores.azure.cosmos.snapshot import Snapshot
from sextant.stores.memory.units import is_known, settle
from sextant.types import Change, Put, Remove


@dataclass(frozen=True, slots=True)
class Plan:
    """Documents as they are to be, which of them stand in the store, and what is to be told."""

    units: dict[str, Put | None]
    known: list[str]
    tally: dict[str, int]


async def plan_changes(snapshot: Snapshot, changes: Sequence[Change], width: int) -> Plan:
    """Work changes out in their order, or refuse all of them."""
    names = {change.document_id for change in changes}
    found = await snapshot.fetch_any(
        Kind.RECORDS,
        "c.documentId, c.version, c.isRemoved, c.width",
        f"c.kind = '{DOCUMENT}' AND ARRAY_CONTAINS(@values, c.documentId)",
        names,
    )
    there = [item for item in found if not item["isRemoved"]]
    versions = {item["documentId"]: item["version"] for item in there}
    bare = {item["documentId"] for item in there if item["width"] is None}
    units: dict[str, Put | None] = {}
    tally = dict.fromkeys(("written", "unchanged", "removed", "missing"), 0)
    for change in changes:
        tally[_apply(units, versions, bare, change, width)] += 1
    await _check_chunk_ids(snapshot, units)
    known = [item["documentId"] for item in found if item["documentId"] in units]
    return Plan(units, known, tally)


def _apply(
    units: dict[str, Put | None],
    versions: dict[str, str],
    bare: set[str],
    change: Change,
    width: int,
) -> str:
    name = change.document_id
    if change.over is not None and change.over != versions.get(name, ""):
        raise refusals.document_moved_on()
    if isinstance(change, Remove):
        if versions.pop(name, None) is None:
            return "missing"
        units[name] = None
        return "removed"
    unit = settle(change, width)
    if is_known(unit, versions.get(name, ""), name in bare):
        return "unchanged"
    units[name], versions[name] = unit, unit.key
    if unit.vectors is None:
        bare.add(name)
    else:
        bare.discard(name)
    return "written"


async def _check_chunk_ids(snapshot: Snapshot, units: dict[str, Put | None]) -> None:
    """Refuse chunk ids that two documents would have."""
    own = [chunk.id for unit in units.values() if unit for chunk in unit.chunks]
    if len(set(own)) < len(own):
        raise refusals.chunk_taken()
    found = await snapshot.fetch_any(
        Kind.CHUNKS, "c.documentId", "ARRAY_CONTAINS(@values, c.chunkId)", own
    )
    if any(item["documentId"] not in units for item in found):
        raise refusals.chunk_taken()
