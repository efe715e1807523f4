"""What a segment is derived from: plain rows of the truth, numbered once and for ever."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NO_TIME = -(2**63)


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk and the numbers of the entities that it mentions."""

    row: int
    id: str
    text: str
    headings: tuple[str, ...]
    entities: tuple[int, ...]
    vector: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One contribution to an edge; chunk is the place of its evidence in the document, or -1."""

    source: int
    target: int
    kind: int
    confidence: float
    weight: int
    chunk: int


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document version with all that it contributes; names are (normal name, entity number)."""

    row: int
    title: str
    source_type: str
    tags: tuple[str, ...]
    personas: tuple[str, ...]
    created: int
    modified: int
    chunks: tuple[ChunkRow, ...]
    names: tuple[tuple[str, int], ...]
    edges: tuple[EdgeRow, ...]
