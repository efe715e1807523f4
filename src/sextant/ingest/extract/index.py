"""Who holds a name, when several documents claim it. The same whatever order they came in.

Each document's claims are counted in and out, together with who may see the document. A name
belongs to the claim of the highest rank, then the first by id; a claim that lost its name to
another speaks of that other entity. A document is linked by the names alone that everybody who may
see it may see, so that no link tells what is hidden.

Names found in text or headings are held by nobody: they stand for themselves until somebody does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from sextant.ingest.extract.claims import Claim, Rank
from sextant.text.names import name_key, near_slugs, normal_name

V = TypeVar("V")
Audience = frozenset[str]
"""The personas that may see something; none stands for everybody."""

_FURTHEST = 8
"""An alias of an alias is followed this far; whoever goes round in circles stays where it is."""


@dataclass(frozen=True, slots=True, order=True)
class Holder:
    """Whose name it is; the least is the strongest."""

    weakness: int
    entity: str
    name: str

    @property
    def is_stated(self) -> bool:
        """Whether a source or a person states the entity, and not only some text."""
        return self.weakness <= _weakness(Rank.STATED, alias=True)

    @property
    def by_person(self) -> bool:
        """Whether a person said so."""
        return self.weakness <= _weakness(Rank.PERSON, alias=True)


def _weakness(rank: Rank, *, alias: bool) -> int:
    """A name of one's own is worth more than an alias of the same rank."""
    return -2 * rank + alias


@dataclass(frozen=True, slots=True)
class Changed:
    """The entities that lost a name or have another one now, and the spellings to seek anew."""

    entities: frozenset[str]
    spellings: frozenset[str]


Held = dict[tuple[Holder, Audience], int]
State = tuple[Holder | None, frozenset[str], frozenset[tuple[Holder, Audience]]]
"""What decides how a name is linked: who holds it, how it is spelt, and everybody who claims it
where some may not see all of them, or a person took it from them."""


@dataclass(slots=True)
class Names:
    """All claims to names, and how they are spelt; single words as they are written."""

    _held: dict[str, Held] = field(default_factory=dict)
    _spelt: dict[str, dict[tuple[str, Audience], int]] = field(default_factory=dict)
    _merged: dict[str, dict[tuple[str, str, Audience], int]] = field(default_factory=dict)
    _before: dict[str, State] = field(default_factory=dict)
    _moved: set[str] = field(default_factory=set)

    def add(self, claims: Iterable[Claim], audience: Audience) -> None:
        """Count a document's claims in."""
        self._count(claims, audience, 1)

    def remove(self, claims: Iterable[Claim], audience: Audience) -> None:
        """Count a document's claims out."""
        self._count(claims, audience, -1)

    def seen_by(self, audience: Audience) -> SeenNames:
        """Return the names that all of an audience may see."""
        return SeenNames(self._held, self._spelt, self._merged, audience)

    def changed(self) -> Changed:
        """Return what changed since last asked: who lost a name, and what must be sought anew."""
        losers, self._moved = self._moved, set()
        spellings: set[str] = set()
        for key, before in self._before.items():
            now = self._state(key)
            if now != before:
                losers.update(*map(near_slugs, before[1] | now[1]))
                losers.update(self._concerned(before, self._before))
                losers.update(self._concerned(now, {}))
                spellings |= now[1]
        self._before.clear()
        return Changed(frozenset(losers), frozenset(spellings))

    def _concerned(self, state: State, states: Mapping[str, State]) -> Iterator[str]:
        """Yield whose a name is in these states, through aliases of aliases and merges."""
        for holder in {state[0], *(holder for holder, _ in state[2])} - {None}:
            found: Holder | None = holder
            for _ in range(_FURTHEST):
                if found is None:
                    break
                yield found.entity
                yield from (into for into, _, _ in self._merged.get(found.entity, ()))
                key = name_key(found.name)
                further = (states.get(key) or self._state(key))[0]
                found = None if further is None or further.entity == found.entity else further

    def _state(self, key: str) -> State:
        held = self._held.get(key, {})
        spellings = frozenset(spelling for spelling, _ in self._spelt.get(key, ()))
        strongest = min((holder for holder, _ in held), default=None)
        is_told = (strongest and strongest.by_person) or any(audience for _, audience in held)
        return strongest, spellings, frozenset(held) if is_told else frozenset()

    def _count(self, claims: Iterable[Claim], audience: Audience, step: int) -> None:
        for claim in claims:
            if claim.rank < Rank.DEFINED:
                continue
            main, alias = (
                Holder(_weakness(claim.rank, alias=other), claim.id, claim.name)
                for other in (False, True)
            )
            for merged in claim.merges:
                self._moved |= {merged, claim.id}
                _step(self._merged, merged, (claim.id, claim.name, audience), step)
            self._note(claim.name, main, audience, step)
            for name in claim.aliases:
                self._note(name, alias, audience, step)

    def _note(self, name: str, holder: Holder, audience: Audience, step: int) -> None:
        key = name_key(name)
        if not key:
            return
        if key not in self._before:
            self._before[key] = self._state(key)
        spelling = name if name.isalpha() else normal_name(name)
        _step(self._held, key, (holder, audience), step)
        _step(self._spelt, key, (spelling, audience), step)


@dataclass(frozen=True, slots=True)
class SeenNames:
    """The names that an audience may see; it looks at the names as they are when asked."""

    _held: Mapping[str, Held]
    _spelt: Mapping[str, Mapping[tuple[str, Audience], int]]
    _merged: Mapping[str, Mapping[tuple[str, str, Audience], int]]
    _audience: Audience

    def holder(self, name: str) -> Holder | None:
        """Return whose name it is, through aliases of aliases."""
        return self._holder_of(name_key(name))

    def entity_of(self, claim: Claim) -> Holder:
        """Return the entity that a claim speaks of; what is stated speaks for itself."""
        own = Holder(_weakness(claim.rank, alias=False), claim.id, claim.name)
        if claim.rank >= Rank.STATED:
            return self._final(own)
        if claim.rank < Rank.DEFINED and not self._is_near(claim):
            return self._final(own)
        return self.holder(claim.name) or self._final(own)

    def _is_near(self, claim: Claim) -> bool:
        """Whether a name found in text is spelt like one that is held, or is its plural."""
        return any(
            claim.id in near_slugs(spelling) and self._sees(audience)
            for spelling, audience in self._spelt.get(name_key(claim.name), ())
        )

    def final(self, entity: str) -> str:
        """Return the entity itself, or the one that a person merged it into."""
        return self._final(Holder(0, entity, "")).entity

    def is_given_away(self, name: str, entity: str) -> bool:
        """Whether a person said that a name is not this entity's, but another's."""
        holder = self._strongest(name_key(name))
        return holder is not None and holder.by_person and self._final(holder).entity != entity

    def sought(self) -> Iterator[tuple[str, Holder]]:
        """Yield each spelling that is sought in every document, and whose it is."""
        for key, spellings in self._spelt.items():
            holder = self._holder_of(key)
            if holder:
                for spelling, audience in spellings:
                    if self._sees(audience):
                        yield spelling, holder

    def _holder_of(self, key: str) -> Holder | None:
        found = self._strongest(key)
        for _ in range(_FURTHEST):
            further = self._strongest(name_key(found.name)) if found else None
            if found is None or further is None or further.entity == found.entity:
                break
            found = further
        return self._final(found) if found else None

    def _final(self, holder: Holder) -> Holder:
        for _ in range(_FURTHEST):
            merged = self._merged.get(holder.entity, ())
            into = min(((one, name) for one, name, who in merged if self._sees(who)), default=None)
            if into is None:
                break
            holder = Holder(holder.weakness, *into)
        return holder

    def _strongest(self, key: str) -> Holder | None:
        held = self._held.get(key, ())
        return min((holder for holder, who in held if self._sees(who)), default=None)

    def _sees(self, audience: Audience) -> bool:
        return not audience or (bool(self._audience) and self._audience <= audience)


def _step(counts: dict[str, dict[V, int]], key: str, value: V, step: int) -> None:
    own = counts.setdefault(key, {})
    own[value] = own.get(value, 0) + step
    if own[value] <= 0:
        del own[value]
        if not own:
            del counts[key]
