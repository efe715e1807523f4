"""Who holds a name, when several documents claim it. The same whatever order they came in.

Each document's claims are counted in and out. A name belongs to the claim of the highest rank, then
the first by id; a claim that lost its name to another speaks of that other entity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from sextant.ingest.extract.claims import Claim, Rank
from sextant.text.names import name_key, normal_name

V = TypeVar("V")
_FURTHEST = 8
"""An alias of an alias is followed this far; whoever goes round in circles stays where it is."""


@dataclass(frozen=True, slots=True, order=True)
class Holder:
    """Whose name it is; the least is the strongest."""

    weakness: int
    entity: str
    name: str

    @property
    def sought(self) -> bool:
        """Whether other documents are searched for the name."""
        return self.weakness <= _weakness(Rank.DEFINED, alias=True)

    @property
    def by_person(self) -> bool:
        """Whether a person said so."""
        return self.weakness <= _weakness(Rank.PERSON, alias=True)


def _weakness(rank: Rank, *, alias: bool) -> int:
    """A name of one's own is worth more than an alias of the same rank."""
    return -2 * rank + alias


@dataclass(frozen=True, slots=True)
class _State:
    """What decides how a name is linked: its entity and that one's name, and what is sought."""

    entity: tuple[str, ...]
    name: tuple[str, ...]
    spellings: frozenset[str]
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """The entities that lost a name or have another one now, and the spellings to seek anew."""

    entities: frozenset[str]
    spellings: frozenset[str]


@dataclass(slots=True)
class Names:
    """All claims to names, and how they are spelt; single words as they are written."""

    _held: dict[str, dict[Holder, int]] = field(default_factory=dict)
    _spelt: dict[str, dict[str, int]] = field(default_factory=dict)
    _before: dict[str, _State] = field(default_factory=dict)
    _merged: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    _moved: set[str] = field(default_factory=set)

    def add(self, claims: Iterable[Claim]) -> None:
        """Count a document's claims in."""
        self._count(claims, 1)

    def remove(self, claims: Iterable[Claim]) -> None:
        """Count a document's claims out."""
        self._count(claims, -1)

    def holder(self, name: str) -> Holder | None:
        """Return whose name it is, through aliases of aliases."""
        found = self._strongest(name_key(name))
        for _ in range(_FURTHEST):
            further = self._strongest(name_key(found.name)) if found else None
            if found is None or further is None or further.entity == found.entity:
                break
            found = further
        return self._final(found) if found else None

    def entity_of(self, claim: Claim) -> Holder:
        """Return the entity that a claim speaks of; what is stated speaks for itself."""
        own = Holder(_weakness(claim.rank, alias=False), claim.id, claim.name)
        stands = claim.rank >= Rank.STATED
        return self._final(own) if stands else self.holder(claim.name) or own

    def final(self, entity: str) -> str:
        """Return the entity itself, or the one that a person merged it into."""
        return self._final(Holder(0, entity, "")).entity

    def _final(self, holder: Holder) -> Holder:
        for _ in range(_FURTHEST):
            into = min(self._merged.get(holder.entity, ()), default=None)
            if into is None:
                break
            holder = Holder(holder.weakness, *into)
        return holder

    def is_given_away(self, name: str, entity: str) -> bool:
        """Whether a person said that a name is not this entity's, but another's."""
        holder = self._strongest(name_key(name))
        return holder is not None and holder.by_person and self._final(holder).entity != entity

    def sought(self) -> Iterator[tuple[str, Holder]]:
        """Yield each spelling that is sought in every document, and whose it is."""
        for key, spellings in self._spelt.items():
            strongest = self._strongest(key)
            if strongest and strongest.sought:
                holder = self.holder(next(iter(spellings))) or strongest
                yield from ((spelling, holder) for spelling in spellings)

    def changed(self) -> Changed:
        """Return what changed since last asked: who lost a name, and what must be sought anew."""
        losers, self._moved = self._moved, set()
        spellings: set[str] = set()
        for key, before in self._before.items():
            now = self._state(key)
            if now != before:
                losers.update(self._followed(before, self._before))
                if before.by_person or now.by_person:
                    losers.update(self._followed(now, {}))
                spellings |= now.spellings
        self._before.clear()
        return Changed(frozenset(losers), frozenset(spellings))

    def _followed(self, state: _State, states: Mapping[str, _State]) -> Iterator[str]:
        """Yield whose a name is in these states, through aliases of aliases and merges."""
        yield from state.entity
        for _ in range(_FURTHEST):
            key = name_key(state.name[0]) if state.name else ""
            further = states.get(key) or self._state(key)
            if not further.entity or further.entity == state.entity:
                break
            state = further
        for entity in state.entity:
            yield entity
            yield self.final(entity)

    def _state(self, key: str) -> _State:
        holder = self._strongest(key)
        entity = (holder.entity, holder.name) if holder else ()
        by_person = holder is not None and holder.by_person
        return _State(entity[:1], entity[1:], frozenset(self._spelt.get(key, ())), by_person)

    def _strongest(self, key: str) -> Holder | None:
        return min(self._held.get(key, ()), default=None)

    def _count(self, claims: Iterable[Claim], step: int) -> None:
        for claim in claims:
            main, alias = (
                Holder(_weakness(claim.rank, alias=other), claim.id, claim.name)
                for other in (False, True)
            )
            for merged in claim.merges:
                self._moved |= {merged, claim.id}
                _step(self._merged, merged, (claim.id, claim.name), step)
            self._note(claim.name, main, step)
            for name in claim.aliases:
                self._note(name, alias, step)

    def _note(self, name: str, holder: Holder, step: int) -> None:
        key = name_key(name)
        if not key:
            return
        if key not in self._before:
            self._before[key] = self._state(key)
        _step(self._held, key, holder, step)
        if holder.sought:
            _step(self._spelt, key, name if name.isalpha() else normal_name(name), step)


def _step(counts: dict[str, dict[V, int]], key: str, value: V, step: int) -> None:
    own = counts.setdefault(key, {})
    own[value] = own.get(value, 0) + step
    if own[value] <= 0:
        del own[value]
        if not own:
            del counts[key]
