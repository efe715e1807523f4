"""Who may ask, and for what: scopes, queries, filters, walks, pages and weights."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from datetime import datetime

from sextant.errors import InvalidFilter, InvalidInput
from sextant.limits.names import check_name
from sextant.limits.values import (
    DEFAULT,
    Limits,
    at_most,
    between,
    collected,
    label,
    listed,
    moment,
    number,
    one_of,
    text,
)
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
from sextant.types import Direction, NameMode, Reach, Role, Scope, Turn, Walk, Weights, is_own

_LOCALE = 100
_LANGUAGE_TAG = re.compile(r"(?:[A-Za-z]{2,8}|[xXiI])(?:[-_][A-Za-z0-9]{1,8})*")


def check_scope(scope: Scope, limits: Limits = DEFAULT) -> None:
    """Refuse a scope that cannot name a tenant or persona."""
    if not isinstance(scope, Scope):
        raise InvalidInput(f"The scope is a {type(scope).__name__}.", "Pass a Scope.")
    check_name("tenant", scope.tenant, limits.id)
    if not isinstance(scope.personas, frozenset):
        raise InvalidInput(
            f"The personas are a {type(scope.personas).__name__}.", "Pass a frozenset."
        )
    check_persona_count(len(scope.personas), limits)
    for persona in scope.personas:
        check_name("persona", persona, limits.id)
    if scope.user is not None:
        check_name("user", scope.user, limits.id)


def check_persona_count(count: int, limits: Limits = DEFAULT) -> None:
    """Refuse more personas than one caller may have."""
    hint = "Name fewer of them, or put those who see the same together in one persona."
    at_most("personas of one caller", count, limits.personas, hint)


def check_asker(scope: Scope, limits: Limits = DEFAULT) -> None:
    """Refuse a scope for which nobody can ask: some users are kept for Sextant itself."""
    check_scope(scope, limits)
    if scope.user and is_own(scope.user):
        raise InvalidInput(f"No user is called {scope.user[:40]!r}.", "Use another name.")


def check_query(query: Query, limits: Limits = DEFAULT) -> None:
    """Refuse a query that is too large or asks for what no store has."""
    if not isinstance(query, Query):
        raise InvalidInput(f"The query is a {type(query).__name__}.", "Pass a Query.")
    text("query", query.text, limits.query)
    between("k", query.k, 1, limits.k)
    between("at_least", query.at_least, 0, 2**62)
    if query.filter is not None:
        _check_filter(query.filter, limits)


def check_turns(turns: Sequence[Turn], limits: Limits = DEFAULT) -> None:
    """Refuse a conversation that is too long, or in which somebody unknown speaks."""
    if not isinstance(turns, Sequence):
        raise InvalidInput(
            f"The history is a {type(turns).__name__}.",
            "Pass a tuple of Turn, oldest first.",
        )
    at_most("turns of the conversation", len(turns), limits.turns)
    for turn in turns:
        if not isinstance(turn, Turn):
            raise InvalidInput(
                f"A turn of the history is a {type(turn).__name__}.",
                'Pass a Turn, such as Turn("user", "Who owns it?").',
            )
        one_of("role of a turn", turn.role, Role)
        text("turn", turn.text, limits.text)


def check_conversation(name: str, limits: Limits = DEFAULT) -> None:
    """Refuse a name that no conversation can have; none at all is no conversation."""
    text("conversation", name, limits.id)


def check_candidates(count: int, limits: Limits = DEFAULT) -> None:
    """Refuse more candidates than a query may bring; 0 is as usual."""
    between("candidates", count, 0, limits.k)


def check_locale(locale: str) -> None:
    """Refuse what is not a locale as BCP 47 writes one; none at all is English."""
    text("locale", locale, _LOCALE)
    if locale and not _LANGUAGE_TAG.fullmatch(locale):
        raise InvalidInput(f"{locale!r} is not a locale.", "Write one such as en-US, de-DE or fr.")


def check_moment(what: str, value: datetime | None) -> None:
    """Refuse a time without an offset, or one that cannot be reckoned with."""
    moment(what, value)


def check_texts(texts: Sequence[str], limits: Limits = DEFAULT) -> None:
    """Refuse what is not a list of texts, and texts that are too long."""
    if isinstance(texts, str):
        raise InvalidInput("The texts to embed are one text.", "Put it into a list.")
    for one in texts:
        text("text to embed", one, limits.text)


def check_walk(ids: Sequence[str], walk: Walk, limits: Limits = DEFAULT) -> None:
    """Refuse a walk that starts or goes too wide."""
    check_ids("entity id", ids, limits)
    between("hops", walk.hops, 1, limits.hops)
    between("per_node", walk.per_node, 1, limits.k)
    between("limit", walk.limit, 1, limits.k)
    collected("kinds", walk.kinds, limits.seeds)
    check_ids("kind", tuple(walk.kinds), limits)
    one_of("direction", walk.direction, Direction)


def check_reach(
    chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach, limits: Limits = DEFAULT
) -> None:
    """Refuse a web that starts or goes too wide."""
    check_ids("chunk id", chunk_ids, limits)
    check_ids("entity id", entity_ids, limits)
    between("hops", reach.hops, 0, limits.hops)
    between("per_entity", reach.per_entity, 1, limits.k)
    between("per_subject", reach.per_subject, 1, limits.k)
    between("limit", reach.limit, 1, limits.k)
    label("kind", reach.about, limits.id)


def check_ids(what: str, ids: Sequence[str], limits: Limits = DEFAULT) -> None:
    """Refuse ids that are too many, empty or too long."""
    listed(f"{what}s", ids, limits.seeds)
    for value in ids:
        label(what, value, limits.id)


def check_names(names: Sequence[str], mode: NameMode, limit: int, limits: Limits = DEFAULT) -> None:
    """Refuse names to look up that are too many or too long."""
    one_of("mode", mode, NameMode)
    listed("names", names, limits.seeds)
    between("limit", limit, 1, limits.k)
    for name in names:
        text("name", name, limits.name)


def check_phrases(texts: Sequence[str], limits: Limits = DEFAULT) -> None:
    """Refuse phrases to look for that are too many or too long."""
    listed("phrases", texts, limits.seeds)
    for one in texts:
        text("phrase", one, limits.query)


def check_versions(versions: Mapping[str, str], limits: Limits = DEFAULT) -> None:
    """Refuse versions of chunks that are no texts by id, or too many."""
    if not isinstance(versions, Mapping):
        raise InvalidInput(
            f"The versions are a {type(versions).__name__}.", "Pass a dict of versions by chunk id."
        )
    check_ids("chunk id", list(versions), limits)
    for version in versions.values():
        text("version", version, limits.id)


def check_unless(unless: Mapping[str, Collection[str]] | None, limits: Limits = DEFAULT) -> None:
    """Refuse metadata to leave out by that is too much or no text."""
    if unless is None:
        return
    if not isinstance(unless, Mapping):
        raise InvalidInput(
            f"What to leave out is a {type(unless).__name__}.",
            "Pass a dict of metadata fields, each with a set of values.",
        )
    at_most("metadata fields to leave out by", len(unless), limits.values)
    size = 0
    for name, values in unless.items():
        label("metadata field", name, limits.id)
        collected("metadata values to leave out", values, limits.filter)
        for value in values:
            text("metadata value", value, limits.metadata)
        size += len(values)
    at_most("metadata values to leave out", size, limits.filter)


def check_page(after: str, limit: int, limits: Limits = DEFAULT) -> None:
    """Refuse a page that is too long."""
    text("cursor", after, limits.id)
    between("limit", limit, 1, limits.k)


def check_position(after: int, limit: int, limits: Limits = DEFAULT) -> None:
    """Refuse a place to read on from that cannot be one."""
    between("after", after, 0, 2**62)
    between("limit", limit, 1, limits.k)


def check_weights(weights: Weights) -> None:
    """Refuse weights that are below 0 or no numbers, and such that nothing counts."""
    if not isinstance(weights, Weights):
        raise InvalidInput(f"The weights are a {type(weights).__name__}.", "Pass Weights.")
    values = {item.name: getattr(weights, item.name) for item in fields(weights)}
    for name, value in values.items():
        number(f"weight of {name}", value, 0.0, 1e6)
    if not any(values.values()):
        raise InvalidInput("All weights are 0.", f"Let one of {', '.join(values)} count.")


def check_profile(name: str, weights: Weights, half_life_days: float) -> None:
    """Refuse a ranking profile that has no name or cannot rank."""
    check_name("profile name", name)
    check_weights(weights)
    number("half-life in days", half_life_days, 0.01, 1e6)


def _check_filter(tree: Filter, limits: Limits) -> None:
    size = 0
    for node, depth in walk(tree):
        if not isinstance(node, Leaf | AllOf | AnyOf | Not):
            raise InvalidFilter(
                f"A {type(node).__name__} is not a filter.", "Read JSON with sextant.query.parse."
            )
        if depth > MAX_DEPTH:
            raise InvalidFilter(f"The filter is nested deeper than {MAX_DEPTH}.", "Flatten it.")
        size += 1
        if isinstance(node, TimeRange):
            _check_range(node)
        elif isinstance(node, Leaf):
            values = values_of(node)
            listed("values in the filter", values, limits.filter)
            size += len(values)
            for value in values:
                text("filter value", value, limits.id)
        at_most("values in the filter", size, limits.filter)


def _check_range(node: TimeRange) -> None:
    if node.by not in ("created", "modified"):
        raise InvalidFilter(
            f"The filter has an unknown time {node.by[:40]!r}.", "Use modified or created."
        )
    moment("filter start", node.start)
    moment("filter end", node.end)
