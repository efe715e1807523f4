"""Values as the bytes of JSON, fast. Knows no noun."""

from __future__ import annotations

import json
from typing import Any

import msgspec

_AS_IT_STANDS = msgspec.json.Encoder()
_IN_ORDER = msgspec.json.Encoder(order="sorted")


def written(value: Any) -> bytes:
    """Return a value as JSON in UTF-8; half characters become question marks."""
    try:
        return _AS_IT_STANDS.encode(value)
    except UnicodeEncodeError:
        return _slowly(value).encode("utf-8", "replace")


def canonical(value: Any) -> bytes:
    """Return the bytes that equal values have alike, in whatever order their names stand."""
    try:
        return _IN_ORDER.encode(value)
    except UnicodeEncodeError:
        return _slowly(json.loads(_slowly(value)), sort_keys=True).encode("utf-8", "surrogatepass")


def _slowly(value: Any, *, sort_keys: bool = False) -> str:
    """Return a value as JSON that may hold half characters."""
    return json.dumps(
        value,
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=sort_keys,
        default=msgspec.to_builtins,
    )
