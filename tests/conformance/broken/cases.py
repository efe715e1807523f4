"""Which test of a suite refuses which broken adapter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

_MOST = 8
"""Tests that one broken promise may fail: more would not tell which one it is."""


@dataclass(frozen=True, slots=True)
class Case:
    """A broken adapter, the tests that must fail for it, and how many may in all."""

    adapter: type[Any]
    tests: frozenset[str]
    most: int


class Cases(list[Case]):
    """All broken adapters of one kind."""

    def refused_by(self, *tests: str, most: int = _MOST) -> Callable[[type[T]], type[T]]:
        """Note which tests must refuse the adapter that this decorates."""

        def note(adapter: type[T]) -> type[T]:
            self.append(Case(adapter, frozenset(tests), most))
            return adapter

        return note
