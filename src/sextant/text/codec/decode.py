"""From plain JSON values to a noun: every field there, of its kind, and no other. Knows no noun.

What is refused is said in half a sentence; whoever knows what was read says the other half.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from sextant.errors import InvalidInput

T = TypeVar("T")
_DEEPEST = 32
_KINDS: dict[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}


def loads(text: str) -> Any:
    """Return the value that a JSON text stands for; what is no JSON is refused."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except RecursionError:
        raise InvalidInput("it is nested too deeply", "Flatten it.") from None
    except ValueError as error:
        raise InvalidInput(f"it is no JSON: {error}", "Write JSON.") from None


def shaped(kind: Callable[..., T], value: object, place: str = "") -> T:
    """Return a value as a noun, or say at which place it has another shape."""
    known = compared(kind)
    given = members(value, place, known, seldom(kind))
    own = {
        name: _value(known[name], told, f"{place}.{name}" if place else name)
        for name, told in given.items()
    }
    return kind(**own)


def members(
    value: object, place: str, wanted: Mapping[str, object], seldom: Collection[str] = ()
) -> Mapping[str, Any]:
    """Return an object that has exactly these fields; those that are seldom told may be missing."""
    if not isinstance(value, Mapping):
        raise _wrong(place or "the whole", "is no object")
    missing = [name for name in wanted if name not in value and name not in seldom]
    if missing:
        raise _wrong(place or "the whole", f"has no field {missing[0]!r}")
    unknown = [name for name in value if name not in wanted]
    if unknown:
        raise _wrong(place or "the whole", f"has an unknown field {str(unknown[0])[:80]!r}")
    return value


def item(kind: type[T], value: object, place: str) -> T:
    """Return a text, a number or a truth that is exactly that, or a collection of nouns."""
    made: T = _value(kind, value, place)
    return made


@cache
def compared(kind: Any) -> Mapping[str, Any]:
    """Return the fields of a noun that count when it is compared, with their types."""
    hints = get_type_hints(kind, localns={"Json": object})
    return {one.name: hints[one.name] for one in fields(kind) if one.compare}


@cache
def seldom(kind: Any) -> frozenset[str]:
    """Return the fields that are told only where they are not as usual."""
    return frozenset(one.name for one in fields(kind) if "seldom" in one.metadata)


def _value(wanted: Any, value: Any, place: str) -> Any:
    if wanted in _KINDS:
        return _check_scalar(wanted, value, place)
    origin, kinds = get_origin(wanted), get_args(wanted)
    if origin in (tuple, frozenset):
        if not isinstance(value, list):
            raise _wrong(place, "is no list")
        own = (_value(kinds[0], one, f"{place}[{at}]") for at, one in enumerate(value))
        return frozenset(own) if origin is frozenset else tuple(own)
    if origin is UnionType:
        return None if value is None else _value(kinds[0], value, place)
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        if value not in list(wanted):
            raise _wrong(place, f"is none of {', '.join(wanted)}")
        return wanted(value)
    if origin in (Mapping, dict):
        if not isinstance(value, Mapping):
            raise _wrong(place, "is no object")
        kind = _json if kinds[1] in (object, Any) else partial(_value, kinds[1])
        return {_check_scalar(str, name, place): kind(own, place) for name, own in value.items()}
    if wanted is datetime:
        return _moment(value, place)
    return shaped(wanted, value, place)


def _moment(value: Any, place: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise _wrong(place, "is not a time") from None
    if moment.tzinfo is None:
        raise _wrong(place, "is a time without an offset")
    return moment


def _check_scalar(wanted: Any, value: Any, place: str) -> Any:
    if wanted is float and type(value) is int and abs(value) <= 2**53:
        value = float(value)
    if type(value) is not wanted or (wanted is float and not math.isfinite(value)):
        raise _wrong(place, f"is not {_KINDS[wanted]}")
    if wanted is str and not _is_text(value):
        raise _wrong(place, "holds half of a surrogate pair")
    return value


def _json(value: Any, place: str, depth: int = 1) -> Any:
    if depth > _DEEPEST:
        raise _wrong(place, f"is nested deeper than {_DEEPEST}")
    if isinstance(value, Mapping):
        return {
            _check_scalar(str, name, place): _json(own, place, depth + 1)
            for name, own in value.items()
        }
    if isinstance(value, list):
        return [_json(own, place, depth + 1) for own in value]
    if type(value) not in (NoneType, *_KINDS):
        raise _wrong(place, "is nothing that JSON has")
    return None if value is None else _check_scalar(type(value), value, place)


def _is_text(value: str) -> bool:
    return value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a field comes twice in one object")
    return made


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _wrong(place: str, what: str) -> InvalidInput:
    return InvalidInput(f"{place[:200]} {what}", "Correct it there.")
