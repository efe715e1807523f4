"""OData filters over the fields of an index, by the parser that Sextant has."""

import operator
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from odata_query import ast

from sextant.errors import InvalidFilter
from sextant.text.odata.syntax import syntax
from tests.peers.search_service.documents import Row
from tests.peers.search_service.fields import LIST, MOMENT, Definition
from tests.peers.search_service.refusals import invalid, no_property

_ORDERS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
Test = Callable[[Row], bool]


def compiled(text: str | None, definition: Definition) -> Test:
    """Return whether a row passes a filter; no filter lets all pass."""
    if not text:
        return lambda row: True  # noqa: ARG005
    try:
        return _test(syntax(text), definition, {})
    except InvalidFilter as error:
        raise invalid(f"Invalid expression: {error.message}\r\nParameter name: $filter") from None


def _test(node: object, definition: Definition, variables: dict[str, str]) -> Test:
    match node:
        case ast.BoolOp(op=op, left=left, right=right):
            tests = (_test(left, definition, variables), _test(right, definition, variables))
            join = any if isinstance(op, ast.Or) else all
            return lambda row: join(test(row) for test in tests)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            test = _test(operand, definition, variables)
            return lambda row: not test(row)
        case ast.Boolean():
            return lambda row: node.py_val  # noqa: ARG005
        case ast.Compare(comparator=op, left=ast.Identifier() as left, right=right):
            return _comparison(_field(left, definition, variables), op, right, definition)
        case ast.CollectionLambda(ast.Identifier(name), ast.Any(), each):
            return _some(name, each, definition)
        case ast.Call(
            func=ast.Identifier("in", ("search",)), args=[ast.Identifier() as field, *args]
        ):
            name = _field(field, definition, variables)
            values = _split(args)
            return lambda row: row.get(name) in values
    raise invalid("Invalid expression: Syntax error.\r\nParameter name: $filter")


def _field(node: ast.Identifier, definition: Definition, variables: dict[str, str]) -> str:
    """Return under which name a value stands in a row, or in a row of one item of a list."""
    name: str = node.name
    if name in variables:
        return name
    if name not in definition.fields:
        raise no_property(name)
    if not definition.may(name, "filterable"):
        raise invalid(f"Invalid expression: The field '{name}' is not filterable.")
    return name


def _comparison(name: str, op: object, value: object, definition: Definition) -> Test:
    wanted = getattr(value, "py_val", value)
    own = definition.fields.get(name)
    if own and own["type"] == MOMENT and isinstance(wanted, datetime):
        return _compare(lambda row: _moment(row.get(name)), op, wanted)
    return _compare(lambda row: row.get(name), op, wanted)


def _compare(read: Callable[[Row], Any], op: object, wanted: Any) -> Test:
    if isinstance(op, ast.Eq):
        return lambda row: bool(read(row) == wanted)
    if isinstance(op, ast.NotEq):
        return lambda row: bool(read(row) != wanted)
    order = _ORDERS[type(op)]

    def is_ordered(row: Row) -> bool:
        value = read(row)
        return value is not None and wanted is not None and order(value, wanted)

    return is_ordered


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _some(name: str, each: ast.Lambda | None, definition: Definition) -> Test:
    _field(ast.Identifier(name), definition, {})
    if definition.fields[name]["type"] != LIST:
        raise invalid(f"Invalid expression: any() is for collections, and '{name}' is none.")
    if each is None:
        return lambda row: bool(row.get(name))
    variable = each.identifier.name
    test = _test(each.expression, definition, {variable: name})
    return lambda row: any(test({variable: one}) for one in row.get(name) or ())


def _split(args: list[Any]) -> frozenset[str]:
    """Return the values of search.in: separated by a blank or a comma, or by what is given."""
    separators = args[1].val if len(args) > 1 else " ,"
    return frozenset(re.split(f"[{re.escape(separators)}]", args[0].val))
