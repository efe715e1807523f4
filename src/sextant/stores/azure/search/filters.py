"""What a search may find, as the service's filter: the scope always, then what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.errors import InvalidFilter
from sextant.query import (
    AllOf,
    AnyOf,
    ChunksAny,
    DocumentsAny,
    Filter,
    Not,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
)
from sextant.stores.azure.search.definition import KEY
from sextant.stores.azure.search.keys import keys_of
from sextant.text.odata.filters import render, render_any, render_equal
from sextant.types import Scope

_MOST = 5
"""Values that are compared one by one; more of them are one list, which the service is quick at."""

CHUNKS = "chunkId ne null"
DOCUMENTS = "chunkId eq null"


def scope_filter(scope: Scope) -> str:
    """Return what exists for a scope: of its tenant, open to all or to one of its personas."""
    tenant = tenant_filter(scope.tenant)
    if scope.sees_all:
        return tenant
    if not scope.personas:
        return f"{tenant} and not personas/any()"
    some = render_any("personas", sorted(scope.personas), _MOST)
    return f"{tenant} and (not personas/any() or {some})"


def tenant_filter(tenant: str) -> str:
    """Return what is of a tenant."""
    return render_equal("tenant", [tenant])


def values_filter(field: str, values: Sequence[str]) -> str:
    """Return what has one of these values in a field."""
    return render_equal(field, values, _MOST)


def query_filter(scope: Scope, tree: Filter | None) -> str:
    """Return the filter of a search: no tree lets more through than the scope may see."""
    parts = [scope_filter(scope), CHUNKS]
    if tree is not None:
        parts.append(f"({render(tree, _MOST)})")
    return " and ".join(parts)


def seed_filter(tree: Filter | None) -> str:
    """Return the filter of a search in somebody else's index, whose documents have no tags."""
    return "" if tree is None else _seed_text(tree)


def _seed_text(tree: Filter) -> str:
    match tree:
        case AllOf(parts):
            return _joined("and", parts)
        case AnyOf(parts):
            return _joined("or", parts)
        case Not(part):
            return f"not ({_seed_text(part)})"
        case ChunksAny(ids):
            keys = [key for one in ids for key in keys_of(one)]
            return values_filter(KEY, keys)
        case _:
            return render(_without_field(tree), _MOST)


def _joined(by: str, parts: Sequence[Filter]) -> str:
    texts = [f"({_seed_text(part)})" for part in parts]
    return f" {by} ".join(texts) if texts else render(AllOf(()) if by == "and" else AnyOf(()))


def _without_field(leaf: Filter) -> Filter:
    """Return what a filter comes to where documents have neither tags nor types nor times."""
    match leaf:
        case TagsAll(tags):
            return AnyOf(()) if tags else AllOf(())
        case SourceTypes(types):
            return AllOf(()) if "" in types else AnyOf(())
        case TagsAny() | TimeRange():
            return AnyOf(())
        case DocumentsAny():
            raise InvalidFilter(
                "An index that somebody else fills cannot be filtered by document.",
                "Filter by entities, or let Sextant fill an index of its own.",
            )
        case _:
            return leaf
