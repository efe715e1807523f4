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
        always, seldom = _compared(kind)
        told = {name: getattr(value, name) for name in always}
        for name, usual in seldom:
            if (own := getattr(value, name)) != usual:
                told[name] = own
        return told
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return sorted(value) if isinstance(value, frozenset | set) else dict(value)


@cache
def _compared(kind: Any) -> tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]:
    """Return the fields that count: those always told, and those told if not as usual."""
    both = [item for item in fields(kind) if item.compare]
    always = tuple(item.name for item in both if "seldom" not in item.metadata)
    seldom = tuple((item.name, item.default) for item in both if "seldom" in item.metadata)
    return always, seldom
