"""A Backstage catalogue: each entity a document, an entity, and the facts it states of itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sextant.errors import BrokenFile
from sextant.ingest.read.data.references import Reference, parse_reference
from sextant.ingest.read.data.trees import write_tree
from sextant.ingest.read.data.yamls import load_yaml
from sextant.ingest.read.declared import scalar_text, web_address
from sextant.ingest.read.decode import decode_within, storable
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import at_most
from sextant.ingest.values import Fact, Kind, Reading
from sextant.text.relation_kinds import kind_of, relation_kinds
from sextant.types import Entity

FORMAT = "catalogue"
_OWN = "sextant.dev/"


@dataclass(frozen=True, slots=True)
class _Rule:
    """How a field of ``spec`` becomes facts: the kind it implies, and which way they point."""

    kind: str
    implied: str
    reversed: bool = False


def _rules() -> Iterator[tuple[str, _Rule]]:
    for name, kind in relation_kinds().items():
        yield from ((field, _Rule(name, one)) for field, one in kind.fields.items())
        for field, one in kind.fields_backwards.items():
            yield field, _Rule(name, one, reversed=True)


_RULES = dict(_rules())
_ESCALATES = _Rule("escalates_to", "group")
_VOWEL_SOUND = re.compile(
    r"(?!e[uw]|on(?:e|ce)\b|u(?:bi|ni(?![dmn])|nanim|r[aeil]|s[aeiu]|t(?:en|il|op)))[aeiou]"
    r"|h(?:eir|onest|onou?r|our)",
    re.IGNORECASE,
)
"""A user, a unit, a university, a one-off; an uninstall, an hour, an heir."""

_SCALARS = ("owner", "lifecycle", "system", "domain", "type")


@dataclass(frozen=True, slots=True)
class _Item:
    """An entity as it stands in the catalogue."""

    reference: Reference
    metadata: Mapping[str, object]
    spec: Mapping[str, object]

    @property
    def name(self) -> str:
        profile = _mapping(self.spec, "profile")
        title = scalar_text(self.metadata.get("title")) or scalar_text(profile.get("displayName"))
        return " ".join(title.split()) or self.reference.name

    @property
    def annotations(self) -> Mapping[str, object]:
        return _mapping(self.metadata, "annotations")


def read_yaml(given: Given) -> list[Reading]:
    """Read YAML: the entities of a catalogue one by one, anything else as a readable tree."""
    decoded = decode_within(given.data, given.limits)
    documents = [value for value in load_yaml(decoded.text, given.limits) if value]
    items = [_item(value, number) for number, value in enumerate(documents, 1) if is_entity(value)]
    at_most(given.limits.documents, len(items), "entities")
    _refuse_doubles(items)
    names = {item.reference.id: item.name for item in items}
    readings = [_reading(given, item, names) for item in items]
    rest = [value for value in documents if not is_entity(value)]
    if rest or not items:
        draft = Draft(given.limits)
        for value in rest:
            write_tree(draft, value)
        title = readable_name(given.path)
        blocks = tuple(draft.blocks)
        readings.append(Reading(draft.text, blocks, title=title, source_type="yaml"))
    return readings


def is_entity(value: object) -> bool:
    """Whether a YAML document is an entity; a location only says where entities are."""
    if not isinstance(value, Mapping):
        return False
    version = value.get("apiVersion")
    return (
        isinstance(version, str)
        and version.startswith(("backstage.io/", "scaffolder.backstage.io/"))
        and value.get("kind") != "Location"
    )


def _item(value: object, number: int) -> _Item:
    if not isinstance(value, Mapping):
        raise BrokenFile(
            f"Entity {number} is not a mapping.", "Compare it with Backstage's format."
        )
    metadata, spec = _mapping(value, "metadata"), _mapping(value, "spec")
    kind, name = scalar_text(value.get("kind")), scalar_text(metadata.get("name"))
    if not kind or not name:
        missing = "kind" if not kind else "metadata.name"
        raise BrokenFile(f"Entity {number} of the catalogue has no {missing}.", "Add it.")
    namespace = scalar_text(metadata.get("namespace")) or "default"
    return _Item(Reference(kind, namespace, name), metadata, spec)


def _refuse_doubles(items: Sequence[_Item]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.reference.id in seen:
            raise BrokenFile(f"The entity {item.reference.id!r} comes twice.", "Remove one.")
        seen.add(item.reference.id)


def _reading(given: Given, item: _Item, names: Mapping[str, str]) -> Reading:
    notes: list[str] = []
    facts = tuple(_facts(item, notes))
    draft = Draft(given.limits)
    draft.heading(item.name, 1)
    draft.add(Kind.TEXT, scalar_text(item.metadata.get("description")))
    draft.add(Kind.TEXT, "\n".join(_sentences(item, facts, names)))
    for link in _list(item.metadata.get("links")):
        if isinstance(link, Mapping) and scalar_text(link.get("url")):
            label = scalar_text(link.get("title")) or scalar_text(link.get("url"))
            at = draft.add(Kind.TEXT, f"{label}: {scalar_text(link.get('url'))}")
            draft.link(scalar_text(link.get("url")), label, at)
    return Reading(
        draft.text,
        tuple(draft.blocks),
        part=item.reference.id,
        title=item.name,
        url=web_address(scalar_text(item.annotations.get("backstage.io/view-url"))),
        source_type=FORMAT,
        tags=frozenset(
            tag for value in _list(item.metadata.get("tags")) if (tag := scalar_text(value))
        ),
        links=tuple(draft.links),
        entities=(_entity(item),),
        facts=facts,
        metadata=_details(item),
        notes=tuple(notes),
    )


def _entity(item: _Item) -> Entity:
    given = scalar_text(item.annotations.get(f"{_OWN}aliases")).split(",")
    aliases = {alias.strip() for alias in (*given, item.reference.name)}
    return Entity(
        item.reference.id,
        item.name,
        _type(item),
        frozenset(aliases - {"", item.name}),
        _details(item),
    )


def _type(item: _Item) -> str:
    kind, given = item.reference.kind.lower(), scalar_text(item.spec.get("type")).lower()
    if kind == "component":
        return given or kind
    return "team" if kind == "group" and given == "team" else kind


def _details(item: _Item) -> dict[str, str]:
    found = {name: scalar_text(item.spec.get(name)) for name in _SCALARS}
    profile = _mapping(item.spec, "profile")
    found["email"] = scalar_text(profile.get("email"))
    found |= {
        str(key): scalar_text(value) for key, value in _mapping(item.metadata, "labels").items()
    }
    for key, value in item.annotations.items():
        if not str(key).startswith(_OWN):
            found.setdefault(str(key), scalar_text(value))
    return {storable(key): value for key, value in found.items() if key and value}


def _facts(item: _Item, notes: list[str]) -> Iterator[Fact]:
    """Yield what the entity says of itself, each fact once."""
    seen: set[Fact] = set()
    escalation = scalar_text(item.annotations.get(f"{_OWN}escalates-to")).split(",")
    stated: list[tuple[_Rule, list[object]]] = [
        (rule, _list(item.spec.get(field))) for field, rule in _RULES.items()
    ]
    stated.append((_ESCALATES, [part for part in escalation if part.strip()]))
    for rule, targets in stated:
        for target in targets:
            text = scalar_text(target)
            other = parse_reference(text, rule.implied, item.reference.namespace)
            if other is None:
                notes.append(f"The reference {text[:80]!r} could not be read.")
                continue
            source, target_id = item.reference.id, other.id
            if rule.reversed:
                source, target_id = target_id, source
            fact = Fact(source, target_id, rule.kind)
            if fact not in seen:
                seen.add(fact)
                yield fact


def _sentences(item: _Item, facts: Sequence[Fact], names: Mapping[str, str]) -> Iterator[str]:
    """Say every fact in words, so that it can be cited."""

    def named(entity: str) -> str:
        return names.get(entity) or entity.rpartition("/")[2]

    kind = _type(item)
    lifecycle = scalar_text(item.spec.get("lifecycle"))
    yield f"{item.name} is {_article(kind)} {kind}{f' in {lifecycle}' if lifecycle else ''}."
    for fact in facts:
        yield f"{named(fact.source)} {kind_of(fact.kind).singular} {named(fact.target)}."


def _article(noun: str) -> str:
    """Return the article before a noun, which goes by how the noun sounds."""
    return "an" if _VOWEL_SOUND.match(noun) else "a"


def _mapping(value: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def _list(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, str) and value else []
