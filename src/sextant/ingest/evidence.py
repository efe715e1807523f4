"""What stands behind relations: the sentence that says one, and the id that its source gave it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sextant.ingest.extract.phrases import relation_kinds
from sextant.ingest.keeping.draft import LINKED_BY_SOURCE, given_id
from sextant.ingest.keeping.paging import pages
from sextant.ingest.keeping.references import passage_node
from sextant.ingest.model_extraction.wordings import told_in
from sextant.ports import Store
from sextant.retrieval.expand import WEAK
from sextant.text.names import spaced
from sextant.text.orders import has_order
from sextant.text.prose.evidence import telling_sentence
from sextant.text.prose.negation import denies
from sextant.types import Relation, Scope

_PAGE = 200
_BARE, _STATING = 20, 5
"""Of relations without evidence so many are looked for, each in so many documents."""


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


async def identified(store: Store, scope: Scope, relations: Sequence[Relation]) -> list[Relation]:
    """Return relations under the ids that their sources gave them, where one did."""
    found = await _stating(store, scope, relations)
    given: dict[tuple[str, str, str], str] = {}
    for page in pages(sorted(found), _PAGE):
        for unit in (await store.truth.units(scope, page)).values():
            for one in unit.relations:
                if name := given_id(one):
                    ends = one.source, one.target, one.kind
                    given[ends] = min(name, given.get(ends, name))
    return [replace(one, id=given.get((one.source, one.target, one.kind), "")) for one in relations]


async def _stating(store: Store, scope: Scope, relations: Sequence[Relation]) -> set[str]:
    """Return the documents that may say what relations are called: few, or none."""
    first = sorted({one.evidence[0] for one in relations if one.evidence})
    passages = (await store.truth.passages(scope, first)).values()
    is_cited = bool(await store.graph.mentioning(scope, [passage_node(one) for one in first]))
    found = {
        one.document.id for one in passages if is_cited or LINKED_BY_SOURCE in one.document.metadata
    }
    bare = [one for one in relations if not one.evidence and one.kind not in WEAK]
    for one in bare[:_BARE]:
        near = await store.graph.mentioning(scope, [one.source])
        far = await store.graph.mentioning(scope, [one.target])
        found.update(sorted(set(near).intersection(far))[:_STATING])
    return found


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
