"""The sentences behind relations, found again in the chunks that are their evidence."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.ingest.extract.phrases import relation_kinds
from sextant.ingest.model_extraction.wordings import told_in
from sextant.ports import Store
from sextant.text.names import spaced
from sextant.text.orders import has_order
from sextant.text.prose.evidence import telling_sentence
from sextant.text.prose.negation import denies
from sextant.types import Relation, Scope


async def sentences(store: Store, scope: Scope, relations: Sequence[Relation]) -> list[str]:
    """Return for each relation the sentence of its first evidence that says it, or nothing.

    An order to an assistant says nothing.
    """
    first = [relation.evidence[0] if relation.evidence else "" for relation in relations]
    passages = await store.truth.passages(scope, sorted(set(first) - {""}))
    ends = {end for relation in relations for end in (relation.source, relation.target)}
    entities = await store.graph.entities(scope, sorted(ends))
    names = {name: (one.name, *one.aliases) for name, one in entities.items()}
    found = [
        _telling(
            passages[chunk_id].chunk.text,
            relation.kind,
            names.get(relation.source, ()),
            names.get(relation.target, ()),
        )
        if chunk_id in passages
        else ""
        for relation, chunk_id in zip(relations, first, strict=True)
    ]
    return ["" if has_order(sentence) else sentence for sentence in found]


def _telling(text: str, kind: str, source: Sequence[str], target: Sequence[str]) -> str:
    def says(sentence: str) -> bool:
        """Whether words for the kind stand here, and behind them the end that they lead to."""
        words = spaced(sentence)
        return not denies(sentence) and any(
            spaced(name) in words[found.end() :]
            for found, backwards in told_in(words, kind)
            for name in (source if backwards else target)
        )

    if kind not in relation_kinds():
        return telling_sentence(text, source, target)
    return telling_sentence(text, source, target, says)
