"""What an expression of a declarative workflow comes to. Knows values, no action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from sextant.ask.workflow.declarative.expressions import (
    Call,
    Field,
    Listed,
    Literal,
    Name,
    Node,
    Operation,
    Record,
)
from sextant.errors import ConfigError

LOCAL = "Local"
_VALUE = "Value"
_DAY = date(2000, 1, 1)
"""Any day will do: what a workflow does must not depend on it."""

_MOST = 1_000
Values = Mapping[str, Any]


def evaluate(node: Node, values: Values, where: str) -> Any:
    """Return what an expression comes to; values has what each name stands for."""
    match node:
        case Literal(value):
            return value
        case Name(name):
            return _named(name, values, where)
        case Field(of, name):
            return _field(evaluate(of, values, where), name)
        case Record(fields):
            return {name: evaluate(one, values, where) for name, one in fields}
        case Listed(items):
            return [evaluate(one, values, where) for one in items]
        case Operation(sign, left, right):
            return _joined(sign, left, right, values, where)
        case Call():
            return _called(node, values, where)


def _named(name: str, values: Values, where: str) -> Any:
    if name not in values:
        raise ConfigError(f"{where}: {name} is not understood.", "Write Local.NAME for a variable.")
    return values[name]


def _called(call: Call, values: Values, where: str) -> Any:
    if call.function in ("ForAll", "Concat"):
        return _each_row(call, values, where)
    given = [evaluate(one, values, where) for one in call.arguments]
    try:
        return _FUNCTIONS[call.function](*given)
    except (TypeError, ValueError, OverflowError):
        raise _mistyped(where, call.function) from None


def text_of_value(value: Any) -> str:
    """Return a value as a workflow writes it into a text."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _field(of: Any, name: str) -> Any:
    """Return a field; of what is blank, or has none of this name, that is blank."""
    return of.get(name) if isinstance(of, dict) else None


def _row(item: Any) -> dict[str, Any]:
    return item if isinstance(item, dict) else {_VALUE: item}


def _each_row(call: Call, values: Values, where: str) -> Any:
    rows = evaluate(call.arguments[0], values, where) or []
    if not isinstance(rows, list):
        raise _mistyped(where, call.function)
    made = [evaluate(call.arguments[1], {**values, **_row(one)}, where) for one in rows]
    if call.function == "ForAll":
        return made
    between = evaluate(call.arguments[2], values, where) if call.arguments[2:] else ""
    return text_of_value(between).join(map(text_of_value, made))


def _joined(sign: str, left: Node, right: Node, values: Values, where: str) -> Any:
    one = evaluate(left, values, where)
    if sign in ("&&", "||"):
        is_settled = bool(one) == (sign == "||")
        return bool(one) if is_settled else bool(evaluate(right, values, where))
    other = evaluate(right, values, where)
    try:
        return _SIGNS[sign](one, other)
    except TypeError:
        raise _mistyped(where, sign) from None


def _number(value: Any) -> float:
    """Return a value as a number; what is blank is none."""
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)


def _index(rows: Any, at: Any) -> dict[str, Any] | None:
    number = int(_number(at))
    return _row(rows[number - 1]) if rows and 1 <= number <= len(rows) else None


def _text(value: Any, form: str = "") -> str:
    return text_of_value(value) if form in ("", "yyyy-mm-dd") else _raise_type()


def _raise_type() -> str:
    raise TypeError


def _sequence(number: Any) -> list[float]:
    return [float(one) for one in range(1, min(int(_number(number)), _MOST) + 1)]


def _count(rows: Any) -> float:
    return float(len(rows)) if isinstance(rows, list) else 0.0 if rows is None else _number(rows)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "And": lambda *given: all(given),
    "Char": lambda code: chr(int(_number(code))),
    "Coalesce": lambda *given: next((one for one in given if one not in (None, "")), None),
    "Concatenate": lambda *given: "".join(map(text_of_value, given)),
    "CountRows": _count,
    "Index": _index,
    "IsBlank": lambda value: value in (None, ""),
    "Max": lambda *given: max(map(_number, given)),
    "Min": lambda *given: min(map(_number, given)),
    "Not": lambda value: not value,
    "Now": lambda: _DAY,
    "Or": lambda *given: any(given),
    "Sequence": _sequence,
    "Text": _text,
    "Today": lambda: _DAY,
}
_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    "<": lambda one, other: _number(one) < _number(other),
    "<=": lambda one, other: _number(one) <= _number(other),
    ">": lambda one, other: _number(one) > _number(other),
    ">=": lambda one, other: _number(one) >= _number(other),
    "+": lambda one, other: _number(one) + _number(other),
    "-": lambda one, other: _number(one) - _number(other),
    "&": lambda one, other: text_of_value(one) + text_of_value(other),
}


def _mistyped(where: str, what: str) -> ConfigError:
    return ConfigError(
        f"{where}: {what} is given a value that it cannot take.", "Correct the expression."
    )
