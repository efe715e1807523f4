"""What a store holds now of all that an answer rests on. Read once, then only compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sextant.ask.blocks import headings_of
from sextant.ask.edges import DECLARED
from sextant.ask.grounding.checking import holds
from sextant.ask.grounding.evidence import pieces_of
from sextant.ask.grounding.support import support
from sextant.ask.relation_sentences import declares_owner, is_said_by
from sextant.ask.stated import states_relation
from sextant.limits import DEFAULT
from sextant.ports import Embedder, Store
from sextant.text.blocks.rendering import render_run
from sextant.text.markdown import readable
from sextant.text.prose.units import headings_over, units_of
from sextant.text.words import Words
from sextant.types import Answer, Citation, Entity, Passage, Relation, Scope, Statement

_PAGE = 500
_FINGERPRINT = "sextant:fingerprint"
"""What a document that was taken in says of its own text, and its version begins with."""

Edge = tuple[str, str, str, str]
"""A relation and one chunk that says it; how sure that is goes with it."""


@dataclass(frozen=True, slots=True)
class Ground:
    """Documents with what stands in them, passages, edges with the chunks that say them, names."""

    documents: Mapping[str, Sequence[Passage]]
    passages: Mapping[str, Passage]
    edges: Mapping[Edge, float]
    entities: Mapping[str, Entity]

    def is_same_version(self, citation: Citation) -> bool:
        """Whether the document's text is that of the cited version.

        When other documents bring new names, a document is linked anew: that is another version,
        with the fingerprint of the same text.
        """
        for passage in self.documents[citation.document_id]:
            text = passage.document.metadata.get(_FINGERPRINT)
            now, then = (one.partition("/")[0] for one in (passage.version, citation.version))
            return passage.version == citation.version or text == now == then
        return False

    def quote_stands_there(self, citation: Citation) -> bool:
        """Whether the chunk has the quote at its place."""
        chunk = self.passages[citation.chunk_id].chunk
        start = citation.start - chunk.start
        is_within = start >= 0 and citation.end - citation.start == len(citation.quote)
        return is_within and chunk.text[start:].startswith(citation.quote) and bool(citation.quote)

    def quote_stands_somewhere(self, citation: Citation) -> bool:
        """Whether any chunk of the document has the quote."""
        own = self.documents[citation.document_id]
        return any(citation.quote in passage.chunk.text for passage in own)

    def says(self, citation: Citation, text: str) -> bool:
        """Whether a text is how the cited piece reads, by itself, under its title or a heading."""
        forms, above = {readable(citation.quote)}, self.above(citation)
        passage = self.passages.get(citation.chunk_id)
        if passage:
            at = citation.start - passage.chunk.start
            span = (at, at + len(citation.quote))
            own = [unit for unit in units_of(passage) if (unit.start, unit.end) == span]
            forms.update(readable(unit.text) for unit in own)
        return text in forms or text in {f"{one}: {form}" for form in forms for one in above}

    def shows(self, citation: Citation, statement: Statement) -> bool:
        """Whether a block is how the cited run of a page looks, under its headings."""
        passage = self.passages.get(citation.chunk_id)
        if passage is None:
            return False
        at = citation.start - passage.chunk.start
        shown = render_run(passage, at, at + len(citation.quote))
        return (statement.text, statement.headings) == (shown, headings_of(passage))

    def above(self, citation: Citation) -> list[str]:
        """Return the title that the cited piece stands under, and its headings."""
        passage = self.passages.get(citation.chunk_id)
        headings = headings_over(passage, citation.start - passage.chunk.start) if passage else ()
        return [readable(one) for one in (citation.title, *headings)]

    async def bears_out(
        self, sources: Sequence[Citation], text: str, words: Words, embedder: Embedder | None
    ) -> bool:
        """Whether the chunks of these sources say a sentence in other words."""
        cited = dict.fromkeys(one.chunk_id for one in sources if one.chunk_id in self.passages)
        pieces = [piece for name in cited for piece in pieces_of(self.passages[name], words)]
        return await holds(support(text, pieces, words), embedder)

    def has_edge(self, relation: Relation) -> bool:
        """Whether one of the chunks that said a relation still says it, or a record declares it."""
        ends = relation.source, relation.target, relation.kind
        said = any((*ends, name) in self.edges for name in relation.evidence)
        return said or declares_owner(relation, self.entities)

    def supports(self, relation: Relation, citation: Citation) -> bool:
        """Whether the words that are cited state a relation, or the cited record declares it."""
        passage = self.passages.get(citation.chunk_id)
        if passage is None:
            return False
        span = states_relation(passage, relation, self.entities)
        start = passage.chunk.start
        if span and citation.start <= start + span[0] and start + span[1] <= citation.end:
            return True
        edge = (relation.source, relation.target, relation.kind, citation.chunk_id)
        if self.edges.get(edge, 0.0) >= DECLARED:
            return True
        is_about = relation.source in passage.chunk.entity_ids
        return is_about and declares_owner(relation, self.entities)

    def reads(self, statement: Statement) -> bool:
        """Whether a statement is what its relations are in words."""
        return is_said_by(statement.text, statement.relations, self.entities)


async def ground_of(store: Store, scope: Scope, answer: Answer) -> Ground:
    """Read what an answer rests on, as far as the scope sees it."""
    relations = [own for one in answer.statements for own in one.relations]
    chunk_ids: dict[str, Sequence[str]] = {}
    for page in _pages(one.document_id for one in answer.citations):
        chunk_ids |= await store.truth.chunk_ids(scope, page)
    passages: dict[str, Passage] = {}
    every = [name for own in chunk_ids.values() for name in own]
    every += [one.chunk_id for one in answer.citations]
    every += [name for one in relations for name in one.evidence]
    for page in _pages(every):
        passages |= await store.truth.passages(scope, page)
    return Ground(
        {
            document_id: [passages[name] for name in own if name in passages]
            for document_id, own in chunk_ids.items()
        },
        passages,
        await _edges(store, scope, relations, passages),
        await _entities(store, scope, relations),
    )


async def _edges(
    store: Store, scope: Scope, relations: Iterable[Relation], passages: Mapping[str, Passage]
) -> Mapping[Edge, float]:
    evidence = [name for one in relations for name in one.evidence if name in passages]
    edges: dict[Edge, float] = {}
    for page in _pages(passages[name].document.id for name in evidence):
        for unit in (await store.truth.units(scope, page)).values():
            for one in unit.relations:
                for chunk_id in one.evidence:
                    edge = (one.source, one.target, one.kind, chunk_id)
                    edges[edge] = max(one.confidence, edges.get(edge, 0.0))
    return edges


async def _entities(store: Store, scope: Scope, relations: Iterable[Relation]) -> dict[str, Entity]:
    found: dict[str, Entity] = {}
    for page in _pages(end for one in relations for end in (one.source, one.target)):
        found |= await store.graph.entities(scope, page)
    return found


def _pages(ids: Iterable[str]) -> list[list[str]]:
    """Return what can be an id, each once, in pages; a file may name anything."""
    own = [name for name in dict.fromkeys(ids) if 0 < len(name) <= DEFAULT.id]
    return [own[start : start + _PAGE] for start in range(0, len(own), _PAGE)]
