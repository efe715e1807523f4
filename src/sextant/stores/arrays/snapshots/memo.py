"""A bounded memory of what was worked out. Forgets what was not asked for lately; knows no keys."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

_SHARE = 8
"""A value larger than this part of the whole is not kept: it would push out all others."""


class Memo:
    """Values under keys, up to a number of bytes, in two generations.

    An old value that is asked for becomes young again; when the young ones fill their half, they
    become the old ones, and the old ones go. Threads may share it: the worst that can happen is
    that something is worked out twice.
    """

    def __init__(self, most_bytes: int) -> None:
        self._half = most_bytes // 2
        self._young: dict[Hashable, tuple[Any, int]] = {}
        self._old: dict[Hashable, tuple[Any, int]] = {}
        self._held = 0
        self._changing = threading.Lock()

    def get(self, key: Hashable) -> Any | None:
        """Return what was kept under a key, or None."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is None:
                return None
            self.keep(key, *found)
        return found[0]

    def keep(self, key: Hashable, value: Any, size: int) -> None:
        """Keep a value of this many bytes, unless it is too large."""
        if size * _SHARE > self._half * 2:
            return
        with self._changing:
            if self._held + size > self._half:
                self._old, self._young, self._held = self._young, {}, 0
            self._young[key] = (value, size)
            self._held += size
