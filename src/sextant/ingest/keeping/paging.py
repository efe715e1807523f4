"""Asking a store for much at a time, though not for too much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from sextant.ingest.keeping.draft import Draft

T = TypeVar("T")


def pages(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Cut a sequence into parts of a size."""
    return (items[start : start + size] for start in range(0, len(items), size))


def in_groups(drafts: Iterable[Draft], size: int) -> Iterator[list[Draft]]:
    """Cut drafts into parts that hold so many chunks or just over; a draft itself counts as one."""
    group: list[Draft] = []
    chunks = 0
    for draft in drafts:
        group.append(draft)
        chunks += len(draft.chunks) + 1
        if chunks >= size:
            yield group
            group, chunks = [], 0
    if group:
        yield group
