"""Comma-separated values, with whatever stands for the comma."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from sextant.errors import BrokenFile
from sextant.ingest.read.data.tables import write_table
from sextant.ingest.read.decode import decode_within
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import ReadLimits, at_most
from sextant.ingest.values import Reading

_SEPARATORS = (",", ";", "\t", "|")
_SAMPLE = 20


def read_csv(given: Given) -> list[Reading]:
    """Read a table of separated values as one block of rows."""
    decoded = decode_within(given.data, given.limits)
    separator = "\t" if given.path.lower().endswith((".tsv", ".tab")) else _separator(decoded.text)
    rows = _rows(decoded.text, separator, given.limits)
    draft = Draft(given.limits)
    write_table(draft, rows)
    return [
        Reading(
            draft.text,
            tuple(draft.blocks),
            title=readable_name(given.path),
            source_type=given.format,
            notes=decoded.notes,
        )
    ]


def _rows(text: str, separator: str, limits: ReadLimits) -> list[list[str]]:
    csv.field_size_limit(max(limits.text, csv.field_size_limit()))
    rows: list[list[str]] = []
    cells = 0
    try:
        for row in csv.reader(io.StringIO(text), delimiter=separator):
            at_most(limits.columns, len(row), "columns")
            cells += len(row)
            at_most(limits.cells, cells, "cells")
            rows.append(row)
    except csv.Error as error:
        raise BrokenFile(f"A row cannot be read: {error}.", "Save it again as CSV.") from None
    return rows


def _separator(text: str) -> str:
    """Return the separator that gives the first lines the most columns, all the same number."""
    lines = [line for line in text[:100_000].split("\n")[: _SAMPLE + 1] if line.strip()]
    return max(_SEPARATORS, key=lambda mark: _evenness(lines[:_SAMPLE], mark))


def _evenness(lines: Iterable[str], mark: str) -> tuple[int, int]:
    counts = [line.count(mark) for line in lines]
    most = max(set(counts), key=counts.count, default=0)
    return (counts.count(most) if most else 0, most)
