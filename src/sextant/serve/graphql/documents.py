"""Documents that clients send: read, checked and kept, so that each is looked at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    OperationType,
    parse,
    specified_rules,
    validate,
)
from graphql.execution.values import VariableValues, get_variable_values

from sextant.serve.graphql.document_limits import TOKENS, check_extent, check_length
from sextant.serve.graphql.incremental.selection import RunPlan, compile_run, has_conditions

_KEPT = 64
"""Eleven releases of the clients have three documents each; a page uses one release."""
_MOST_ERRORS = 10


class Rejected(Exception):
    """A document or its variables cannot be taken; the errors are the library's own."""

    def __init__(self, code: str, errors: Sequence[GraphQLError]) -> None:
        super().__init__(code, errors)
        self.code, self.errors = code, errors


@dataclass(frozen=True, slots=True)
class Document:
    """One operation that is known to fit the schema."""

    schema: GraphQLSchema
    node: DocumentNode
    operation: OperationDefinitionNode
    fragments: Mapping[str, FragmentDefinitionNode]
    plans: dict[bool, RunPlan] = field(default_factory=dict)

    @property
    def is_mutation(self) -> bool:
        """Whether it starts a run."""
        return self.operation.operation is OperationType.MUTATION

    def variables(self, given: dict[str, Any]) -> VariableValues:
        """Return the variables as the operation declares them, or reject them."""
        declared = self.operation.variable_definitions or ()
        found = get_variable_values(self.schema, declared, given, _MOST_ERRORS)
        if isinstance(found, list):
            raise Rejected("BAD_USER_INPUT", found)
        return found

    def plan(self, variables: VariableValues, *, in_parts: bool) -> RunPlan:
        """Return what is selected of a run; it is worked out once where no variable decides it."""
        plan = self.plans.get(in_parts)
        if plan is None:
            plan = compile_run(
                self.schema, self.operation, self.fragments, variables, in_parts=in_parts
            )
            if not has_conditions(self.node):
                self.plans[in_parts] = plan
        return plan


class Documents:
    """Keeps so many documents; the one that rested longest goes first."""

    def __init__(self, schema: GraphQLSchema, *, can_introspect: bool) -> None:
        self._schema = schema
        hidden = () if can_introspect else (NoSchemaIntrospectionCustomRule,)
        self._rules = [*specified_rules, *hidden]
        self._known: OrderedDict[tuple[str, str], Document] = OrderedDict()

    def find(self, text: str, operation_name: str) -> Document:
        """Return a document, or say why it is none."""
        key = (text, operation_name)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._read(text, operation_name)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return found

    def _read(self, text: str, operation_name: str) -> Document:
        check_length(text)
        try:
            node = parse(text, max_tokens=TOKENS)
        except GraphQLError as error:
            raise Rejected("GRAPHQL_PARSE_FAILED", [error]) from None
        fragments = {
            one.name.value: one
            for one in node.definitions
            if isinstance(one, FragmentDefinitionNode)
        }
        operations = [one for one in node.definitions if isinstance(one, OperationDefinitionNode)]
        for one in operations:
            check_extent(one, fragments)
        wrong = validate(self._schema, node, self._rules, _MOST_ERRORS)
        if wrong:
            raise Rejected("GRAPHQL_VALIDATION_FAILED", wrong)
        return Document(self._schema, node, _chosen(operations, operation_name), fragments)


def _chosen(operations: Sequence[OperationDefinitionNode], name: str) -> OperationDefinitionNode:
    found = [one for one in operations if not name or (one.name and one.name.value == name)]
    if len(found) == 1:
        return found[0]
    what = f"There is no operation {name[:80]!r}." if name else "Which operation is not said."
    raise Rejected("OPERATION_RESOLUTION_FAILURE", [GraphQLError(what)])
