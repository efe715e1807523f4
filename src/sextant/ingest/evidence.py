"""The sentences behind relations, found again in the chunks that are their evidence."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.ports import Store
from sextant.text.evidence import telling_sentence
from sextant.types import Relation, Scope


async def sentences(store: Store, scope: Scope, relations: Sequence[Relation]) -> list[str]:
    """Return for each relation the sentence of its first evidence that says it, or nothing."""
    first = [relation.evidence[0] if relation.evidence else "" for relation in relations]
    passages = await store.passages(scope, sorted(set(first) - {""}))
    ends = {end for relation in relations for end in (relation.source, relation.target)}
    entities = await store.entities(scope, sorted(ends))
    names = {name: (one.name, *one.aliases) for name, one in entities.items()}
    return [
        telling_sentence(
            passages[chunk_id].chunk.text,
            names.get(relation.source, ()),
            names.get(relation.target, ()),
        )
        if chunk_id in passages
        else ""
        for relation, chunk_id in zip(relations, first, strict=True)
    ]
