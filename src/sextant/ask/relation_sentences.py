"""Edges of the graph in words, and back: what a saved sentence may say of its relations.

Sentences are English, as the names of kinds are. Knows no question and no store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

from sextant.ask.phrases import Phrases, every_language
from sextant.text.markdown import printable
from sextant.text.names import normal_name
from sextant.text.relation_kinds import kind_of
from sextant.types import Entity, Relation

_MOST_NAMES, _MOST_MIDDLES = 30, 2
Entities = Mapping[str, Entity]


def name_of(entity_id: str, entities: Entities) -> str:
    """Return what an entity is called, on one line and without signs that are not seen."""
    known = entities.get(entity_id)
    name = known.name if known else entity_id.rpartition("/")[2].replace("-", " ")
    return " ".join(printable(name).split())


def relation_sentence(relations: Sequence[Relation], entities: Entities) -> str:
    """Return edges as a sentence; those of one kind with an end in common together."""
    return _ended("; ".join(_clause(group, entities) for group in _groups(relations)))


def closure_sentence(relations: Sequence[Relation], entities: Entities, root: str) -> str:
    """Return how far edges go from a root: its own first, then who is reached through whom.

    Where that is through many, nobody reads through whom.
    """
    own = [one for one in relations if root in (one.source, one.target)]
    inwards = bool(own) and own[0].target == root
    told = "; ".join(_clause(group, entities) for group in _groups(own))
    through: dict[str, list[str]] = {}
    for one in relations:
        middle, end = (one.target, one.source) if inwards else (one.source, one.target)
        if one not in own:
            through.setdefault(middle, []).append(name_of(end, entities))
    if len(through) > _MOST_MIDDLES:
        return _ended(
            f"{told}; indirectly also {_listed([*chain.from_iterable(through.values())])}"
        )
    for middle, names in through.items():
        told += f"; through {name_of(middle, entities)} also {_listed(names)}"
    return _ended(told)


def chain_sentence(relations: Sequence[Relation], entities: Entities) -> str:
    """Return edges of which each begins where the one before it ends."""
    first, *more = relations
    told = _clause([first], entities)
    for one in more:
        told += f", which {kind_of(one.kind).singular} {name_of(one.target, entities)}"
    return _ended(told)


def yes_sentence(relations: Sequence[Relation], entities: Entities, phrases: Phrases) -> str:
    """Return a yes with the edges that prove it."""
    return phrases.edge_yes.format(said=chain_sentence(relations, entities).rstrip("."))


def no_sentence(
    relations: Sequence[Relation], entities: Entities, root: str, phrases: Phrases
) -> str:
    """Return a no with all that there is instead."""
    is_single = kind_of(relations[0].kind).single
    form = phrases.edge_no_other if is_single else phrases.edge_no
    return form.format(said=closure_sentence(relations, entities, root).rstrip("."))


def count_sentence(relations: Sequence[Relation], entities: Entities) -> str:
    """Return how many there are, and which."""
    return f"{len(relations)}: {relation_sentence(relations, entities)}"


def reverse_sentence(relations: Sequence[Relation], entities: Entities, phrases: Phrases) -> str:
    """Return that nothing leads to a source, and where it leads itself."""
    name = name_of(relations[0].source, entities)
    nobody = nobody_sentence(name, relations[0].kind, phrases, out=False)
    return f"{nobody} {relation_sentence(relations, entities)}"


def nobody_sentence(name: str, kind: str, phrases: Phrases, *, out: bool) -> str:
    """Return that nothing is recorded of a kind, from a name or towards it."""
    own = kind_of(kind)
    form = phrases.edge_nothing_into
    if out:
        form = phrases.edge_nobody if own.people else phrases.edge_nothing
    return form.format(name=name, says=own.singular)


def none_sentence(name: str, kind: str, other: str, phrases: Phrases) -> str:
    """Return that nothing recorded says an edge."""
    return phrases.edge_unsaid.format(said=f"{name} {kind_of(kind).singular} {other}")


def with_more(sentence: str, phrases: Phrases) -> str:
    """Return a sentence that says that it does not name all."""
    return f"{sentence} {phrases.edge_more}"


def declares_owner(relation: Relation, entities: Entities) -> bool:
    """Whether the metadata of an entity name the owner that a relation does."""
    source = entities.get(relation.source)
    given = normal_name(source.metadata.get("owner", "")) if source else ""
    target = entities.get(relation.target)
    names = (target.name, *target.aliases) if target else ()
    forms = {normal_name(one) for one in (relation.target, *names)}
    return relation.kind == "owned_by" and bool(given) and given in forms


def is_said_by(text: str, relations: Sequence[Relation], entities: Entities) -> bool:
    """Whether a saved text is what its relations say, in any language and form."""
    return bool(relations) and any(text == form for form in _forms(relations, entities))


def _forms(relations: Sequence[Relation], entities: Entities) -> Iterator[str]:
    """Yield every sentence that may be made of these relations."""
    roots = dict.fromkeys((relations[0].source, relations[0].target))
    closures = [
        closure_sentence(relations, entities, root)
        for root in roots
        if _is_reached(relations, root)
    ]
    plain = [relation_sentence(relations, entities), *closures]
    is_chain = all(one.target == other.source for one, other in pairwise(relations))
    if is_chain:
        plain.append(chain_sentence(relations, entities))
    plain.append(count_sentence(relations, entities))
    yield from plain
    for phrases in every_language():
        yield from (with_more(one, phrases) for one in plain)
        yield reverse_sentence(relations, entities, phrases)
        yield with_more(reverse_sentence(relations, entities, phrases), phrases)
        if is_chain:
            yield yes_sentence(relations, entities, phrases)
        for root in roots:
            if _is_reached(relations, root):
                yield no_sentence(relations, entities, root, phrases)


def _is_reached(relations: Iterable[Relation], root: str) -> bool:
    """Whether all edges go on from a root one way."""
    rest = list(relations)
    inwards = rest[0].target == root
    seen = {root}
    for one in rest:
        start, end = (one.target, one.source) if inwards else (one.source, one.target)
        if start not in seen:
            return False
        seen.add(end)
    return True


def _groups(relations: Iterable[Relation]) -> list[list[Relation]]:
    """Put edges of one kind that share an end into one group."""
    groups: list[list[Relation]] = []
    for one in dict.fromkeys(relations):
        own = next((group for group in groups if _shares_end(group, one)), None)
        if own is None:
            groups.append([one])
        else:
            own.append(one)
    return groups


def _shares_end(group: Sequence[Relation], one: Relation) -> bool:
    if group[0].kind != one.kind:
        return False
    return all(other.source == one.source for other in group) or all(
        other.target == one.target for other in group
    )


def _clause(relations: Sequence[Relation], entities: Entities) -> str:
    kind = kind_of(relations[0].kind)
    sources = list(dict.fromkeys(name_of(one.source, entities) for one in relations))
    targets = list(dict.fromkeys(name_of(one.target, entities) for one in relations))
    says = kind.plural if len(sources) > 1 else kind.singular
    return f"{_listed(sources)} {says} {_listed(targets)}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        names = [*names[:_MOST_NAMES], f"{len(names) - _MOST_NAMES} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _ended(told: str) -> str:
    return f"{told[:1].upper()}{told[1:]}."
