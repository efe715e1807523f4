"""Workbooks: each sheet a heading and a table of its rows."""

from __future__ import annotations

import io
import warnings
from datetime import date, datetime, time
from typing import Any

from sextant.ingest.read.data.tables import write_table
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import at_most
from sextant.ingest.read.office.properties import core_properties
from sextant.ingest.read.office.zips import missing_office, refuse_unsafe_zip
from sextant.ingest.values import Kind, Reading

_MIDNIGHT = time()


def read_xlsx(given: Given) -> list[Reading]:
    """Read a workbook; cells are what was last calculated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns of styles, which nobody reads here
        book = _open(given)
        draft = Draft(given.limits)
        count = 0
        for sheet in book.worksheets:
            draft.heading(sheet.title, 1)
            rows, count = _rows(draft, sheet, count)
            _write(draft, rows)
        fields = core_properties(book.properties)
        book.close()
    return [
        Reading(
            draft.text,
            tuple(draft.blocks),
            title=fields.title or readable_name(given.path),
            source_type=given.format,
            language=fields.language,
            created=fields.created,
            modified=fields.modified,
            tags=fields.tags,
            metadata=fields.metadata,
        )
    ]


def _open(given: Given) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise missing_office("openpyxl") from None
    refuse_unsafe_zip(given.data, given.limits)
    return openpyxl.load_workbook(io.BytesIO(given.data), read_only=True, data_only=True)


def _rows(draft: Draft, sheet: Any, count: int) -> tuple[list[list[str]], int]:
    """Return the rows that hold something; rows that are only skipped over count as well."""
    rows = []
    for row in sheet.iter_rows(values_only=True):
        count += len(row) + 1
        at_most(draft.limits.cells, count, "cells")
        cells = [_shown(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            rows.append(cells)
    return rows, count


def _write(draft: Draft, rows: list[list[str]]) -> None:
    """Write what stands above a table as text, and the rest as a table."""
    wide = max(map(len, rows), default=0) > 1
    start = 0
    while wide and start < len(rows) - 1 and sum(map(bool, rows[start])) == 1:
        draft.add(Kind.TEXT, "".join(rows[start]))
        start += 1
    write_table(draft, rows[start:])


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        midnight = value.time() == _MIDNIGHT
        return value.date().isoformat() if midnight else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    return str(value).strip()
