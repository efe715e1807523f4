"""Rows of cells as lines of text. Knows no file format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sextant.ingest.read.draft import Draft
from sextant.ingest.values import Kind
from sextant.text.layouts.rows import joined, names_columns

_COMPACT = 1_500
_LONGEST = 500
"""A longer row with its heads is written as several, each of which begins as the first does."""
_MOST_TITLES = 10
"""More rows of one cell are a table that is hardly filled."""


def write_table(
    draft: Draft, rows: Sequence[Sequence[str]], page: int | None = None, headed: bool = True
) -> int:
    """Write rows as one block: small ones as a table, long ones with the header in every row."""
    rows = [cells for row in rows if any(cells := [" ".join(cell.split()) for cell in row])]
    rows = _untitled(draft, rows, page) if rows else rows
    if not rows:
        return draft.rows([], page=page)
    headed = headed and len(rows) > 1 and names_columns(rows[0])
    size = sum(len(cell) + 3 for row in rows for cell in row)
    if headed and size > _COMPACT:
        lines = [line for row in rows[1:] for line in _labelled(rows[0], row)]
        return draft.rows(lines, Kind.TABLE, page)
    width = max(map(len, rows))
    return draft.rows([joined(row, width) for row in rows], Kind.TABLE, page, head=int(headed))


def _untitled(
    draft: Draft, rows: Sequence[Sequence[str]], page: int | None
) -> Sequence[Sequence[str]]:
    """Write what stands above the heads of a table as text, and return the rest."""
    width = max(map(len, rows))
    start = 0
    while start < len(rows) and _is_title(rows[start], width, is_last=start + 1 == len(rows)):
        start += 1
    if start > _MOST_TITLES:
        return rows
    for row in rows[:start]:
        draft.add(Kind.TEXT, "".join(row), page)
    return rows[start:]


def _is_title(row: Sequence[str], width: int, *, is_last: bool) -> bool:
    """Whether a row has one cell only, which is not the head of the second of two columns."""
    is_head = width == 2 and not row[0] and not is_last
    return width > 1 and sum(map(bool, row)) == 1 and not is_head


def _labelled(header: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    """Yield a row with its heads, on a line or on several."""
    names = (*header, *[""] * (len(row) - len(header)))
    parts = [
        f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=False) if cell
    ]
    line = parts[0]
    for part in parts[1:]:
        if len(line) + len(part) > _LONGEST and len(parts[0]) < _LONGEST // 2:
            yield line
            line = parts[0]
        line = f"{line}; {part}"
    yield line
