"""Workbooks: each sheet a heading and a table of its rows."""

from __future__ import annotations

import io
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from itertools import groupby
from typing import Any

from sextant.ingest.read.data.spans import Place, levelled
from sextant.ingest.read.data.tables import write_table
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import at_most
from sextant.ingest.read.office.properties import core_properties
from sextant.ingest.read.office.zips import missing_office, refuse_unsafe_zip
from sextant.ingest.values import Reading
from sextant.text.layouts.rows import names_columns

_MIDNIGHT = time()
_AREA = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")
_MOST_MERGED = 100_000
"""More merged cells than anybody reads; what is beyond is left as it is."""


@contextmanager
def _without_numpy() -> Iterator[None]:
    """Hide numpy while openpyxl is imported, which would take it along: a second, for nothing."""
    known = sys.modules.get("numpy")
    sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["numpy"]
        if known is not None:
            sys.modules["numpy"] = known


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
            for table in _tables(rows):
                write_table(draft, table)
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
        with _without_numpy():
            import openpyxl
    except ImportError:
        raise missing_office("openpyxl") from None
    refuse_unsafe_zip(given.data, given.limits)
    return openpyxl.load_workbook(io.BytesIO(given.data), read_only=True, data_only=True)


def _rows(draft: Draft, sheet: Any, count: int) -> tuple[list[list[Place]], int]:
    """Return the rows of a sheet; rows that are only skipped over count as well."""
    merged = _merged(sheet)
    origins: dict[str, Place] = {}
    rows = []
    for down, row in enumerate(sheet.iter_rows(values_only=True), sheet.min_row or 1):
        places: list[Place] = []
        for across, value in enumerate(row, sheet.min_column or 1):
            count += 1
            own = (_shown(value), count)
            area = merged.get((down, across))
            places.append(origins.setdefault(area, own) if area else own)
        count += 1
        at_most(draft.limits.cells, count, "cells")
        rows.append(places)
    return rows, count


def _merged(sheet: Any) -> dict[tuple[int, int], str]:
    """Return the area that a cell was merged into, which the library does not tell of a stream."""
    from openpyxl.worksheet.cell_range import CellRange

    with sheet._get_source() as source:  # noqa: SLF001 - nor is there a public way to the file
        areas = sorted({area.decode() for area in _AREA.findall(source.read())})
    covered: dict[tuple[int, int], str] = {}
    for area in areas:
        cells = CellRange(area)
        if len(covered) + cells.size["rows"] * cells.size["columns"] <= _MOST_MERGED:
            covered.update(dict.fromkeys(cells.cells, area))
    return covered


def _tables(rows: Sequence[Sequence[Place]]) -> Iterator[list[list[str]]]:
    """Yield the tables of a sheet; after an empty row another one may begin."""
    held: list[list[str]] = []
    for texts in _stretches(rows):
        if held and not _begins_anew(held, texts):
            held += texts
            continue
        if held:
            yield held
        held = texts
    if held:
        yield held


def _stretches(rows: Sequence[Sequence[Place]]) -> Iterator[list[list[str]]]:
    """Yield the rows between empty ones, without empty cells at their ends."""
    for is_filled, own in groupby(rows, key=lambda row: any(text for text, _ in row)):
        if is_filled:
            yield [_trimmed(texts) for texts in levelled(list(own))]


def _trimmed(cells: list[str]) -> list[str]:
    return cells[: max((at for at, cell in enumerate(cells, 1) if cell), default=0)]


def _begins_anew(held: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows are a table with heads of its own, rather than more of the one before."""
    at = next((at for at, row in enumerate(rows) if sum(map(bool, row)) > 1), 0)
    head, width = rows[at], max(map(len, held))
    is_headed = len(rows) > at + 1 and names_columns(head)
    return width > 1 and is_headed and (at > 0 or len(head) != width)


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
