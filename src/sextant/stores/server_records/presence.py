"""Which processes that share a folder are alive: each holds a lock that dies with it."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import time
from pathlib import Path

_ENDING = ".lock"
_YOUNG_S = 60.0


class FilePresence:
    """Says that this process is here, under a name of its own, and who else is."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)
        self._name = secrets.token_hex(8)
        self._lock = _locked(self._path(self._name))
        self._sweep()

    @property
    def name(self) -> str:
        """The name of this process."""
        return self._name

    async def is_alive(self, name: str) -> bool:
        """Whether the process of that name goes on."""
        return name == self.name or await asyncio.to_thread(self._is_held, name)

    def close(self) -> None:
        """Go."""
        self._lock.close()
        self._remove(self.name)

    def _is_held(self, name: str) -> bool:
        """Whether somebody has the lock; that of a dead process goes."""
        path = self._path(name)
        if not path.exists():
            return False
        try:
            _locked(path).close()
        except sqlite3.OperationalError:
            return True
        self._remove(name)
        return False

    def _sweep(self) -> None:
        """Remove what processes left that died with nothing to do; a young one may be starting."""
        for path in self._folder.glob(f"*{_ENDING}"):
            try:
                is_young = time.time() - path.stat().st_mtime < _YOUNG_S
            except FileNotFoundError:
                continue
            if not is_young and path.stem != self.name:
                self._is_held(path.stem)

    def _remove(self, name: str) -> None:
        for path in (self._path(name), self._folder / f"{name}{_ENDING}-journal"):
            path.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{_ENDING}"


def _locked(path: Path) -> sqlite3.Connection:
    """Open a file whose exclusive transaction is the lock."""
    connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except BaseException:
        connection.close()
        raise
    return connection
