"""JSON and JSON Lines: records with a text are documents, anything else is a readable tree."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from sextant.errors import BrokenFile, TooMuch
from sextant.ingest.read.data.seed import is_seed, read_seed
from sextant.ingest.read.data.sent import is_sent, read_sent
from sextant.ingest.read.data.trees import write_tree
from sextant.ingest.read.declared import declared, scalar_text
from sextant.ingest.read.decode import clean, decode_within
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import at_most
from sextant.ingest.read.prose.markdown import scan, title_of
from sextant.ingest.read.prose.marks import links
from sextant.ingest.values import Reading

_TEXT = ("text", "content", "body", "contents", "passage", "markdown", "page_content")
_ID = ("id", "_id", "doc_id", "docid", "document_id", "key", "uuid", "slug")


def read_json(given: Given) -> list[Reading]:
    """Read one JSON value."""
    decoded = decode_within(given.data, given.limits)
    value = _parse(decoded.text, "")
    if is_sent(value):
        return read_sent(given, value)  # type: ignore[arg-type]
    if is_seed(value if isinstance(value, list) else [value]):
        return read_seed(given, value if isinstance(value, list) else [value])
    if isinstance(value, list) and value and all(_text_field(record) for record in value):
        return _documents(given, [(str(at), record) for at, record in enumerate(value, 1)])
    draft = Draft(given.limits)
    write_tree(draft, value)
    return [replace(_whole(given, draft, value), notes=decoded.notes)]


def read_lines(given: Given) -> list[Reading]:
    """Read JSON Lines: one document per record where records have a text."""
    decoded = decode_within(given.data, given.limits)
    records = list(_lines(decoded.text))
    values = [record for _, record in records]
    if is_seed(values):
        return read_seed(given, values)
    if records and all(_text_field(record) for record in values):
        return _documents(given, records)
    draft = Draft(given.limits)
    write_tree(draft, values)
    return [replace(_whole(given, draft, None), notes=decoded.notes)]


def _lines(text: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield str(number), _parse(line, f" in line {number}")


def _parse(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = where or f" in line {error.lineno}"
        raise BrokenFile(
            f"It is no JSON{place}: {error.msg}.", "Mend it, or export it again."
        ) from None
    except RecursionError:
        raise TooMuch(f"Its JSON is nested too deeply{where}.", "Flatten it.") from None
    except ValueError:
        raise BrokenFile(f"It holds an invalid number{where}.", "Mend it.") from None


def _documents(given: Given, records: list[tuple[str, object]]) -> list[Reading]:
    at_most(given.limits.documents, len(records), "records")
    taken: set[str] = set()
    readings = []
    for number, record in records:
        if isinstance(record, Mapping):
            name = next(
                (scalar_text(record[key]) for key in _ID if scalar_text(record.get(key))), number
            )
            part = name if name not in taken else f"{name} ({number})"
            taken.add(part)
            readings.append(_document(given, part, record))
    return readings


def _document(given: Given, part: str, record: Mapping[str, object]) -> Reading:
    field = _text_field(record)
    text = clean(str(record[field]))
    blocks = scan(text)
    fields = declared({key: value for key, value in record.items() if key not in (field, *_ID)})
    return Reading(
        text,
        blocks,
        part=part,
        title=title_of(fields, blocks, part),
        url=fields.url,
        source_type=given.format,
        language=fields.language,
        created=fields.created,
        modified=fields.modified,
        tags=fields.tags,
        aliases=fields.aliases,
        links=links(text, blocks, given.limits.links),
        metadata=fields.metadata,
    )


def _text_field(record: object) -> str:
    """Return the name of the field that holds a record's text, or nothing."""
    if not isinstance(record, Mapping):
        return ""
    return next((name for name in _TEXT if isinstance(record.get(name), str)), "")


def _whole(given: Given, draft: Draft, value: object) -> Reading:
    fields = declared(value if isinstance(value, Mapping) else {})
    return Reading(
        draft.text,
        tuple(draft.blocks),
        title=fields.title or readable_name(given.path),
        url=fields.url,
        source_type=given.format,
        language=fields.language,
        created=fields.created,
        modified=fields.modified,
        tags=fields.tags,
    )
