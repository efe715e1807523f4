"""A document before its names are linked: from a reading, or from what the store holds of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sextant.ingest.extract.claims import (
    FOUND_IN,
    LISTED,
    Claim,
    Rank,
    claims_of,
    texts_without_orders,
)
from sextant.ingest.extract.findings import FoundRelation, findings_in
from sextant.text.names import slug
from sextant.types import (
    DOCUMENT_NODE,
    OWN,
    Chunk,
    Document,
    Entity,
    Pieces,
    Put,
    Relation,
    is_own,
)

if TYPE_CHECKING:  # a process that reads makes no vectors, and would load it for nothing
    import numpy as np
    from numpy.typing import NDArray

CLAIMS, MERGES = f"{OWN}claims", f"{OWN}merges"
STATED = f"{OWN}stated"
"""The id of a relation that is stated under none, and what its own ends are kept under."""

REFERENCE, CITED = f"{OWN}evidence", f"{OWN}cited"
"""The ids of links to evidence in other documents, and of what is said here as such evidence."""

LINKED_BY_SOURCE = f"{OWN}linked_by_source"
"""Marks a document that came with its own entities and chunks, which are left as they are."""

ABOUT, LINKS_TO = "about", "links_to"


@dataclass(frozen=True, slots=True)
class Draft:
    """What a document says, with nothing yet of what others say.

    ``facts`` are the relations that it states outright, ``references`` the links to their evidence
    in other documents, ``links`` those to other documents, and ``heard`` those that a model found
    in the text of each chunk, between names. ``ruled`` are the personas that a rule of the settings
    gives it to. ``given`` are vectors that came with it, by chunk, and ``blanked`` the texts of
    chunks that have orders to an assistant, without these.
    """

    document: Document
    chunks: tuple[Chunk, ...]
    claims: tuple[Claim, ...]
    stated: tuple[Entity, ...] = ()
    facts: tuple[Relation, ...] = ()
    links: tuple[Relation, ...] = ()
    fingerprint: str = ""
    vectors: NDArray[np.float32] | None = None
    heard: Mapping[str, Sequence[FoundRelation]] = field(default_factory=dict)
    ruled: frozenset[str] = frozenset()
    pieces: tuple[Pieces | None, ...] | None = None
    references: tuple[Relation, ...] = ()
    given: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    blanked: Mapping[str, str] = field(default_factory=dict)

    @property
    def node(self) -> str:
        """The document itself as a node of the graph."""
        return DOCUMENT_NODE + self.document.id

    @property
    def is_fixed(self) -> bool:
        """Whether the source has linked it already."""
        return LINKED_BY_SOURCE in self.document.metadata


def draft_of(
    document: Document,
    chunks: tuple[Chunk, ...],
    stated: tuple[Entity, ...] = (),
    facts: tuple[Relation, ...] = (),
    links: tuple[Relation, ...] = (),
    fingerprint: str = "",
) -> Draft:
    """Work out what a document claims."""
    if LINKED_BY_SOURCE in document.metadata:
        claims = [claim for entity in stated for claim in claims_in(entity)]
        return Draft(document, chunks, tuple(claims), stated, facts, links, fingerprint)
    named, heard = findings_in(document, chunks)
    blanked = texts_without_orders(chunks)
    found = claims_of(document, chunks, stated, named, blanked)
    own = (document, chunks, tuple(found), stated, facts, links, fingerprint)
    return Draft(*own, heard=heard, blanked=blanked)


def draft_from(unit: Put) -> Draft:
    """Return the draft that a stored unit was made from."""
    fixed = LINKED_BY_SOURCE in unit.document.metadata
    draft = draft_of(
        unit.document,
        unit.chunks,
        unit.entities if fixed else tuple(stated_in(unit.entities)),
        tuple(as_stated(one) for one in unit.relations if is_stated(one)),
        tuple(one for one in unit.relations if one.kind == LINKS_TO and not one.id),
        unit.key.partition("/")[0],
    )
    references = tuple(one for one in unit.relations if one.id.startswith(REFERENCE))
    return replace(draft, vectors=unit.vectors, pieces=unit.pieces, references=references)


def overruled(fact: Relation, source: str, target: str) -> Relation:
    """Return a stated relation between other entities, which remembers its own."""
    if (fact.source, fact.target) == (source, target):
        return fact
    own = json.dumps([fact.id, fact.source, fact.target])
    return replace(fact, source=source, target=target, id=f"{STATED} {own}")


def is_stated(relation: Relation) -> bool:
    """Whether a document states a relation itself."""
    return bool(relation.id) and not is_derived(relation)


def is_derived(relation: Relation) -> bool:
    """Whether a relation is there only for evidence that stands in another document."""
    return relation.id.startswith((REFERENCE, CITED))


def as_stated(fact: Relation) -> Relation:
    """Return a stated relation between its own entities."""
    if not fact.id.startswith(f"{STATED} "):
        return fact
    name, source, target = json.loads(fact.id.removeprefix(f"{STATED} "))
    return replace(fact, id=name, source=source, target=target)


def given_id(fact: Relation) -> str:
    """Return what the source calls a relation, if it calls it something."""
    name = as_stated(fact).id.removeprefix(f"{CITED} ")
    return "" if is_own(name) else name


def relation_id(relation: Relation) -> str:
    """Return the id of a relation for the outside: its source's, or one made of what it says."""
    ends = "\t".join((relation.source, relation.target, relation.kind))
    made = hashlib.blake2b(ends.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return given_id(relation) or f"rel-{made}"


def stated_in(entities: Iterable[Entity]) -> Iterator[Entity]:
    """Yield the entities as the source stated them, without what was found in text."""
    for entity in entities:
        if CLAIMS in entity.metadata:
            for name, rank, aliases, kind, *own in json.loads(entity.metadata[CLAIMS]):
                if rank == Rank.STATED:
                    yield Entity(own[0], name, kind, frozenset(aliases), own[1])
        elif FOUND_IN not in entity.metadata:
            yield entity


def shown(entity: Entity) -> Entity:
    """Return an entity without what is kept only to link it anew."""
    kept = {name: value for name, value in entity.metadata.items() if name not in _OWN_FIELDS}
    return replace(entity, metadata=kept) if len(kept) < len(entity.metadata) else entity


def is_listed(entity: Entity) -> bool:
    """Whether an entity is a name for all who look for one, and not only found by its words."""
    found_in = entity.metadata.get(FOUND_IN, _BY_PERSON)
    return entity.metadata.get(LISTED, "yes" if found_in == _BY_PERSON else "no") == "yes"


_BY_PERSON = Rank.PERSON.name.lower()
_OWN_FIELDS = frozenset({FOUND_IN, LISTED, CLAIMS, MERGES})


def claims_in(entity: Entity) -> list[Claim]:
    """Return the claims that a stored definition stands for."""
    if CLAIMS in entity.metadata:
        return [
            Claim(
                own[0] if own else slug(name),
                name,
                Rank(rank),
                frozenset(aliases),
                kind,
            )
            for name, rank, aliases, kind, *own in json.loads(entity.metadata[CLAIMS])
        ]
    found_in = entity.metadata.get(FOUND_IN)
    is_word = entity.metadata.get(LISTED) == "no"
    rank = Rank[found_in.upper()] if found_in else Rank.TEXT if is_word else Rank.STATED
    merges = frozenset(json.loads(entity.metadata.get(MERGES, "[]")))
    return [Claim(entity.id, entity.name, rank, entity.aliases, entity.type, merges)]


def claims_text(claims: Iterable[Claim], stated: Mapping[str, Entity]) -> str:
    """Return claims as a definition holds them when they are not plain from it."""
    return json.dumps(
        [
            [one.name, int(one.rank), sorted(one.aliases), one.type]
            + ([one.id, dict(stated[one.id].metadata)] if one.rank == Rank.STATED else [])
            for one in claims
        ],
        sort_keys=True,
    )
