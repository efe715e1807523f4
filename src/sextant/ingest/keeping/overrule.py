"""What a person says of names, for good. Kept as documents of its own, so that it is never lost.

A person's word goes before every claim, also those of documents that come later. Who may not see an
entity may not see a word on it either, so there is a document for each audience.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sextant.errors import InvalidInput, NotFound, SextantError
from sextant.ingest.extract.claims import FOUND_IN
from sextant.ingest.extract.index import Audience
from sextant.ingest.keeping.draft import LINKED_BY_SOURCE, MERGES, Draft, claims_in, draft_of
from sextant.ingest.keeping.keep import Keeper
from sextant.ingest.shaping.shape import FINGERPRINT, ITEM, PARTS, SOURCE
from sextant.ports import Store
from sextant.text.names import name_key, slug
from sextant.types import OWN, Document, Entity, Put, Scope

OVERRULES = f"{OWN}overrules"
_MOST = 1_000
_BY_PERSON = {FOUND_IN: "person"}
_DOCUMENT = Document(
    OVERRULES,
    "What people said of names",
    source_type="overrules",
    reputation=1.0,
    metadata={
        SOURCE: OVERRULES,
        ITEM: OVERRULES,
        PARTS: "1",
        FINGERPRINT: OVERRULES,
        LINKED_BY_SOURCE: "yes",
    },
)


async def add_alias(keeper: Keeper, entity_id: str, name: str) -> Entity:
    """Let a name belong to an entity, whoever else claims it."""
    store, scope = keeper.store, keeper.scope
    said = await _overrules(store, scope)
    known = said.get(entity_id) or _word_on(await _entity(store, scope, entity_id))
    said = _without_name(said, name, entity_id)
    said[entity_id] = replace(known, aliases=(known.aliases | {name}) - {known.name})
    return await _save(keeper, said, entity_id)


async def merge(keeper: Keeper, entity_id: str, into: str) -> Entity:
    """Let one entity be another, with all its names and all that is said of it."""
    if entity_id == into:
        raise InvalidInput("An entity cannot be merged into itself.", "Name two entities.")
    store, scope = keeper.store, keeper.scope
    said = await _overrules(store, scope)
    kept = await _entity(store, scope, into)
    lost = said.pop(entity_id, None) or _word_on(await _entity(store, scope, entity_id))
    known = said.get(into) or _word_on(kept)
    merges = (_merges(known) | _merges(lost) | {entity_id}) - {into}
    aliases = (known.aliases | lost.aliases) - {known.name}
    said[into] = replace(known, aliases=aliases, metadata=_metadata(merges))
    return await _save(keeper, said, into)


async def split(keeper: Keeper, entity_id: str, name: str) -> Entity:
    """Let a merged entity, or a name, stand for itself again, apart from the one that holds it."""
    store, scope = keeper.store, keeper.scope
    said = await _overrules(store, scope)
    known = said.get(entity_id) or _word_on(await _entity(store, scope, entity_id))
    for own in (name, slug(name)):
        if own in _merges(known):
            known = replace(known, metadata=_metadata(_merges(known) - {own}))
            said = {**said, entity_id: known}
            if not known.aliases and not _merges(known):
                del said[entity_id]
            return await _save(keeper, said, own)
    own = slug(name)
    held = await _entity(store, scope, entity_id)
    if name_key(name) not in map(name_key, (held.name, *held.aliases)):
        raise InvalidInput(f"{entity_id} does not bear the name {name!r}.", "Name one it bears.")
    if own == entity_id or name_key(name) == name_key(known.name):
        raise InvalidInput(
            f"{name!r} is the entity's own name.", "Name the alias that should stand by itself."
        )
    said = _without_name(said, name, own)
    said[own] = Entity(own, name, "", frozenset(), _BY_PERSON)
    return await _save(keeper, said, own)


async def _overrules(store: Store, scope: Scope) -> dict[str, Entity]:
    return {
        entity.id: entity
        for unit in (await _units(store, scope)).values()
        for entity in unit.entities
    }


async def _units(store: Store, scope: Scope) -> Mapping[str, Put]:
    """Return the documents with what people said, by id."""
    page = await store.truth.documents(scope, OVERRULES[:-1], _MOST)
    ids = [document.id for document in page if document.id.startswith(OVERRULES)]
    return await store.truth.units(scope, ids)


async def _entity(store: Store, scope: Scope, entity_id: str) -> Entity:
    found = await store.graph.entities(scope, [entity_id])
    if entity_id not in found:
        raise unknown(entity_id)
    return found[entity_id]


def unknown(entity_id: str, meant: Entity | None = None) -> NotFound:
    """Return the error for an entity that is not there, or not for this scope."""
    hint = "An id is wanted: find it with `sextant entities find NAME`."
    perhaps = f" Perhaps it is {meant.id} ({meant.name})." if meant else ""
    return NotFound(f"There is no entity {entity_id!r}.", hint + perhaps)


def _word_on(entity: Entity) -> Entity:
    return Entity(entity.id, entity.name, entity.type, frozenset(), _BY_PERSON)


def _merges(entity: Entity) -> set[str]:
    return set(json.loads(entity.metadata.get(MERGES, "[]")))


def _metadata(merges: set[str]) -> Mapping[str, str]:
    return {**_BY_PERSON, MERGES: json.dumps(sorted(merges))} if merges else _BY_PERSON


def _without_name(said: Mapping[str, Entity], name: str, keeper: str) -> dict[str, Entity]:
    """Take back what was said of this name before."""
    key = name_key(name)
    kept: dict[str, Entity] = {}
    for entity_id, entity in said.items():
        if entity_id != keeper:
            aliases = frozenset(one for one in entity.aliases if name_key(one) != key)
            entity = replace(entity, aliases=aliases)
        kept[entity_id] = entity
    return kept


async def _save(keeper: Keeper, said: Mapping[str, Entity], shown: str) -> Entity:
    """Write all that people said, and return one entity as it is now."""
    store, scope = keeper.store, keeper.scope
    before = await _units(store, scope)
    words: dict[Audience, list[Entity]] = defaultdict(list)
    for entity in said.values():
        words[await _audience(store, scope, entity, before.values())].append(entity)
    drafts = [_draft(audience, own) for audience, own in words.items()]
    gone = before.keys() - {draft.document.id for draft in drafts}
    await keeper.open()
    await keeper.put(drafts, lambda *_: None, _refuse)
    if gone:
        await keeper.remove(sorted(gone))
    await keeper.close()
    return await _entity(store, scope, shown)


async def _audience(store: Store, scope: Scope, word: Entity, before: Iterable[Put]) -> Audience:
    """Return who may see every entity that a word is about; none stands for everybody."""
    held = [unit.document.personas for unit in before if word in unit.entities]
    audience: Audience | None = None
    for entity_id in (word.id, *sorted(_merges(word))):
        documents = await store.graph.mentioning(scope, [entity_id])
        units = (await store.truth.units(scope, documents[:_MOST])).values()
        who = [one.document.personas for one in units if _defines(one, entity_id)] or held
        if who and all(who):
            own = frozenset().union(*who)
            audience = own if audience is None else audience & own
    if audience is not None and not audience:
        raise InvalidInput("No persona may see both entities.", "Share their documents first.")
    return audience or frozenset()


def _defines(unit: Put, entity_id: str) -> bool:
    own = not unit.document.id.startswith(OVERRULES)
    return own and any(
        claim.id == entity_id or entity.id == entity_id
        for entity in unit.entities
        for claim in claims_in(entity)
    )


def _draft(audience: Audience, words: Sequence[Entity]) -> Draft:
    told = sorted((one.id, sorted(one.aliases), sorted(one.metadata.items())) for one in words)
    seen_by = hashlib.blake2b(repr(sorted(audience)).encode(), digest_size=8).hexdigest()
    document = replace(
        _DOCUMENT,
        id=f"{OVERRULES}/{seen_by}" if audience else OVERRULES,
        personas=audience,
    )
    fingerprint = hashlib.blake2b(repr(told).encode(), digest_size=16).hexdigest()
    return draft_of(document, (), tuple(words), fingerprint=fingerprint)


def _refuse(_: Put, error: SextantError) -> None:
    raise error
