"""Evidence that stands in other documents than the one that states its relation.

The document that states a relation keeps the ids of its evidence as they were given, as links from
itself to these passages. Whoever holds such a passage gets the relation as one that it says, for as
long as both are there; so it makes no difference which of them comes first, or comes again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sextant.ingest.keeping.draft import (
    CITED,
    LINKS_TO,
    REFERENCE,
    Draft,
    as_stated,
    given_id,
    is_stated,
)
from sextant.ingest.keeping.paging import pages
from sextant.ports import Store
from sextant.types import DOCUMENT_NODE, Chunk, Document, Put, Relation, Scope

_REFERRED = 0.5
"""As sure as any link between documents."""
_PAGE, _NODES = 200, 5_000
"""Documents are read whole, nodes are only sought; half of what a store takes at once."""

Cited = Mapping[str, Sequence[tuple[Document, Relation]]]
"""By chunk, the relations that name it as evidence, each with the document that states it."""

_Stating = tuple[Document, Sequence[Relation]]


def passage_node(chunk_id: str) -> str:
    """Return a passage as a node of the graph."""
    return DOCUMENT_NODE + chunk_id


def reference_to(node: str, fact: Relation, chunk_id: str) -> Relation:
    """Return the link by which a document keeps that a chunk is evidence of what it states."""
    name = f"{REFERENCE} {_mark(fact)}"
    return Relation(node, passage_node(chunk_id), LINKS_TO, _REFERRED, id=name)


def referred_chunks(relations: Iterable[Relation]) -> list[str]:
    """Return the chunks that a document refers to as evidence, each once."""
    chunks = (_chunk_of(one) for one in relations if one.id.startswith(REFERENCE))
    return list(dict.fromkeys(chunks))


def evidence_given(relations: Sequence[Relation]) -> Iterator[tuple[Relation, tuple[str, ...]]]:
    """Yield what a document states, each with the evidence that it names elsewhere."""
    given: dict[str, list[str]] = {}
    for one in relations:
        if one.id.startswith(REFERENCE):
            given.setdefault(one.id.removeprefix(f"{REFERENCE} "), []).append(_chunk_of(one))
    for one in relations:
        if is_stated(one):
            yield one, tuple(dict.fromkeys(given.get(_mark(as_stated(one)), ())))


async def cited_chunks(
    store: Store, scope: Scope, chunks: Iterable[Chunk], drafts: Sequence[Draft] = ()
) -> Cited:
    """Return what names these chunks as evidence: drafts, and what is stored of all others."""
    coming = {draft.document.id for draft in drafts}
    nodes = [passage_node(chunk.id) for chunk in chunks]
    others: set[str] = set()
    for page in pages(nodes, _NODES):
        others.update(await store.graph.mentioning(scope, page))
    stating: list[_Stating] = [
        (one.document, (*one.facts, *one.references)) for one in drafts if one.references
    ]
    for names in pages(sorted(others - coming), _PAGE):
        units = (await store.truth.units(scope, names)).values()
        stating += [(unit.document, unit.relations) for unit in units]
    return _by_chunk(stating)


async def with_cited(store: Store, scope: Scope, units: Sequence[Put]) -> list[Put]:
    """Return units that nothing is linked in, with what their chunks are evidence of."""
    cited = await cited_chunks(store, scope, [chunk for unit in units for chunk in unit.chunks])
    return [
        replace(
            unit,
            relations=(
                *(one for one in unit.relations if not one.id.startswith(CITED)),
                *relations_said(unit.document, unit.chunks, cited),
            ),
        )
        for unit in units
    ]


async def documents_holding(store: Store, scope: Scope, chunk_ids: Sequence[str]) -> set[str]:
    """Return the documents that these chunks are of."""
    documents: set[str] = set()
    for page in pages(chunk_ids, _PAGE):
        found = await store.truth.passages(scope, page)
        documents.update(passage.document.id for passage in found.values())
    return documents


def _by_chunk(
    stating: Iterable[_Stating],
) -> dict[str, list[tuple[Document, Relation]]]:
    cited: dict[str, list[tuple[Document, Relation]]] = {}
    for document, relations in sorted(stating, key=lambda one: one[0].id):
        for fact, chunk_ids in evidence_given(relations):
            for chunk_id in chunk_ids:
                cited.setdefault(chunk_id, []).append((document, as_stated(fact)))
    return cited


def relations_said(
    document: Document, chunks: Iterable[Chunk], cited: Cited, merged: Callable[[str], str] = str
) -> list[Relation]:
    """Return what the linked chunks of a document say because others name them as evidence.

    ``merged`` tells which entity somebody merged one into.
    """
    return [
        replace(fact, evidence=(chunk.id,), id=f"{CITED} {given_id(fact)}")
        for chunk in chunks
        for stating, fact in cited.get(chunk.id, ())
        if _may_cite(stating, document)
        and (_may_speak_for(stating, document) or _names_both(chunk, fact, merged))
    ]


def _may_cite(stating: Document, document: Document) -> bool:
    """Whether a statement may be told to all who see a document, and on the word of that.

    Nobody learns of a relation who may not see where it is stated, and no source speaks in the name
    of a better one.
    """
    is_open = not stating.personas
    is_told = is_open or (bool(document.personas) and document.personas <= stating.personas)
    return is_told and stating.reputation >= document.reputation


def _may_speak_for(stating: Document, document: Document) -> bool:
    """Whether whoever states a relation is believed about a document: its owner, or the operator.

    For anybody else the passage itself has to name both sides.
    """
    return stating.owner in ("", document.owner)


def _names_both(chunk: Chunk, fact: Relation, merged: Callable[[str], str]) -> bool:
    named = frozenset(chunk.entity_ids)
    return all(not named.isdisjoint((end, merged(end))) for end in (fact.source, fact.target))


def _mark(fact: Relation) -> str:
    """Return what tells the statements of one document apart."""
    told = repr((given_id(fact), fact.source, fact.target, fact.kind))
    return hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _chunk_of(reference: Relation) -> str:
    return reference.target.removeprefix(DOCUMENT_NODE)
