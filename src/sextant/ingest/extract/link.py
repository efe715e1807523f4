"""From a draft to a unit of work: who is mentioned where, and what is said of whom.

The same draft and the same names give the same unit, whatever was known in between.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from operator import attrgetter

from sextant.ingest.extract.claims import FOUND_IN, LISTED, Claim, Rank
from sextant.ingest.extract.index import Holder, SeenNames
from sextant.ingest.extract.mentions import Finder, Mention, OwnNames, Wording
from sextant.ingest.extract.sayings import TOGETHER, edges_in
from sextant.ingest.keeping.draft import ABOUT, CLAIMS, Draft, claims_text, overruled
from sextant.text.names import name_key, normal_name
from sextant.text.prose.headings import headings_before, headings_in
from sextant.types import Chunk, Entity, Put, Relation

_ABOUT = 0.9
_HEARD = 0.65
"""How sure a model's word is: less than any phrase that patterns know."""

_MOST_NAMES = 500
Pair = tuple[Claim, Holder]
Contributions = dict[tuple[str, str, str], dict[str, float]]


@dataclass(frozen=True, slots=True)
class _Subjects:
    """What a document is about, and whose the names are that its sections may be about.

    ``heard`` are the entities that a model found something to be said of, by chunk.
    """

    document: str
    called: Mapping[str, str]
    heard: Mapping[str, Set[str]]

    def in_chunk(self, chunk_id: str) -> set[str]:
        """Return who is spoken of in a chunk, named there or not."""
        return {self.document, *self.heard.get(chunk_id, ())} - {""}

    def of(self, headings: Iterable[str], named: Set[str]) -> str:
        """Return what a section is about: whom its heading calls by name, if its text does too."""
        own = (self.called.get(name_key(heading), "") for heading in headings)
        return next((one for one in own if one in named), self.document)


def link(draft: Draft, names: SeenNames, finder: Finder, cited: Sequence[Relation] = ()) -> Put:
    """Return the document as a unit, under the names that are known.

    ``cited`` is what its chunks say because others name them as evidence.
    """
    others = (
        *draft.references,
        *(
            replace(one, source=names.final(one.source), target=names.final(one.target))
            for one in cited
        ),
    )
    if draft.is_fixed:
        return _unit(draft, draft.chunks, draft.stated, (*draft.facts, *others))
    pairs = [(claim, names.entity_of(claim)) for claim in draft.claims]
    said: Contributions = defaultdict(dict)
    subjects = _Subjects(
        _subject(pairs),
        {name_key(claim.name): holder.entity for claim, holder in pairs},
        _heard(draft, pairs, said),
    )
    own = OwnNames(
        (normal_name(claim.name), holder.entity)
        for claim, holder in pairs
        if claim.rank < Rank.DEFINED
    )
    chunks = tuple(
        _linked(chunk, draft.blanked.get(chunk.id), finder, own, subjects, said)
        for chunk in draft.chunks
    )
    facts = [
        overruled(fact, names.final(fact.source), names.final(fact.target)) for fact in draft.facts
    ]
    relations = (*facts, *_relations(said), *_links(draft, subjects.document), *others)
    return _unit(draft, chunks, _definitions(draft, pairs, names), relations)


def _unit(
    draft: Draft,
    chunks: tuple[Chunk, ...],
    entities: Iterable[Entity],
    relations: tuple[Relation, ...],
) -> Put:
    entities = tuple(sorted(entities, key=lambda one: one.id))
    version = hashlib.blake2b(
        _linking_text(chunks, entities, relations).encode(), digest_size=8
    ).hexdigest()
    key = f"{draft.fingerprint}/{version}"
    return Put(draft.document, chunks, entities, relations, draft.vectors, key, pieces=draft.pieces)


def _linking_text(
    chunks: Iterable[Chunk], entities: Iterable[Entity], relations: Iterable[Relation]
) -> str:
    """Return what linking added to a document, as one text."""
    lines = ["\t".join(chunk.entity_ids) for chunk in chunks]
    for one in entities:
        more = (*sorted(one.aliases), "", *sorted(one.metadata.values()))
        lines.append("\t".join((one.id, one.name, one.type, *more)))
    for edge in relations:
        sure = f"{edge.confidence} {edge.weight}"
        said = (edge.source, edge.target, edge.kind, sure, edge.id, *edge.evidence)
        lines.append("\t".join(said))
    return "\n".join(lines)


def _subject(pairs: Sequence[Pair]) -> str:
    """Return what the document is about: the one thing that it states, or its title."""
    stated = [holder.entity for claim, holder in pairs if claim.rank == Rank.STATED]
    if len(stated) == 1:
        return stated[0]
    titles = (holder.entity for claim, holder in pairs if claim.rank == Rank.TITLE)
    return next(titles, "")


def _heard(draft: Draft, pairs: Sequence[Pair], said: Contributions) -> dict[str, set[str]]:
    """Note what a model found to be said, and return the entities that it is said of by chunk."""
    ends: dict[str, set[str]] = {}
    if not draft.heard:
        return ends
    called = _called(pairs)
    for chunk_id, heard in draft.heard.items():
        for one, kind, other in heard:
            source, target = called.get(name_key(one)), called.get(name_key(other))
            if source and target and source.entity != target.entity:
                said[source.entity, target.entity, kind][chunk_id] = _HEARD
                ends.setdefault(chunk_id, set()).update((source.entity, target.entity))
    return ends


def _called(pairs: Iterable[Pair]) -> dict[str, Holder]:
    """Return whose a name is among the claims; a name of one's own goes before an alias."""
    names: dict[str, Holder] = {}
    aliases: dict[str, Holder] = {}
    for claim, holder in pairs:
        for known, spellings in ((names, (claim.name,)), (aliases, claim.aliases)):
            for key in map(name_key, spellings):
                known[key] = min(holder, known.get(key, holder))
    return aliases | names


def _linked(
    chunk: Chunk,
    blanked: str | None,
    finder: Finder,
    own: OwnNames,
    subjects: _Subjects,
    said: Contributions,
) -> Chunk:
    """Return the chunk with the entities in it, and note what its sentences say but in orders."""
    found = subjects.in_chunk(chunk.id)
    for headings, start, end in _sections(chunk):
        text = chunk.text[start:end]
        wording = Wording(text)
        mentions = _mentions(wording, finder, own)
        named = {mention.entity for mention in mentions}
        found |= named
        subject = subjects.of(headings, named)
        edges = list(edges_in(wording, mentions, subject, finder.stated))
        if edges and blanked is not None and (told := blanked[start:end]) != text:
            wording = Wording(told)
            mentions = _mentions(wording, finder, own)
            edges = list(edges_in(wording, mentions, subject, finder.stated))
        for source, target, kind, confidence in edges:
            heard = said[source, target, kind]
            heard[chunk.id] = max(confidence, heard.get(chunk.id, 0.0))
    for inside in headings_in(chunk.text):
        found |= {one.entity for one in _mentions(Wording(inside.name), finder, own)}
    for heading in chunk.headings:
        found |= finder.entities_in(heading)
    ids = tuple(sorted(found)[:_MOST_NAMES])
    return Chunk(chunk.id, chunk.text, chunk.start, chunk.end, chunk.headings, chunk.page, ids)


def _sections(chunk: Chunk) -> Iterator[tuple[list[str], int, int]]:
    """Yield where text stands between headings in a chunk, with those over it, nearest first."""
    inside = headings_in(chunk.text)
    starts = [0, *(heading.end for heading in inside)]
    ends = [*(heading.start for heading in inside), len(chunk.text)]
    for start, end in zip(starts, ends, strict=True):
        if start < end:
            over = headings_before(inside, end if start else 0)
            yield [*over, *reversed(chunk.headings)], start, end


def _mentions(wording: Wording, finder: Finder, own: OwnNames) -> list[Mention]:
    """Return the names in a text, in order; a known name goes before one found here."""
    found = finder.find(wording)
    here = list(own.find(wording))
    if not here:
        return found
    taken = {place for one in found for place in range(one.first, one.last + 1)}
    for mention in here:
        places = range(mention.first, mention.last + 1)
        if taken.isdisjoint(places):
            taken.update(places)
            found.append(mention)
    return sorted(found, key=_first)


_first = attrgetter("first")


def _relations(said: Contributions) -> list[Relation]:
    """Return what was said in order: each chunk's word by itself, but one for names met together.

    How often two names meet is a weight; the first chunk that shows it is evidence enough.
    """
    relations: list[Relation] = []
    for edge, heard in sorted(said.items()):
        if edge[2] == TOGETHER:
            first = next(iter(heard))
            relations.append(Relation(*edge, heard[first], float(len(heard)), (first,)))
        else:
            relations += [
                Relation(*edge, confidence, evidence=(chunk_id,))
                for chunk_id, confidence in heard.items()
            ]
    return relations


def _links(draft: Draft, subject: str) -> list[Relation]:
    source = subject or draft.node
    links = [
        Relation(source, one.target, one.kind, one.confidence, one.weight, one.evidence)
        for one in draft.links
    ]
    if subject:
        links.append(Relation(draft.node, subject, ABOUT, _ABOUT))
    return links


def _definitions(draft: Draft, pairs: Sequence[Pair], names: SeenNames) -> list[Entity]:
    """Return one definition for each entity that the document's claims speak of."""
    groups: dict[str, list[Pair]] = defaultdict(list)
    for claim, holder in pairs:
        groups[holder.entity].append((claim, holder))
    stated = {entity.id: entity for entity in draft.stated}
    return [_definition(own, stated, names) for own in groups.values()]


def _definition(own: Sequence[Pair], stated: Mapping[str, Entity], names: SeenNames) -> Entity:
    claim, holder = own[0]
    aliases = {name for one, _ in own for name in one.aliases}
    lost = {name for name in aliases if names.is_given_away(name, holder.entity)}
    if len(own) == 1 and not lost and claim.id == holder.entity and claim.name == holder.name:
        if claim.id in stated:
            return stated[claim.id]
        return Entity(claim.id, claim.name, claim.type, claim.aliases, _found_in(own))
    claims = [one for one, _ in own]
    spellings = {one.name for one in claims} | aliases - lost
    kind = next((one.type for one in claims if one.type), "")
    metadata = {CLAIMS: claims_text(claims, stated)}
    for one in reversed(claims):
        metadata |= stated[one.id].metadata if one.rank == Rank.STATED else {}
    if claim.rank != Rank.STATED:
        metadata |= _found_in(own)
    return Entity(holder.entity, holder.name, kind, frozenset(spellings - {holder.name}), metadata)


def _found_in(own: Sequence[Pair]) -> dict[str, str]:
    """Return where a name was found; of all documents that say so, one is enough to list it."""
    found_in = {FOUND_IN: own[0][0].rank.name.lower()}
    is_listed = any(claim.listed or holder.is_stated for claim, holder in own)
    return found_in | ({LISTED: "yes"} if is_listed else {})
