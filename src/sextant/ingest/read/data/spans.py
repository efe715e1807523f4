"""Cells that cover several places of a table. Knows no file format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sextant.ingest.read.limits import DEFAULT, at_most

_WIDEST = 1_000


@dataclass(frozen=True, slots=True)
class Spanning:
    """A cell, and how many columns and rows it covers."""

    text: str
    across: int = 1
    down: int = 1


Place = tuple[str, int]
"""What stands in a place of a table, and which cell that is."""


def spread(rows: Iterable[Sequence[Spanning]]) -> list[list[Place]]:
    """Return the places of a table, row by row; a cell stands in each that it covers."""
    grid: list[list[Place]] = []
    hanging: dict[int, tuple[Place, int]] = {}
    number = count = 0
    for row in rows:
        places: list[Place] = []
        for cell in row:
            _hang(places, hanging)
            place, number = (cell.text, number), number + 1
            for _ in range(min(max(cell.across, 1), _WIDEST)):
                if cell.down > 1:
                    hanging[len(places)] = (place, cell.down)
                places.append(place)
        _hang(places, hanging)
        count += len(places)
        at_most(DEFAULT.cells, count, "cells")
        grid.append(places)
        hanging = {at: (one, left - 1) for at, (one, left) in hanging.items() if left > 1}
    return grid


def _hang(places: list[Place], hanging: dict[int, tuple[Place, int]]) -> None:
    """Take over the cells that hang down into a row, from where it is on."""
    while (at := len(places)) in hanging:
        places.append(hanging[at][0])


def levelled(grid: Sequence[Sequence[Place]]) -> list[list[str]]:
    """Return the texts of a table: heads above heads as one row, and a title as a single cell."""
    rows = [_single(row) for row in grid]
    at = next((at for at, row in enumerate(rows) if len(row) > 1), len(rows))
    if at + 1 < len(rows) and _are_heads_above(rows[at], rows[at + 1]):
        rows[at : at + 2] = [_put_together(rows[at], rows[at + 1])]
    elif at < len(rows):
        rows[at] = [place if fresh else ("", place[1]) for place, fresh in _fresh(rows[at])]
    return [[text for text, _ in row] for row in rows]


def _single(row: Sequence[Place]) -> list[Place]:
    """Return a row that is one wide cell as that cell."""
    return list(row[:1]) if len({cell for _, cell in row}) == 1 else list(row)


def _fresh(row: Sequence[Place]) -> list[tuple[Place, bool]]:
    """Return the places of a row, each with whether its cell begins there."""
    return [(place, not at or row[at - 1][1] != place[1]) for at, place in enumerate(row)]


def _are_heads_above(row: Sequence[Place], below: Sequence[Place]) -> bool:
    """Whether wide heads have heads of their own under them, and the other heads have none."""
    cells = [cell for _, cell in row]
    places = Counter(cells)
    is_wide = [places[cell] > 1 for cell in cells]
    return (
        any(is_wide)
        and len(below) == len(row)
        and all(
            wide or not one[0] or one[1] == cell
            for wide, one, cell in zip(is_wide, below, cells, strict=True)
        )
    )


def _put_together(row: Sequence[Place], below: Sequence[Place]) -> list[Place]:
    return [
        (one if cell == other else f"{one} {under}".strip(), cell)
        for (one, cell), (under, other) in zip(row, below, strict=True)
    ]
