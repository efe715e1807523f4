"""How often documents were cited and opened: counters, which nobody has to read to add to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum

from sextant.ports import Recall, Store
from sextant.retrieval.feedback.earned import Standing, Use, key_of
from sextant.types import Scope

_BATCH = 4_000


class Kind(StrEnum):
    """What can be done with a document that speaks for it."""

    CITED = "cited"
    OPENED = "opened"


async def count_use(store: Store, scope: Scope, kind: Kind, document_ids: Sequence[str]) -> int:
    """Count documents that the scope sees as used once more, and return how many those are."""
    seen = await store.truth.chunk_ids(scope, list(dict.fromkeys(document_ids)))
    if seen:
        await store.records.count(scope, Counter(_name(kind, document_id) for document_id in seen))
    return len(seen)


async def with_uses(
    records: Recall, scope: Scope, standing: Standing, document_ids: Iterable[str]
) -> Standing:
    """Add how often documents were used; what is known already stays as it is."""
    asked = [name for name in dict.fromkeys(document_ids) if name not in standing.uses][:_BATCH]
    if not asked:
        return standing
    names = [_name(kind, document_id) for document_id in asked for kind in Kind]
    counts = await records.counters(scope, names)
    new = {name: Use(*(counts.get(_name(kind, name), 0) for kind in Kind)) for name in asked}
    return replace(standing, uses={**standing.uses, **new})


def _name(kind: Kind, document_id: str) -> str:
    return f"used:{kind}:{key_of(document_id)}"
