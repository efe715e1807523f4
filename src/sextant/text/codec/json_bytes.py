"""Values as the bytes of JSON, fast. Knows no noun."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from sextant.text.markdown import printable

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


def shown_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON that stays data wherever its text is shown.

    What a terminal, a browser or a reader of Markdown would obey is escaped; it is the same value.
    """
    separators = (",", ":") if indent is None else None
    told = json.dumps(value, ensure_ascii=False, separators=separators, indent=indent, default=str)
    return _ODD.sub(_escaped, told)


_ODD = re.compile(r"(?<=\])[(\[:]|<|[^\x00-\x7e]")
"""ASCII that stands in no JSON outside of strings, at least not there, and all beyond it."""


def _escaped(sign: re.Match[str]) -> str:
    if sign[0].isascii() and sign[0] != "\x7f":
        return f"\\u{ord(sign[0]):04x}"
    return (
        sign[0]
        if printable(sign[0]) == sign[0]
        else json.dumps(sign[0])[1:-1]
        if sign[0] != "\x7f"
        else "\\u007f"
    )


def _slowly(value: Any, *, sort_keys: bool = False) -> str:
    """Return a value as JSON that may hold half characters."""
    return json.dumps(
        value,
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=sort_keys,
        default=msgspec.to_builtins,
    )
