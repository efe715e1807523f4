"""The core properties of office files, which three formats share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sextant.ingest.read.dates import moment
from sextant.ingest.read.declared import Declared, language_tag, scalar_text


def core_properties(properties: Any) -> Declared:
    """Return what the properties declare; a broken one counts as not given."""
    keywords = scalar_text(_got(lambda: properties.keywords))
    tags = (tag.strip() for tag in keywords.replace(";", ",").split(","))
    author = scalar_text(_got(lambda: properties.author)) or scalar_text(
        _got(lambda: properties.creator)
    )
    subject = scalar_text(_got(lambda: properties.subject))
    found = {"author": author, "subject": subject}
    return Declared(
        title=scalar_text(_got(lambda: properties.title)),
        created=moment(_got(lambda: properties.created)),
        modified=moment(_got(lambda: properties.modified)),
        tags=frozenset(tag for tag in tags if tag),
        language=language_tag(scalar_text(_got(lambda: properties.language))),
        metadata={name: value for name, value in found.items() if value},
    )


def _got(read: Callable[[], object]) -> object:
    try:
        return read()
    except Exception:
        return None
