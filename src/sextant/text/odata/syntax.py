"""OData's syntax tree as our filter tree. Knows which fields there are, and the parsing library."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import TypeAlias

from odata_query import ast
from odata_query.exceptions import FunctionCallException, ParsingException, TokenizingException
from odata_query.grammar import ODataLexer, ODataParser

from sextant.errors import InvalidFilter
from sextant.query import (
    MAX_DEPTH,
    AllOf,
    AnyOf,
    ChunksAny,
    DocumentsAny,
    EntitiesAny,
    Filter,
    Not,
    SourceTypes,
    TagsAny,
    TimeRange,
)

_INSTANT = timedelta(microseconds=1)
_DAY = timedelta(days=1)

_Node: TypeAlias = object
"""Any part of a syntax tree; the library has no public name for it."""
_Values: TypeAlias = tuple[str, ...]
_LISTS: dict[str, Callable[[_Values], TagsAny | EntitiesAny]] = {
    "tags": TagsAny,
    "entityIds": EntitiesAny,
}
_TEXTS: dict[str, type[SourceTypes | DocumentsAny | ChunksAny]] = {
    "sourceType": SourceTypes,
    "documentId": DocumentsAny,
    "chunkId": ChunksAny,
}
_TIMES = ("created", "modified")
_FIELDS = (*_LISTS, *_TEXTS, *_TIMES)
HINT = (
    "Use and, or, not with tags/any(t: t eq 'x'), entityIds/any(e: e eq 'x'), sourceType eq 'x', "
    "documentId eq 'x', chunkId eq 'x', created ge 2025-01-01T00:00:00Z, "
    "modified lt 2025-07-01T00:00:00Z."
)

_DEEPEST = 2 * MAX_DEPTH


def syntax(text: str) -> _Node:
    """Let the library parse; whatever it raises is about the text."""
    try:
        node: _Node | None = ODataParser().parse(ODataLexer().tokenize(text))
    except (ParsingException, TokenizingException) as error:
        at = getattr(error.token, "index", len(text))
        where = f"at {text[at : at + 30]!r}" if text[at:] else "at its end"
        raise InvalidFilter(f"The filter is not understood {where}.", HINT) from None
    except FunctionCallException as error:
        raise InvalidFilter(f"The filter is not understood: {str(error)[:80]}", HINT) from None
    except Exception:  # the library has bugs of its own behind rare texts
        raise InvalidFilter("The filter is not understood.", HINT) from None
    if node is None:
        raise InvalidFilter("The filter is not understood.", HINT)
    return node


def tree(node: _Node, depth: int = 1) -> Filter:
    """Return the filter that a syntax tree means."""
    if depth > _DEEPEST:
        raise InvalidFilter(f"The filter is nested deeper than {MAX_DEPTH}.", "Flatten it.")
    match node:
        case ast.BoolOp(op=op):
            parts = [tree(one, depth + 1) for one in _operands(node, type(op))]
            return _any(parts) if isinstance(op, ast.Or) else _all(parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Not(tree(operand, depth + 1))
        case ast.Compare(op, ast.UnaryOp(op=ast.Not(), operand=left), right):
            return Not(tree(ast.Compare(op, left, right), depth + 1))
        case ast.Compare(left=ast.Identifier() as field, right=right, comparator=op):
            return _compared(_name(field), op, right)
        case ast.CollectionLambda(ast.Identifier() as field, ast.Any(), ast.Lambda() as each):
            return _listed(_name(field), each)
        case ast.Call() if (found := _search_in(node))[0] in _TEXTS:
            return _TEXTS[found[0]](found[1])
        case ast.Boolean():
            return AllOf(()) if node.py_val else AnyOf(())
    raise _unknown(_written(node))


def _written(node: _Node) -> str:
    """Return a part of a filter as its author knows it, if it is a short one."""
    match node:
        case ast.Identifier():
            return _name(node)
        case ast.Compare():
            return "a comparison with what is no field on its left"
        case ast.CollectionLambda():
            return "any() or all()"
        case ast.Call():
            return f"{_name(node.func)}() of this"
        case ast.BinOp():
            return "a calculation"
    value = getattr(node, "val", "")
    return repr(value) if value else ""


def _operands(node: _Node, op: type) -> Iterator[_Node]:
    """Yield what is joined by the same operator, without one call for each of them."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.BoolOp) and isinstance(one.op, op):
            waiting += [one.right, one.left]
        else:
            yield one


def _compared(field: str, op: _Node, value: _Node) -> Filter:
    if field in _TIMES:
        return _timed(field, op, value)
    if field not in _TEXTS:
        raise _no_field(field, "be compared")
    if isinstance(op, ast.Eq | ast.In):
        return _TEXTS[field](_strings(value))
    if isinstance(op, ast.NotEq):
        return Not(_TEXTS[field](_strings(value)))
    raise InvalidFilter(f"The filter's {field} takes eq, ne and in alone.", HINT)


def _timed(field: str, op: _Node, value: _Node) -> Filter:
    if isinstance(value, ast.Null) and isinstance(op, ast.Eq | ast.NotEq):
        dated = TimeRange(by=field)
        return Not(dated) if isinstance(op, ast.Eq) else dated
    if not isinstance(value, ast.Date | ast.DateTime):
        raise InvalidFilter(f"The filter compares {field} with what is not a time.", HINT)
    start, end = _span(value.val, _DAY if isinstance(value, ast.Date) else _INSTANT)
    if type(op) not in _SIDES:
        raise InvalidFilter(f"The filter's {field} takes ge, gt, le, lt, eq and ne.", HINT)
    span = TimeRange(*_SIDES[type(op)](start, end), field)
    return Not(span) if isinstance(op, ast.NotEq) else span


_Span: TypeAlias = tuple[datetime | None, datetime | None]
_SIDES: dict[type, Callable[[datetime, datetime], _Span]] = {
    ast.GtE: lambda start, _: (start, None),
    ast.Gt: lambda _, end: (end, None),
    ast.Lt: lambda start, _: (None, start),
    ast.LtE: lambda _, end: (None, end),
    ast.Eq: lambda start, end: (start, end),
    ast.NotEq: lambda start, end: (start, end),
}


def _listed(field: str, each: ast.Lambda) -> Filter:
    """Read what may hold of an item of a list; only `or` has a meaning that a store knows."""
    if field not in _LISTS:
        raise _no_field(field, "be searched with any()")
    found: list[str] = []
    for one in _operands(each.expression, ast.Or):
        found += _equal_to(each.identifier.name, one)
    return _LISTS[field](tuple(found))


def _equal_to(variable: str, node: _Node) -> _Values:
    match node:
        case ast.Compare(ast.Eq() | ast.In(), ast.Identifier(name, ()), value):
            if name == variable:
                return _strings(value)
        case ast.Call() if (found := _search_in(node))[0] == variable:
            return found[1]
    raise InvalidFilter(
        f"The filter's any() takes {variable} eq 'x', joined by or, and search.in().", HINT
    )


def _search_in(node: ast.Call) -> tuple[str, _Values]:
    """Read Azure's function for many values: the field, the values, what separates them."""
    match _name(node.func).lower(), node.args:
        case "search.in", [ast.Identifier() as field, ast.String(values), *more]:
            if not more:
                return _name(field), _split(values, " ,")
            if len(more) == 1 and isinstance(more[0], ast.String) and more[0].val:
                return _name(field), _split(values, more[0].val)
    raise _unknown(f"{_name(node.func)}()")


def _strings(node: _Node) -> _Values:
    items = node.val if isinstance(node, ast.List) else [node]
    texts = tuple(one.val for one in items if isinstance(one, ast.String))
    if len(texts) < len(items):
        raise InvalidFilter("The filter compares with what is no text in quotes.", HINT)
    return texts


def _name(field: ast.Identifier) -> str:
    return ".".join((*field.namespace, field.name))


def _all(parts: Sequence[Filter]) -> Filter:
    """Return parts that all hold; a start and an end of the same time are one range."""
    return _joined(AllOf, reduce(_with_range, parts, list[Filter]()))


def _with_range(parts: list[Filter], part: Filter) -> list[Filter]:
    match parts[-1:], part:
        case [TimeRange(datetime() as start, None, by)], TimeRange(None, datetime() as end, other):
            if by == other:
                return [*parts[:-1], TimeRange(start, end, by)]
    return [*parts, part]


def _any(parts: Sequence[Filter]) -> Filter:
    """Return parts of which one holds; a field that equals one of several texts is one part."""
    return _joined(AnyOf, reduce(_with_texts, parts, list[Filter]()))


def _with_texts(parts: list[Filter], part: Filter) -> list[Filter]:
    match parts[-1:], part:
        case [SourceTypes(some)], SourceTypes(more):
            return [*parts[:-1], SourceTypes((*some, *more))]
        case [DocumentsAny(some)], DocumentsAny(more):
            return [*parts[:-1], DocumentsAny((*some, *more))]
        case [ChunksAny(some)], ChunksAny(more):
            return [*parts[:-1], ChunksAny((*some, *more))]
    return [*parts, part]


def _joined(kind: type[AllOf] | type[AnyOf], parts: list[Filter]) -> Filter:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def _split(values: str, separators: str) -> _Values:
    found = re.split(f"[{re.escape(separators)}]", values)
    return tuple(dict.fromkeys(one.strip() for one in found if one.strip()))


def _span(value: str, size: timedelta) -> tuple[datetime, datetime]:
    try:
        start = datetime.fromisoformat(value.upper())
        start = start if start.tzinfo else start.replace(tzinfo=UTC)
        return start, start + size
    except (ValueError, OverflowError):
        raise InvalidFilter(f"The filter has {value[:40]!r}, which is not a time.", HINT) from None


def _no_field(field: str, what: str) -> InvalidFilter:
    meant = difflib.get_close_matches(field, _FIELDS, 1)
    hint = f"Did you mean {meant[0]}?" if meant and meant[0] != field else HINT
    return InvalidFilter(f"The filter's {field[:80]} cannot {what}.", hint)


def _unknown(what: str) -> InvalidFilter:
    told = f": {what[:80]}" if what else ""
    return InvalidFilter(f"The filter has a part that is not understood{told}.", HINT)
