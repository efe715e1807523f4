"""Values as canonical JSON: how units get their key and how stores are dumped and compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np

from sextant.types import Document, Put


def canonical(value: object) -> str:
    """Return the one JSON text that stands for this value."""
    return json.dumps(json_values(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def json_values(value: Any) -> Any:
    """Return a value as plain JSON values; sets are in order, times in UTC."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if names := _field_names(kind):
        return {name: json_values(getattr(value, name)) for name in names}
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [json_values(item) for item in value]
    if isinstance(value, Mapping):
        return {name: json_values(item) for name, item in value.items()}
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    return value.item() if isinstance(value, np.generic) else value


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""Nearly all values are of these types, and need not be asked what else they might be."""


@cache
def _field_names(kind: type) -> Sequence[str]:
    """Return the fields of a dataclass; none of what is not one."""
    return tuple(item.name for item in fields(kind)) if is_dataclass(kind) else ()


def unit_key(put: Put) -> str:
    """Return the unit's own key, or else a digest of all that it holds."""
    if put.key:
        return put.key
    content = (
        canonical(_document_values(put.document)),
        [(c.id, c.text, c.start, c.end, c.headings, c.page, c.entity_ids) for c in put.chunks],
        [(e.id, e.name, e.type, sorted(e.aliases), canonical(e.metadata)) for e in put.entities],
        [
            (r.source, r.target, r.kind, r.confidence, r.weight, r.evidence, r.id)
            for r in put.relations
        ],
        json_values(put.vectors),
        *(json_values(own) for own in put.pieces or ()),
    )
    return "sha256:" + hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _document_values(document: Document) -> Any:
    """Return a document as plain values; one without an owner has the digest it always had."""
    values = json_values(document)
    if not document.owner:
        del values["owner"]
    return values
