"""What a reader is given, and the name a document has when it gives itself none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from sextant.ingest.read.limits import DEFAULT, ReadLimits

_SEPARATORS = re.compile(r"[\s_\-+]+")
_NAMELESS = frozenset({"index", "_index", "readme"})


@dataclass(frozen=True, slots=True)
class Given:
    """The bytes of one item, and what is known of it from outside."""

    path: str
    data: bytes
    format: str
    media_type: str = ""
    modified: datetime | None = None
    limits: ReadLimits = DEFAULT


def readable_name(path: str) -> str:
    """Return the last part of a path as a person would say it; an index is named by its folder."""
    pure = PurePosixPath(path.rstrip("/"))
    stem = pure.stem or pure.name
    if stem.lower() in _NAMELESS and pure.parent.name not in ("", "..", "."):
        stem = pure.parent.name
    words = _SEPARATORS.sub(" ", stem).strip()
    return words[:1].upper() + words[1:] if words.islower() else words or stem
