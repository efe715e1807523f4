"""Rows of cells as lines of text. Knows no file format."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sextant.ingest.read.draft import Draft
from sextant.ingest.values import Kind

_COMPACT = 1_500
_NUMBER = re.compile(r"[-+]?[\d.,\s]*\d[%]?")


def write_table(
    draft: Draft, rows: Sequence[Sequence[str]], page: int | None = None, headed: bool = True
) -> int:
    """Write rows as one block: small ones as a table, long ones with the header in every row."""
    rows = [cells for row in rows if any(cells := [" ".join(cell.split()) for cell in row])]
    if not rows:
        return draft.rows([], page=page)
    headed = headed and len(rows) > 1 and heads(rows[0])
    size = sum(len(cell) + 3 for row in rows for cell in row)
    if headed and size > _COMPACT:
        return draft.rows([_labelled(rows[0], row) for row in rows[1:]], Kind.TABLE, page)
    return draft.rows([_joined(row) for row in rows], Kind.TABLE, page, head=int(headed))


def heads(row: Sequence[str]) -> bool:
    """Whether a row names columns: no number, and no name twice."""
    named = [cell for cell in row if cell]
    if not named or len(set(named)) < len(named) or len(named) * 2 < len(row):
        return False
    return not any(len(cell) > 200 or _NUMBER.fullmatch(cell) for cell in named)


def _joined(row: Sequence[str]) -> str:
    return " | ".join(row).rstrip(" |")


def _labelled(header: Sequence[str], row: Sequence[str]) -> str:
    parts = []
    for at, cell in enumerate(row):
        name = header[at] if at < len(header) else ""
        if cell:
            parts.append(f"{name}: {cell}" if name else cell)
    return "; ".join(parts)
