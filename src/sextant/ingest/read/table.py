"""The table of readers, and the one way to call them. A reader is imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from itertools import islice

from sextant.errors import BrokenFile, SextantError, TooMuch
from sextant.ingest.read.dates import sensible
from sextant.ingest.read.decode import storable
from sextant.ingest.read.formats import format_of
from sextant.ingest.read.given import Given
from sextant.ingest.read.limits import DEFAULT, ReadLimits, at_most
from sextant.ingest.read.plugin_formats import installed_formats
from sextant.ingest.values import Reading

_HERE = "sextant.ingest.read"
_READERS = {
    "markdown": "prose.markdown:read_markdown",
    "text": "prose.plain:read_text",
    "rst": "prose.rst:read_rst",
    "code": "prose.source:read_source",
    "html": "web.html:read_html",
    "email": "web.mail:read_email",
    "mbox": "web.mail:read_mailbox",
    "csv": "data.sheet:read_csv",
    "json": "data.records:read_json",
    "jsonl": "data.records:read_lines",
    "notebook": "data.notebook:read_notebook",
    "yaml": "data.catalogue:read_yaml",
    "catalogue": "data.catalogue:read_yaml",
    "pdf": "office.pdf:read_pdf",
    "docx": "office.docx:read_docx",
    "pptx": "office.pptx:read_pptx",
    "xlsx": "office.xlsx:read_xlsx",
}
_HEAD = 8_192
_MOST_FIELDS = 200
_LONGEST_URL = 2_000


def read(
    path: str,
    data: bytes,
    media_type: str = "",
    modified: datetime | None = None,
    limits: ReadLimits = DEFAULT,
) -> list[Reading]:
    """Return the documents in the bytes of one item, or say why there are none."""
    name = format_of(path, media_type, data[:_HEAD])
    given = Given(path, data, name, media_type, modified, limits)
    try:
        readings = _reader(name)(given)
    except (SextantError, MemoryError):  # whoever set a limit of memory can say which
        raise
    except RecursionError:
        raise TooMuch("It is nested too deeply.", "Split it.") from None
    except Exception as error:
        # Parsers that others wrote raise whatever a broken file makes them stumble over.
        raise BrokenFile(
            f"It cannot be read as {name}: {type(error).__name__}.", "Open and save it again."
        ) from error
    at_most(limits.documents, len(readings), "documents")
    return [_bounded(reading, given) for reading in readings]


def _reader(name: str) -> Callable[[Given], list[Reading]]:
    if name not in _READERS:
        return installed_formats()[name].read
    module, _, function = _READERS[name].partition(":")
    reader: Callable[[Given], list[Reading]] = getattr(import_module(f"{_HERE}.{module}"), function)
    return reader


def _bounded(reading: Reading, given: Given) -> Reading:
    """Cut what is declared down to what a store takes; a file's time stands in for its date."""
    limits = given.limits
    filed = sensible(given.modified) if given.modified else None
    modified = reading.modified or reading.created or filed
    return replace(
        reading,
        title=_cut(reading.title, limits.name),
        url=storable(reading.url) if len(reading.url) <= _LONGEST_URL else "",
        part=storable(reading.part)[: limits.name],
        modified=modified,
        tags=_labels(reading.tags, limits),
        aliases=_labels(reading.aliases, limits),
        metadata=_fields(reading.metadata, limits),
    )


def _cut(text: str, most: int) -> str:
    return storable(" ".join(text.split()))[:most].rstrip()


def _fields(metadata: Mapping[str, str], limits: ReadLimits) -> Mapping[str, str]:
    return {
        storable(name)[: limits.name]: storable(value)[: limits.value]
        for name, value in islice(metadata.items(), _MOST_FIELDS)
    }


def _labels(values: frozenset[str], limits: ReadLimits) -> frozenset[str]:
    if not values:
        return values
    kept = sorted(storable(value)[: limits.name] for value in values if value)
    return frozenset(kept[:_MOST_FIELDS])
