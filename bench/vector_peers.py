"""Vector engines: LanceDB without an index, and one numpy product. Both are exact."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import corpus
from bench.reference import K, Ranking, Search
from sextant.types import Put


class Lance:
    """LanceDB without an index: an exact scan."""

    def __init__(self, folder: Path) -> None:
        lancedb: Any = importlib.import_module("lancedb")
        self._arrow: Any = importlib.import_module("pyarrow")
        pa = self._arrow
        fields = [("id", pa.string()), ("text", pa.string()), ("tenth", pa.bool_())]
        fields.append(("vector", pa.list_(pa.float32(), corpus.WIDTH)))
        self._schema = pa.schema(fields)
        self._table = lancedb.connect(str(folder)).create_table("passages", schema=self._schema)

    def add(self, puts: Sequence[Put]) -> None:
        """Append a batch of rows."""
        each = [(put, chunk) for put in puts for chunk in put.chunks]
        rows = np.concatenate([put.vectors for put in puts if put.vectors is not None])
        flat = self._arrow.array(rows.ravel())
        columns = [
            [chunk.id for _, chunk in each],
            [chunk.text for put, chunk in each],
            [corpus.TENTH in put.document.tags for put, _ in each],
            self._arrow.FixedSizeListArray.from_arrays(flat, corpus.WIDTH),
        ]
        self._table.add(self._arrow.table(columns, schema=self._schema))

    def settle(self) -> None:
        """Merge the fragments."""
        self._table.optimize()

    def searches(self) -> dict[str, Search]:
        """Vector searches."""
        return {
            "vector": lambda pair: self._search(self._table.search(pair[1])),
            "vector, 10 % filter": lambda pair: self._search(
                self._table.search(pair[1]).where("tenth", prefilter=True)
            ),
        }

    def _search(self, query: Any) -> Ranking:
        asked = query.distance_type("cosine").limit(K)
        rows = asked.select(["id", "text", "_distance"]).to_list()
        return [(row["id"], 1.0 - row["_distance"]) for row in rows]


class Numpy:
    """One matrix in memory and one product: what needs no engine."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._ids: list[str] = []
        self._tenth: list[bool] = []
        self._rows: list[corpus.Vectors] = []
        self._matrix: corpus.Vectors = np.empty((0, corpus.WIDTH), np.float32)

    def add(self, puts: Sequence[Put]) -> None:
        """Keep the vectors."""
        for put in puts:
            self._ids += [chunk.id for chunk in put.chunks]
            self._tenth += [corpus.TENTH in put.document.tags] * len(put.chunks)
            self._rows += [] if put.vectors is None else [put.vectors]

    def settle(self) -> None:
        """Make the matrix."""
        self._matrix = np.concatenate(self._rows)

    def searches(self) -> dict[str, Search]:
        """Vector searches."""
        mask = np.array(self._tenth)
        return {
            "vector": lambda pair: self._search(pair[1], None),
            "vector, 10 % filter": lambda pair: self._search(pair[1], np.flatnonzero(mask)),
        }

    def _search(self, query: corpus.Vectors, rows: NDArray[np.int64] | None) -> Ranking:
        scores = (self._matrix if rows is None else self._matrix[rows]) @ query
        best = np.argpartition(scores, -K)[-K:]
        best = best[np.argsort(-scores[best])]
        own = best if rows is None else rows[best]
        return [(self._ids[at], float(scores[place])) for at, place in zip(own, best, strict=True)]
