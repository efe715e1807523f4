"""Asking a store for much at a time, though not for too much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def pages(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Cut a sequence into parts of a size."""
    return (items[start : start + size] for start in range(0, len(items), size))
