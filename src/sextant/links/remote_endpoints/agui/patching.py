"""A JSON Patch (RFC 6902), applied to a state. Knows no agent."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from sextant.text.codec.json_bytes import written

_MOST_COPIES = 100
"""Copies in one patch: agents copy a value or two, and each doubles what there is at most."""
_LARGEST = 2 * 1024 * 1024
"""Bytes of a state after a copy: those of the longest line, in which a whole state would come."""


def apply_patch(state: Any, operations: Sequence[Mapping[str, Any]]) -> Any:
    """Return a state after all changes, or raise an error of Python where one cannot be made."""
    if sum(one["op"] == "copy" for one in operations) > _MOST_COPIES:
        raise ValueError("copies")
    whole = {"": copy.deepcopy(state)}
    for one in operations:
        _apply(whole, one)
        if one["op"] == "copy" and len(written(whole)) > _LARGEST:
            raise ValueError("copies")
    return whole[""]


def _apply(whole: dict[str, Any], operation: Mapping[str, Any]) -> None:
    path = operation["path"]
    match operation["op"]:
        case "add":
            _put(whole, path, operation["value"], is_new=True)
        case "replace":
            _put(whole, path, operation["value"], is_new=False)
        case "remove":
            _take(whole, path)
        case "move":
            _put(whole, path, _take(whole, operation["from"]), is_new=True)
        case "copy":
            _put(whole, path, copy.deepcopy(_found(whole, operation["from"])), is_new=True)
        case "test":
            if _found(whole, path) != operation["value"]:
                raise ValueError(path)
        case _:
            raise ValueError("op")


def _put(whole: dict[str, Any], path: str, value: Any, *, is_new: bool) -> None:
    place, key = _place(whole, path)
    if isinstance(place, list) and is_new:
        place.insert(len(place) if key == "-" else _index(key, len(place)), value)
    elif isinstance(place, list):
        place[_index(key, len(place) - 1)] = value
    elif is_new or key in place:
        place[key] = value
    else:
        raise KeyError(key)


def _take(whole: dict[str, Any], path: str) -> Any:
    place, key = _place(whole, path)
    return place.pop(_index(key, len(place) - 1) if isinstance(place, list) else key)


def _found(whole: dict[str, Any], path: str) -> Any:
    place, key = _place(whole, path)
    return place[_index(key, len(place) - 1) if isinstance(place, list) else key]


def _place(whole: dict[str, Any], path: str) -> tuple[Any, str]:
    """Return the object or list that a path leads into, and the last name of the path."""
    if path and not path.startswith("/"):
        raise ValueError(path)
    *way, last = path.split("/")
    place: Any = whole
    for name in way:
        key = _unescaped(name)
        place = place[_index(key, len(place) - 1) if isinstance(place, list) else key]
    if not isinstance(place, dict | list):
        raise TypeError(path)
    return place, _unescaped(last)


def _index(key: str, most: int) -> int:
    if not (key.isascii() and key.isdigit() and int(key) <= most):
        raise ValueError(key)
    return int(key)


def _unescaped(name: str) -> str:
    return name.replace("~1", "/").replace("~0", "~")
