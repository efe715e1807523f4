"""A document that was sent as text, with its id and fields beside it: the text stays as it came."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sextant.ingest.read.declared import Declared, declared
from sextant.ingest.read.decode import clean
from sextant.ingest.read.given import Given
from sextant.ingest.read.prose.front import front_matter
from sextant.ingest.read.prose.markdown import scan, title_of
from sextant.ingest.read.prose.marks import links
from sextant.ingest.values import Reading
from sextant.types import OWN

ENDING = ".sextant.json"
"""What a file that holds one is called, after the document's own name."""
_KEY = f"{OWN}document"
_FORMAT = "markdown"


def packed(document_id: str, text: str, fields: Mapping[str, Any]) -> bytes:
    """Return a document as the bytes of such a file."""
    whole = {_KEY: {"id": document_id, "text": text, "fields": fields}}
    return json.dumps(whole, ensure_ascii=False).encode("utf-8", "replace")


def is_sent(value: object) -> bool:
    """Whether a JSON value is such a document."""
    return isinstance(value, Mapping) and isinstance(value.get(_KEY), Mapping)


def read_sent(given: Given, value: Mapping[str, Any]) -> list[Reading]:
    """Read a document in Markdown; what was sent beside it goes before what its head says."""
    sent = value[_KEY]
    name, text = str(sent.get("id") or given.path), clean(str(sent.get("text") or ""))
    head, start = front_matter(text, given.limits)
    beside = sent.get("fields")
    fields = _over(declared(beside if isinstance(beside, Mapping) else {}), head)
    blocks = scan(text, start)
    return [
        Reading(
            text,
            blocks,
            id=name,
            title=title_of(fields, blocks, name),
            url=fields.url,
            source_type=_FORMAT,
            language=fields.language,
            created=fields.created,
            modified=fields.modified,
            tags=fields.tags,
            aliases=fields.aliases,
            links=links(text, blocks, given.limits.links),
            metadata=fields.metadata,
        )
    ]


def _over(first: Declared, second: Declared) -> Declared:
    return Declared(
        first.title or second.title,
        first.created or second.created,
        first.modified or second.modified,
        first.tags | second.tags,
        first.aliases | second.aliases,
        first.url or second.url,
        first.language or second.language,
        {**second.metadata, **first.metadata},
    )
