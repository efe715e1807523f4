"""What a document says of itself in named fields. Knows the names, and no format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from sextant.ingest.read.dates import moment
from sextant.ingest.read.decode import storable

_TITLE = ("title", "headline", "subject")
_CREATED = ("created", "date", "published", "publishdate", "created_at", "createdat", "pubdate")
_MODIFIED = ("modified", "updated", "lastmod", "last_modified", "updated_at", "updatedat")
_TAGS = ("tags", "tag", "keywords", "categories", "labels")
_ALIASES = ("aliases", "alias")
_URL = ("url", "canonical", "canonical_url", "permalink", "link")
_LANGUAGE = ("language", "lang")
_KNOWN = frozenset(_TITLE + _CREATED + _MODIFIED + _TAGS + _ALIASES + _URL + _LANGUAGE)
"""Names of fields by what they mean, the most telling first."""
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")
_SEPARATOR = re.compile(r"\s*[,;]\s*")
_MOST = 200


@dataclass(frozen=True, slots=True)
class Declared:
    """The fields that every document may have, and the rest as metadata."""

    title: str = ""
    created: datetime | None = None
    modified: datetime | None = None
    tags: frozenset[str] = frozenset()
    aliases: frozenset[str] = frozenset()
    url: str = ""
    language: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


NOTHING = Declared()


def declared(fields: Mapping[object, object]) -> Declared:
    """Sort the fields of a document; names count without case, wrong values are passed over."""
    named: dict[str, object] = {}
    rest: dict[str, str] = {}
    for name, value in islice(fields.items(), _MOST):
        key = str(name).strip()
        if key.lower() in _KNOWN:
            named[key.lower()] = value
        elif key and (text := scalar_text(value)):
            rest[key] = text
    if not named:
        return Declared(metadata=rest)
    return Declared(
        title=_first(named, _TITLE),
        created=_moment(named, _CREATED),
        modified=_moment(named, _MODIFIED),
        tags=frozenset(_several(named, _TAGS)),
        aliases=frozenset(_several(named, _ALIASES)),
        url=web_address(_first(named, _URL)),
        language=language_tag(_first(named, _LANGUAGE)),
        metadata=rest,
    )


def scalar_text(value: object) -> str:
    """Return a scalar, or a list of scalars, as text; anything else is nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return storable(str(value)).strip()
    if isinstance(value, list) and len(value) <= _MOST:
        parts = [scalar_text(part) for part in value if not isinstance(part, list)]
        return ", ".join(part for part in parts if part)
    return ""


def language_tag(value: str) -> str:
    """Return a language code in the usual spelling, or nothing if it is none."""
    tag = value.strip().replace("_", "-")
    return tag if len(tag) <= 35 and _LANGUAGE_TAG.fullmatch(tag) else ""


def web_address(value: str) -> str:
    """Return an address that can stand in a citation, or nothing."""
    value = value.strip()
    return value if value.startswith(("http://", "https://", "/")) and " " not in value else ""


def _first(named: Mapping[str, object], names: Iterable[str]) -> str:
    for name in names:
        if name in named and isinstance(named[name], str | int | float):
            value = scalar_text(named[name])
            if value:
                return " ".join(value.split())
    return ""


def _moment(named: Mapping[str, object], names: Iterable[str]) -> datetime | None:
    for name in names:
        if name in named:
            found = moment(named[name])
            if found:
                return found
    return None


def _several(named: Mapping[str, object], names: Iterable[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        if name not in named:
            continue
        value = named[name]
        if isinstance(value, str):
            found.extend(_SEPARATOR.split(value))
        elif isinstance(value, list):
            found.extend(scalar_text(part) for part in value if isinstance(part, str | int | float))
    return [text for part in found[:_MOST] if (text := storable(part.strip().lstrip("#")))]
