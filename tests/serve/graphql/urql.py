"""Payloads as the clients' urql puts them together, patch by patch, in its own words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any


def put_together(payloads: Iterable[bytes]) -> Any:
    """Return the data that a client ends up with; a patch into nowhere is an error."""
    first, *others = [json.loads(one) for one in payloads]
    data = first["data"]
    flags = [one.get("hasNext", False) for one in (first, *others)]
    assert flags == [True] * len(others) + [False], flags
    for payload in others:
        assert payload.keys() <= {"incremental", "hasNext"}
        for patch in payload.get("incremental", ()):
            _apply(data, patch)
    return data


def _apply(data: Any, patch: Any) -> None:
    *way, last = patch["path"]
    part = _follow(data, way)
    if "items" in patch:
        assert isinstance(part, list)
        assert last == len(part), "items have to follow those that are there"
        part.extend(patch["items"])
    else:
        part[last] = _merge(part[last], patch["data"])


def _follow(data: Any, way: Sequence[str | int]) -> Any:
    for step in way:
        data = data[step]
    return data


def _merge(target: Any, source: Any) -> Any:
    if isinstance(target, dict):
        return target | {key: _merge(target.get(key), own) for key, own in source.items()}
    if isinstance(target, list):
        longer = target + [None] * (len(source) - len(target))
        return [_merge(old, new) for old, new in zip(longer, source, strict=False)]
    return source
