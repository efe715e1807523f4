"""What is held: units of work as they were written, and who may see them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sextant.limits import check_embedded
from sextant.settings import KeywordSettings
from sextant.stores.definitions import combine
from sextant.stores.digest import unit_key
from sextant.text.bm25 import bag_of
from sextant.text.words import Words
from sextant.types import Chunk, Definition, Entity, Passage, Pieces, Put, Relation

_DIGITS = 6
"""Weights are kept in millionths by every store, so that they add up the same in any order."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A chunk where it stands: its unit, and its place among the unit's chunks."""

    unit: Put
    at: int

    @property
    def chunk(self) -> Chunk:
        """The chunk itself."""
        return self.unit.chunks[self.at]

    @property
    def passage(self) -> Passage:
        """The chunk as a passage."""
        return Passage(self.chunk, self.unit.document, self.unit.key)

    @property
    def pieces(self) -> Pieces | None:
        """The vectors of its pieces, if it has any."""
        pieces = self.unit.pieces[self.at] if self.unit.pieces else None
        return pieces if pieces is not None and len(pieces.spans) else None

    def bag(self, words: Words, weights: KeywordSettings) -> Counter[str]:
        """Return its terms, and how often each counts."""
        return bag_of(self.unit.document, self.chunk, words, weights)


def settle(put: Put, width: int) -> Put:
    """Return the unit as kept: with its key, vectors of length 1, one relation per contribution."""
    vectors, pieces = check_embedded(put, width)
    return Put(
        replace(put.document, reputation=float(put.document.reputation)),
        put.chunks,
        tuple(sorted(put.entities, key=lambda entity: entity.id)),
        tuple(_contributions(put.relations)),
        vectors,
        unit_key(put),
        pieces=pieces,
    )


def is_unembedded(unit: Put) -> bool:
    """Whether a unit has chunks and no vectors of them."""
    return bool(unit.chunks) and unit.vectors is None


def is_known(unit: Put, key: str, unembedded: bool) -> bool:
    """Whether the version of a key that is there is this one, with vectors if it brings any."""
    return unit.key == key and not (unembedded and unit.vectors is not None)


def _contributions(relations: Iterable[Relation]) -> Iterator[Relation]:
    for relation in relations:
        each: list[tuple[str, ...]] = [(chunk_id,) for chunk_id in dict.fromkeys(relation.evidence)]
        for evidence in each or [()]:
            yield replace(
                relation,
                confidence=float(relation.confidence),
                weight=round(relation.weight, _DIGITS),
                evidence=evidence,
                support=1,
            )


def standings(units: Iterable[Put]) -> Iterator[Standing]:
    """Yield every chunk where it stands."""
    for unit in units:
        yield from (Standing(unit, at) for at in range(len(unit.chunks)))


def definitions(units: Iterable[Put]) -> Iterator[Definition]:
    """Yield what each unit says of each entity."""
    for unit in units:
        document = unit.document
        for entity in unit.entities:
            yield Definition(entity, document.id, document.reputation, document.personas)


def entities(units: Iterable[Put]) -> dict[str, Entity]:
    """Return what the units' definitions add up to."""
    said: dict[str, list[Definition]] = defaultdict(list)
    for definition in definitions(units):
        said[definition.entity.id].append(definition)
    return {name: combine(own) for name, own in said.items()}


def entity_ids_of(unit: Put) -> set[str]:
    """Return the entities that a unit defines, mentions or relates."""
    mentioned = {name for chunk in unit.chunks for name in chunk.entity_ids}
    related = {end for relation in unit.relations for end in (relation.source, relation.target)}
    return mentioned | related | {entity.id for entity in unit.entities}
