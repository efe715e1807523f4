"""How large a document may be: its length, its depth, its fields and its aliases.

All releases of the clients stay far below: 5,200 characters, 6 levels, 110 fields, no alias. The
usual introspection query has 14 levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphql import FieldNode, FragmentDefinitionNode, InlineFragmentNode, SelectionSetNode
from graphql.language import OperationDefinitionNode, SelectionNode

from sextant.errors import TooLarge

LONGEST = 16_384
TOKENS = 3_000
_DEEPEST = 16
_FIELDS = 500
_ALIASES = 16
_HINT = "Ask for less at once."


@dataclass(frozen=True, slots=True)
class _Extent:
    """How much a selection comes to, with its fragments written out."""

    depth: int = 0
    fields: int = 0
    aliases: int = 0

    def __add__(self, other: _Extent) -> _Extent:
        return _Extent(
            max(self.depth, other.depth),
            self.fields + other.fields,
            self.aliases + other.aliases,
        )


def check_length(text: str) -> None:
    """Refuse a document that is too long to be looked at."""
    if len(text) > LONGEST:
        raise TooLarge(f"The document has over {LONGEST:,} characters.", _HINT)


def check_extent(
    operation: OperationDefinitionNode, fragments: Mapping[str, FragmentDefinitionNode]
) -> None:
    """Refuse an operation that selects too much, however little text says so."""
    extent = _Measure(fragments).extent(operation.selection_set)
    if extent.depth > _DEEPEST:
        raise TooLarge(f"The document is nested deeper than {_DEEPEST} levels.", _HINT)
    if extent.fields > _FIELDS:
        raise TooLarge(f"The document selects more than {_FIELDS} fields.", _HINT)
    if extent.aliases > _ALIASES:
        raise TooLarge(f"The document has more than {_ALIASES} aliases.", _HINT)


class _Measure:
    """Measures each fragment once; one that leads back to itself counts for nothing here."""

    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode]) -> None:
        self._fragments = fragments
        self._known: dict[str, _Extent] = {}

    def extent(self, selected: SelectionSetNode | None) -> _Extent:
        whole = _Extent()
        for node in selected.selections if selected else ():
            whole += self._extent_of(node)
        return whole

    def _extent_of(self, node: SelectionNode) -> _Extent:
        if isinstance(node, FieldNode):
            inner = self.extent(node.selection_set)
            return _Extent(inner.depth + 1, inner.fields + 1, inner.aliases + bool(node.alias))
        if isinstance(node, InlineFragmentNode):
            return self.extent(node.selection_set)
        name: str = node.name.value  # type: ignore[attr-defined]
        if name not in self._known and name in self._fragments:
            self._known[name] = _Extent()
            self._known[name] = self.extent(self._fragments[name].selection_set)
        return self._known.get(name, _Extent())
