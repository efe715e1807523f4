"""What rows of the index said as of one change, by what a scope sees. Knows no call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, TypeVar

from sextant.types import Facets

K = TypeVar("K")
V = TypeVar("V")

_MOST_PIECES = 10_000
"""Chunks whose pieces are remembered, of all tenants together: about 40 MB."""
_MOST_FACETS = 64

Row = dict[str, Any]


class Remembered:
    """Pieces that came with what was found, and facets; those noted first give way.

    A view is what a scope sees as of one change of the index: rows never change under it.
    """

    def __init__(self) -> None:
        self._pieces: dict[tuple[str, str, str], Row] = {}
        self._facets: dict[str, Facets] = {}

    def note_rows(self, view: str, rows: Iterable[Row]) -> None:
        """Remember what is kept of the pieces of chunks, also that there are none."""
        for row in rows:
            own = {"pieces": row.get("pieces")}
            _note(self._pieces, (view, row["chunkId"], row["version"]), own, _MOST_PIECES)

    def rows(self, view: str, versions: Mapping[str, str]) -> dict[str, Row]:
        """Return what is remembered of chunks at these versions."""
        found = {name: self._pieces.get((view, name, at)) for name, at in versions.items()}
        return {name: row for name, row in found.items() if row is not None}

    def note_facets(self, view: str, facets: Facets) -> None:
        """Remember which tags and source types are in use."""
        _note(self._facets, view, facets, _MOST_FACETS)

    def facets(self, view: str) -> Facets | None:
        """Return them, if they are known."""
        return self._facets.get(view)


def _note(kept: MutableMapping[K, V], key: K, value: V, most: int) -> None:
    kept.pop(key, None)
    kept[key] = value
    if len(kept) > most:
        del kept[next(iter(kept))]
