"""From a noun to plain JSON values, under the names that its fields have. Knows no noun."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any


def plain_of(value: Any) -> Any:
    """Return the fields that count when values are compared, all the way down."""
    if is_dataclass(value):
        return {name: plain_of(own) for name, own in opened(value).items()}
    if isinstance(value, Mapping):
        return {str(name): plain_of(own) for name, own in value.items()}
    if isinstance(value, tuple | list):
        return [plain_of(own) for own in value]
    if isinstance(value, frozenset | set | datetime):
        return opened(value)
    return value


def opened(value: Any) -> Any:
    """Return what JSON does not know as what it knows, one level down."""
    if is_dataclass(value):
        kind: Any = type(value)
        told = ((name, usual, getattr(value, name)) for name, usual in _compared(kind))
        return {name: own for name, usual, own in told if usual is _NOTHING or own != usual}
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return sorted(value) if isinstance(value, frozenset | set) else dict(value)


_NOTHING = object()


@cache
def _compared(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Return the fields that count, each with the value that need not be told, if it has one."""
    return tuple(
        (item.name, item.default if "seldom" in item.metadata else _NOTHING)
        for item in fields(kind)
        if item.compare
    )
