"""Filters as OData writes them: text to the filter tree, and back. Knows no store.

Of OData it takes ``and``, ``or``, ``not``, parentheses, and these, on the fields of a filter:
``tags/any(t: t eq 'x' or t eq 'y')``, ``entityIds/any(e: search.in(e, 'a,b'))``,
``sourceType eq 'wiki'``, ``created ge 2025-01-01T00:00:00Z``. A date is the whole day, in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from sextant.errors import InvalidFilter, InvalidInput
from sextant.limits import check_query
from sextant.query import (
    AllOf,
    AnyOf,
    ChunksAny,
    DocumentsAny,
    EntitiesAny,
    Filter,
    Not,
    Query,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
    values_of,
)

LONGEST = 8_000
MOST_TERMS = 300
"""The library takes time: 72 ms for 500 terms."""

_TERMS = re.compile(r"\s(?:and|or|eq|ne|lt|le|gt|ge)\s|[,/]", re.IGNORECASE)
_TIGHT_NOT = re.compile(r"('(?:[^']|'')*')|\bnot\(", re.IGNORECASE)


def parse(text: str) -> Filter:
    """Read a filter, or say what of it is not understood."""
    from sextant.text.odata.syntax import syntax, tree

    if len(text) > LONGEST:
        raise InvalidFilter(f"The filter is longer than {LONGEST:,} characters.", "Shorten it.")
    if len(_TERMS.findall(text)) > MOST_TERMS:
        raise InvalidFilter(f"The filter has more than {MOST_TERMS} terms.", "Shorten it.")
    spaced = _TIGHT_NOT.sub(lambda found: found[1] or "not (", text.strip())
    found = tree(syntax(spaced))
    try:
        check_query(Query(filter=found))
    except InvalidInput as error:
        raise InvalidFilter(error.message, error.hint) from None
    return found


def render(tree: Filter, most: int | None = None) -> str:
    """Write a filter as OData text, which `parse` reads as a filter that lets the same through.

    With ``most``, a field that may equal more texts than so many is compared with them by
    ``search.in``, as far as they can be told apart there.
    """
    return _written(tree, most)[0]


def render_equal(field: str, values: Sequence[str], most: int | None = None) -> str:
    """Write that a field equals one of these texts; it can be joined to others as it is."""
    return _whole(_equal(field, values, most))


def render_any(field: str, values: Sequence[str], most: int | None = None) -> str:
    """Write that a list holds one of these texts; it can be joined to others as it is."""
    return _whole(_among(field, "one", values, most))


_Written = tuple[str, bool]
"""A text, and whether it needs parentheses where it is joined to others."""


def _written(tree: Filter, most: int | None) -> _Written:
    match tree:
        case AllOf(parts):
            return _joined("and", [_written(part, most) for part in parts])
        case AnyOf(parts):
            return _joined("or", [_written(part, most) for part in parts])
        case Not(part):
            return f"not ({render(part, most)})", False
        case TagsAll(values):
            return _joined("and", [_among("tags", "t", (one,), most) for one in values])
        case TagsAny(values):
            return _among("tags", "t", values, most)
        case EntitiesAny(values):
            return _among("entityIds", "e", values, most)
        case TimeRange():
            return _within(tree)
        case _:
            return _equal(_FIELDS[type(tree)], values_of(tree), most)


_FIELDS = {SourceTypes: "sourceType", DocumentsAny: "documentId", ChunksAny: "chunkId"}
_NOTHING = {"and": "true", "or": "false"}


def _joined(by: str, parts: Sequence[_Written]) -> _Written:
    if len(parts) < 2:
        return parts[0] if parts else (_NOTHING[by], False)
    return f" {by} ".join(map(_whole, parts)), True


def _whole(part: _Written) -> str:
    text, is_joined = part
    return f"({text})" if is_joined else text


def _among(field: str, variable: str, values: Sequence[str], most: int | None) -> _Written:
    text, _ = _equal(variable, values, most)
    return (f"{field}/any({variable}: {text})" if values else text), False


def _equal(field: str, values: Sequence[str], most: int | None) -> _Written:
    separator = _separator(values) if most is not None and len(values) > most else ""
    listed = {one: None for one in values if separator and one == one.strip() != ""}
    parts = [(f"{field} eq {_quoted(one)}", False) for one in values if one not in listed]
    if listed:
        parts.append(
            (f"search.in({field}, {_quoted(separator.join(listed))}, '{separator}')", False)
        )
    return _joined("or", parts)


def _separator(values: Sequence[str]) -> str:
    """Return a sign that none of the texts has, if there is one."""
    letters = set().union(*values)
    return next((one for one in "|;,~" if one not in letters), "")


def _within(span: TimeRange) -> _Written:
    if span.start is None and span.end is None:
        return f"{span.by} ne null", False
    sides = (("ge", span.start), ("lt", span.end))
    return _joined("and", [(f"{span.by} {op} {_moment(at)}", False) for op, at in sides if at])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _moment(at: datetime) -> str:
    return (at.astimezone(UTC) if at.tzinfo else at).isoformat().removesuffix("+00:00") + "Z"
