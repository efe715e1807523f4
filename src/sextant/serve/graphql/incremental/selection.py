"""What a document selects of a run, worked out once: what comes at once, in a stream, or later.

`@stream` counts for the messages and meta events of a response and for the pieces of a message,
`@defer` for fragments of a response or a message. Wherever else they stand, what they mark comes
with the rest, as the specification allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLDirective,
    GraphQLError,
    GraphQLIncludeDirective,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLSkipDirective,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    get_named_type,
    is_abstract_type,
    is_composite_type,
)
from graphql.execution.values import VariableValues, get_directive_values
from graphql.language import DirectiveNode, VariableNode, visit
from graphql.language.visitor import Visitor

RUN_FIELD = "generateCopilotResponse"
_LATE = frozenset({"status", "messages", "metaEvents", "content", "arguments"})
"""What is whole only when the message, or the run, has ended."""
_IN_MESSAGES = {"messages": 1}
"""How many levels below a stream may come in parts again."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object, by the key that the client gave it."""

    key: str
    name: str
    inner: Selection | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """A list whose items come one after another."""

    key: str
    name: str
    label: str
    inner: Selection | None


@dataclass(frozen=True, slots=True)
class Deferred:
    """Fields that come together, when they are known."""

    label: str
    fields: tuple[Field, ...]
    waits: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """What is selected of objects of one type; it may have to wait until they are whole."""

    fields: tuple[Field, ...]
    streams: tuple[Stream, ...] = ()
    deferred: tuple[Deferred, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether what comes at once is known only in the end."""
        return _waits(self.fields)


Selection: TypeAlias = Mapping[str, Parts]
"""What is selected of objects, by the name of their type."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What is selected of one run: its field's node and key, its parts, and what is beside it."""

    node: FieldNode
    key: str
    parts: Parts
    beside: tuple[Field, ...]

    @property
    def is_in_parts(self) -> bool:
        """Whether there is anything that may come later than the rest."""
        return bool(self.parts.streams or self.parts.deferred)


def compile_run(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: Mapping[str, FragmentDefinitionNode],
    variables: VariableValues,
    *,
    in_parts: bool,
) -> RunPlan:
    """Return what an operation selects of the one run that it starts."""
    compiler = _Compiler(schema, fragments, variables)
    root = cast(GraphQLObjectType, schema.mutation_type)
    grouped = compiler.grouped(root, [operation.selection_set])
    runs = [key for key, nodes in grouped.items() if nodes[0].name.value == RUN_FIELD]
    if len(runs) != 1:
        raise GraphQLError(
            f"An operation starts one run: select {RUN_FIELD} once.", operation.selection_set
        )
    nodes = grouped.pop(runs[0])
    response = cast(GraphQLObjectType, get_named_type(root.fields[RUN_FIELD].type))
    parts = compiler.parts(response, _inner(nodes), 2 if in_parts else 0)
    beside = tuple(Field(key, own[0].name.value) for key, own in grouped.items())
    return RunPlan(nodes[0], runs[0], parts, beside)


def has_conditions(document: DocumentNode) -> bool:
    """Whether a variable decides what a document selects, or how."""
    finder = _ConditionFinder()
    visit(document, finder)
    return finder.has_found


class _ConditionFinder(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.has_found = False

    def enter_directive(self, node: DirectiveNode, *_: object) -> None:
        self.has_found |= any(isinstance(one.value, VariableNode) for one in node.arguments or ())


@dataclass(frozen=True, slots=True)
class _Compiler:
    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: VariableValues

    def parts(
        self, parent: GraphQLObjectType, selected: Sequence[SelectionSetNode], levels: int
    ) -> Parts:
        """Return what is selected of a type; so many levels of it may come in parts."""
        later: list[tuple[str, SelectionSetNode]] = []
        grouped = self.grouped(parent, selected, later if levels else None)
        streams = self._streams(parent, grouped) if levels else {}
        fields = [
            self._field(parent, key, nodes) for key, nodes in grouped.items() if key not in streams
        ]
        return Parts(
            tuple(fields),
            tuple(streams.values()),
            tuple(self._deferred(parent, label, node) for label, node in later),
        )

    def grouped(
        self,
        parent: GraphQLObjectType,
        selected: Sequence[SelectionSetNode],
        later: list[tuple[str, SelectionSetNode]] | None = None,
    ) -> dict[str, list[FieldNode]]:
        """Return the fields of a type by their keys; deferred fragments are put aside if wanted."""
        found: dict[str, list[FieldNode]] = {}
        for node in self._spread(parent, selected, later, set()):
            key = node.alias.value if node.alias else node.name.value
            found.setdefault(key, []).append(node)
        return found

    def _spread(
        self,
        parent: GraphQLObjectType,
        selected: Sequence[SelectionSetNode],
        later: list[tuple[str, SelectionSetNode]] | None,
        seen: set[str],
    ) -> Iterator[FieldNode]:
        for node in (one for own in selected for one in own.selections):
            if not self._is_included(node):
                continue
            if isinstance(node, FieldNode):
                yield node
                continue
            inner = self._fragment(parent, node, seen)
            if inner is None:
                continue
            deferred = self._marked(node, "defer") if later is not None else None
            if later is not None and deferred is not None:
                later.append((deferred, inner))
            else:
                if isinstance(node, FragmentSpreadNode):
                    seen.add(node.name.value)
                yield from self._spread(parent, [inner], later, seen)

    def _fragment(
        self, parent: GraphQLObjectType, node: SelectionNode, seen: set[str]
    ) -> SelectionSetNode | None:
        """Return what a fragment selects, if it is for this type and was not spread before."""
        if isinstance(node, FragmentSpreadNode):
            if node.name.value in seen:
                return None
            found = self.fragments[node.name.value]
            return found.selection_set if self._is_for(parent, found) else None
        inline = cast(InlineFragmentNode, node)
        return inline.selection_set if self._is_for(parent, inline) else None

    def _is_for(
        self, parent: GraphQLObjectType, node: InlineFragmentNode | FragmentDefinitionNode
    ) -> bool:
        if not node.type_condition:
            return True
        wanted = self.schema.type_map[node.type_condition.name.value]
        return wanted is parent or (
            is_abstract_type(wanted) and self.schema.is_sub_type(wanted, parent)
        )

    def _is_included(self, node: SelectionNode) -> bool:
        skipped = get_directive_values(GraphQLSkipDirective, node, self.variables)
        wanted = get_directive_values(GraphQLIncludeDirective, node, self.variables)
        return not (skipped and skipped["if"]) and not (wanted and not wanted["if"])

    def _marked(self, node: SelectionNode, name: str) -> str | None:
        """Return the label of a directive that holds, which may be empty; nothing without it."""
        directive = cast(GraphQLDirective, self.schema.get_directive(name))
        values = get_directive_values(directive, node, self.variables)
        # Whoever wants some items at once gets the whole list at once.
        if values is None or not values["if"] or values.get("initialCount"):
            return None
        return values.get("label") or ""

    def _streams(
        self, parent: GraphQLObjectType, grouped: Mapping[str, Sequence[FieldNode]]
    ) -> dict[str, Stream]:
        found: dict[str, Stream] = {}
        for key, nodes in grouped.items():
            name = nodes[0].name.value
            label = self._marked(nodes[0], "stream") if name in _LATE else None
            if label is not None:
                levels = _IN_MESSAGES.get(name, 0)
                found[key] = Stream(key, name, label, self._selection(parent, nodes, levels))
        return found

    def _deferred(
        self, parent: GraphQLObjectType, label: str, selected: SelectionSetNode
    ) -> Deferred:
        fields = self.parts(parent, [selected], 0).fields
        return Deferred(label, fields, _waits(fields))

    def _field(self, parent: GraphQLObjectType, key: str, nodes: Sequence[FieldNode]) -> Field:
        return Field(key, nodes[0].name.value, self._selection(parent, nodes, 0))

    def _selection(
        self, parent: GraphQLObjectType, nodes: Sequence[FieldNode], levels: int
    ) -> Selection | None:
        name = nodes[0].name.value
        kind = get_named_type(parent.fields[name].type) if name in parent.fields else None
        if kind is None or not is_composite_type(kind):
            return None
        if isinstance(kind, GraphQLObjectType):
            return {kind.name: self.parts(kind, _inner(nodes), levels)}
        own = self.schema.get_possible_types(kind)
        return {one.name: self.parts(one, _inner(nodes), levels) for one in own}


def _inner(nodes: Sequence[FieldNode]) -> list[SelectionSetNode]:
    return [node.selection_set for node in nodes if node.selection_set]


def _waits(fields: Sequence[Field]) -> bool:
    return any(field.name in _LATE for field in fields)
