"""What may come in: a limit and a check for every public value. Knows no store and no format."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import MAXYEAR, datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sextant.errors import InvalidFilter, InvalidInput, InvalidVector, TooLarge
from sextant.query import (
    MAX_DEPTH,
    AllOf,
    AnyOf,
    Filter,
    Leaf,
    Not,
    Query,
    TimeRange,
    values_of,
    walk,
)
from sextant.types import (
    Change,
    Chunk,
    Direction,
    Document,
    Entity,
    Feedback,
    NameMode,
    Put,
    Reach,
    Relation,
    Remove,
    Role,
    Scope,
    Thread,
    Turn,
    Walk,
    Weights,
    is_own,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is too much. Lengths are in characters, the rest are counts."""

    id: int = 1_000
    name: int = 2_000
    url: int = 8_000
    text: int = 200_000
    chunks: int = 20_000
    entities: int = 50_000
    relations: int = 100_000
    values: int = 1_000
    metadata: int = 20_000
    batch: int = 10_000
    query: int = 20_000
    k: int = 10_000
    filter: int = 20_000
    seeds: int = 10_000
    hops: int = 3
    state: int = 4_000_000
    turns: int = 100


DEFAULT = Limits()
_LOCALE = 100
_LANGUAGE_TAG = re.compile(r"(?:[A-Za-z]{2,8}|[xXiI])(?:[-_][A-Za-z0-9]{1,8})*")


def check_scope(scope: Scope, limits: Limits = DEFAULT) -> None:
    """Refuse a scope that cannot name a tenant or persona."""
    if not isinstance(scope, Scope):
        raise InvalidInput(f"The scope is a {type(scope).__name__}.", "Pass a Scope.")
    _label("tenant", scope.tenant, limits.id)
    for what, value in (("persona", scope.persona), ("user", scope.user)):
        if value is not None:
            _label(what, value, limits.id)


def check_asker(scope: Scope, limits: Limits = DEFAULT) -> None:
    """Refuse a scope for which nobody can ask: some users are kept for Sextant itself."""
    check_scope(scope, limits)
    if scope.user and is_own(scope.user):
        raise InvalidInput(f"No user is called {scope.user[:40]!r}.", "Use another name.")


def check_changes(changes: Sequence[Change], limits: Limits = DEFAULT) -> None:
    """Refuse a batch in which any unit cannot be stored whole, or two are about one document."""
    if not isinstance(changes, list | tuple):
        raise InvalidInput("The changes are not a list.", "Pass a list of Put and Remove.")
    _at_most("changes in a batch", len(changes), limits.batch)
    for change in changes:
        if isinstance(change, Put):
            _check_put(change, limits)
        elif isinstance(change, Remove):
            _label("document id", change.document_id, limits.id)
            _check_over(change.over, limits)
        else:
            raise InvalidInput(f"A change is a {type(change).__name__}.", "Pass Put or Remove.")
    _unique("document id in the batch", [change.document_id for change in changes])


def check_query(query: Query, limits: Limits = DEFAULT) -> None:
    """Refuse a query that is too large or asks for what no store has."""
    _text("query", query.text, limits.query)
    _between("k", query.k, 1, limits.k)
    _between("at_least", query.at_least, 0, 2**62)
    if query.filter is not None:
        _check_filter(query.filter, limits)


def check_turns(turns: Sequence[Turn], limits: Limits = DEFAULT) -> None:
    """Refuse a conversation that is too long, or in which somebody unknown speaks."""
    _at_most("turns of the conversation", len(turns), limits.turns)
    for turn in turns:
        _one_of("role of a turn", turn.role, Role)
        _text("turn", turn.text, limits.text)


def check_conversation(name: str, limits: Limits = DEFAULT) -> None:
    """Refuse a name that no conversation can have; none at all is no conversation."""
    _text("conversation", name, limits.id)


def check_candidates(count: int, limits: Limits = DEFAULT) -> None:
    """Refuse more candidates than a query may bring; 0 is as usual."""
    _between("candidates", count, 0, limits.k)


def check_locale(locale: str) -> None:
    """Refuse what is no locale as BCP 47 writes one; none at all is English."""
    _text("locale", locale, _LOCALE)
    if locale and not _LANGUAGE_TAG.fullmatch(locale):
        raise InvalidInput(f"{locale!r} is no locale.", "Write one such as en-US, de-DE or fr.")


def check_moment(what: str, value: datetime | None) -> None:
    """Refuse a time without an offset, or one that cannot be reckoned with."""
    _moment(what, value)


def check_vector(vector: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Return the vector with length 1, or refuse it."""
    row: NDArray[np.float32] = check_vectors(np.asarray(vector)[None], 1, width)[0]
    return row


def check_vectors(vectors: NDArray[np.float32], count: int, width: int) -> NDArray[np.float32]:
    """Return the vectors with length 1 each, or refuse them."""
    wanted = (count, width)
    vectors = np.asarray(vectors)
    if vectors.shape != wanted or vectors.dtype.kind not in "fiu":
        raise InvalidVector(
            f"Vectors of shape {vectors.shape} and type {vectors.dtype} do not fit; "
            f"this store takes {wanted} of float32.",
            "Embed with the embedder that the store was made with.",
        )
    wide = vectors.astype(np.float64)
    norms = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    if not (np.isfinite(norms) & (norms > 0)).all():
        raise InvalidVector(
            "A vector has NaN, infinity or only zeros in it.",
            "Check the embedder; leave the vectors out to store text without them.",
        )
    return np.asarray(wide / norms[:, None], dtype=np.float32)


def check_texts(texts: Sequence[str], limits: Limits = DEFAULT) -> None:
    """Refuse what is not a list of texts, and texts that are too long."""
    if isinstance(texts, str):
        raise InvalidInput("The texts to embed are one text.", "Put it into a list.")
    for text in texts:
        _text("text to embed", text, limits.text)


def check_walk(ids: Sequence[str], walk: Walk, limits: Limits = DEFAULT) -> None:
    """Refuse a walk that starts or goes too wide."""
    check_ids("entity id", ids, limits)
    _between("hops", walk.hops, 1, limits.hops)
    _between("per_node", walk.per_node, 1, limits.k)
    _between("limit", walk.limit, 1, limits.k)
    check_ids("kind", tuple(walk.kinds), limits)
    _one_of("direction", walk.direction, Direction)


def check_reach(
    chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach, limits: Limits = DEFAULT
) -> None:
    """Refuse a web that starts or goes too wide."""
    check_ids("chunk id", chunk_ids, limits)
    check_ids("entity id", entity_ids, limits)
    _between("hops", reach.hops, 0, limits.hops)
    _between("per_entity", reach.per_entity, 1, limits.k)
    _between("per_subject", reach.per_subject, 1, limits.k)
    _between("limit", reach.limit, 1, limits.k)
    _label("kind", reach.about, limits.id)


def check_ids(what: str, ids: Sequence[str], limits: Limits = DEFAULT) -> None:
    """Refuse ids that are too many, empty or too long."""
    _at_most(f"{what}s", len(ids), limits.seeds)
    for value in ids:
        _label(what, value, limits.id)


def check_names(names: Sequence[str], mode: NameMode, limit: int, limits: Limits = DEFAULT) -> None:
    """Refuse names to look up that are too many or too long."""
    _one_of("mode", mode, NameMode)
    _at_most("names", len(names), limits.seeds)
    _between("limit", limit, 1, limits.k)
    for name in names:
        _text("name", name, limits.name)


def check_phrases(texts: Sequence[str], limits: Limits = DEFAULT) -> None:
    """Refuse phrases to look for that are too many or too long."""
    _at_most("phrases", len(texts), limits.seeds)
    for text in texts:
        _text("phrase", text, limits.query)


def check_page(after: str, limit: int, limits: Limits = DEFAULT) -> None:
    """Refuse a page that is too long."""
    _text("cursor", after, limits.id)
    _between("limit", limit, 1, limits.k)


def check_position(after: int, limit: int, limits: Limits = DEFAULT) -> None:
    """Refuse a place to read on from that cannot be one."""
    _between("after", after, 0, 2**62)
    _between("limit", limit, 1, limits.k)


def check_counters(increments: Mapping[str, int], limits: Limits = DEFAULT) -> None:
    """Refuse counters that are too many or cannot be added."""
    check_ids("counter", tuple(increments), limits)
    for name, step in increments.items():
        _between(f"increment of {name[:40]!r}", step, -(2**53), 2**53)


def check_thread(thread: Thread, limits: Limits = DEFAULT) -> None:
    """Refuse a thread that cannot be saved."""
    _label("thread id", thread.id, limits.id)
    _text("thread state", thread.state, limits.state)
    _between("thread version", thread.version, 0, 2**62)


def check_feedback(items: Sequence[Feedback], limits: Limits = DEFAULT) -> None:
    """Refuse feedback that is too long or about nothing."""
    _at_most("feedback items", len(items), limits.batch)
    for item in items:
        _label("feedback subject", item.subject, limits.id)
        _label("feedback verdict", item.verdict, limits.id)
        _text("feedback user", item.user, limits.id)
        _text("feedback comment", item.comment, limits.text)
        _moment("feedback time", item.at)


def check_weights(weights: Weights) -> None:
    """Refuse weights that are below 0 or no numbers, and such that nothing counts."""
    if not isinstance(weights, Weights):
        raise InvalidInput(f"The weights are a {type(weights).__name__}.", "Pass Weights.")
    values = {item.name: getattr(weights, item.name) for item in fields(weights)}
    for name, value in values.items():
        _number(f"weight of {name}", value, 0.0, 1e6)
    if not any(values.values()):
        raise InvalidInput("All weights are 0.", f"Let one of {', '.join(values)} count.")


def check_profile(name: str, weights: Weights, half_life_days: float) -> None:
    """Refuse a ranking profile that has no name or cannot rank."""
    _label("profile name", name, DEFAULT.id)
    check_weights(weights)
    _number("half-life in days", half_life_days, 0.01, 1e6)


def _check_put(put: Put, limits: Limits) -> None:
    _check_document(put.document, limits)
    _text("key", put.key, limits.id)
    _check_over(put.over, limits)
    _at_most("chunks of a document", len(put.chunks), limits.chunks)
    _at_most("entities of a document", len(put.entities), limits.entities)
    _at_most("relations of a document", len(put.relations), limits.relations)
    _unique("chunk id", [chunk.id for chunk in put.chunks])
    _unique("entity id", [entity.id for entity in put.entities])
    for chunk in put.chunks:
        _check_chunk(chunk, limits)
    for entity in put.entities:
        _check_entity(entity, limits)
    own = {chunk.id for chunk in put.chunks}
    for relation in put.relations:
        _check_relation(relation, own, limits)


def _check_over(version: str | None, limits: Limits) -> None:
    if version is not None:
        _text("version to be replaced", version, limits.id)


def _check_document(document: Document, limits: Limits) -> None:
    _label("document id", document.id, limits.id)
    _text("title", document.title, limits.name)
    _text("url", document.url, limits.url)
    _text("source type", document.source_type, limits.id)
    _text("language", document.language, limits.id)
    _labels("tag", document.tags, limits)
    _labels("persona", document.personas, limits)
    _moment("created", document.created)
    _moment("modified", document.modified)
    _number("reputation", document.reputation, 0.0, 1.0)
    _check_metadata(document.metadata, limits)


def _check_chunk(chunk: Chunk, limits: Limits) -> None:
    _label("chunk id", chunk.id, limits.id)
    _label("chunk text", chunk.text, limits.text)
    _between("chunk start", chunk.start, 0, 2**53)
    _between("chunk end", chunk.end, chunk.start, 2**53)
    if chunk.page is not None:
        _between("page", chunk.page, 0, 2**31)
    _at_most("headings of a chunk", len(chunk.headings), limits.values)
    for heading in chunk.headings:
        _text("heading", heading, limits.name)
    _labels("entity id", chunk.entity_ids, limits)


def _check_entity(entity: Entity, limits: Limits) -> None:
    _label("entity id", entity.id, limits.id)
    _label("entity name", entity.name, limits.name)
    _text("entity type", entity.type, limits.id)
    _labels("alias", entity.aliases, limits)
    _check_metadata(entity.metadata, limits)


def _check_relation(relation: Relation, own_chunks: Collection[str], limits: Limits) -> None:
    _label("relation source", relation.source, limits.id)
    _label("relation target", relation.target, limits.id)
    _label("relation kind", relation.kind, limits.id)
    _number("confidence", relation.confidence, 0.0, 1.0)
    _number("weight", relation.weight, 0.0, 1e6)
    _text("relation id", relation.id, limits.id)
    _at_most("evidence chunks of a relation", len(relation.evidence), limits.chunks)
    for chunk_id in relation.evidence:
        if chunk_id not in own_chunks:
            raise InvalidInput(
                f"The evidence {chunk_id[:80]!r} is not a chunk of the same document.",
                "A document contributes relations on the evidence of its own chunks only.",
            )


def _check_metadata(metadata: Mapping[str, str], limits: Limits) -> None:
    if not isinstance(metadata, Mapping):
        raise InvalidInput("The metadata is no mapping of texts to texts.")
    _at_most("metadata fields", len(metadata), limits.values)
    for name, value in metadata.items():
        _label("metadata field", name, limits.id)
        _text(f"metadata {name[:40]!r}", value, limits.metadata)


def _check_filter(tree: Filter, limits: Limits) -> None:
    size = 0
    for node, depth in walk(tree):
        if not isinstance(node, Leaf | AllOf | AnyOf | Not):
            raise InvalidFilter(
                f"A {type(node).__name__} is no filter.", "Read JSON with sextant.query.parse."
            )
        if depth > MAX_DEPTH:
            raise InvalidFilter(f"The filter is nested deeper than {MAX_DEPTH}.", "Flatten it.")
        size += 1
        if isinstance(node, TimeRange):
            _check_range(node)
        elif isinstance(node, Leaf):
            values = values_of(node)
            size += len(values)
            for value in values:
                _text("filter value", value, limits.id)
        _at_most("values in the filter", size, limits.filter)


def _check_range(node: TimeRange) -> None:
    if node.by not in ("created", "modified"):
        raise InvalidFilter(
            f"The filter has an unknown time {node.by[:40]!r}.", "Use modified or created."
        )
    _moment("filter start", node.start)
    _moment("filter end", node.end)


def _label(what: str, value: str, limit: int) -> None:
    _text(what, value, limit)
    if not value:
        raise InvalidInput(f"The {what} is empty.", "Give it at least one character.")


def _labels(what: str, values: Collection[str], limits: Limits) -> None:
    if isinstance(values, str) or not isinstance(values, Collection):
        raise InvalidInput(f"The {what}s are no collection of texts.", "Pass a set or a tuple.")
    _at_most(f"{what}s", len(values), limits.values)
    for value in values:
        _label(what, value, limits.id)


def _text(what: str, value: str, limit: int) -> None:
    if not isinstance(value, str):
        raise InvalidInput(f"The {what} is a {type(value).__name__}, not text.")
    _at_most(f"characters in the {what}", len(value), limit)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidInput(
                f"The {what} holds half of a surrogate pair, which is no text.",
                "Decode the source with errors='replace'.",
            ) from None


def _moment(what: str, value: datetime | None) -> None:
    if value is None:
        return
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidInput(
            f"The {what} time is no datetime with a time zone.", "Use UTC if in doubt."
        )
    if not 1 < value.year < MAXYEAR:
        raise InvalidInput(f"The {what} time is too close to the end of time.")


def _one_of(what: str, value: str, known: type[StrEnum]) -> None:
    if value not in list(known):
        raise InvalidInput(
            f"The {what} {str(value)[:40]!r} is unknown.", f"Use one of {', '.join(known)}."
        )


def _number(what: str, value: float, low: float, high: float) -> None:
    if not isinstance(value, int | float) or not math.isfinite(value) or not low <= value <= high:
        raise InvalidInput(f"The {what} is {value!r}; it lies between {low:g} and {high:g}.")


def _between(what: str, value: int, low: int, high: int) -> None:
    if not isinstance(value, int) or value < low:
        raise InvalidInput(f"The {what} is {value!r}; it is a whole number from {low} on.")
    if value > high:
        raise TooLarge(f"The {what} is {value}; at most {high} is taken.")


def _at_most(what: str, size: int, limit: int) -> None:
    if size > limit:
        raise TooLarge(f"{size} {what} are too many; at most {limit} are taken.", "Split it.")


def _unique(what: str, values: Iterable[str]) -> None:
    doubled = [value for value, count in Counter(values).items() if count > 1]
    if doubled:
        raise InvalidInput(f"The {what} {doubled[0][:80]!r} comes twice.", "Give each its own.")
