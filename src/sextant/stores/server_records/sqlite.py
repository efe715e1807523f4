"""Server records in SQLite files of one folder, which several servers of one machine may share.

A folder on a network drive is not for this: locks do not hold there.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from sextant.errors import ConfigError
from sextant.stores.server_records import ledger, replies
from sextant.stores.server_records.book import Book
from sextant.stores.server_records.jobs import SqliteJobs
from sextant.stores.server_records.keys import SqliteKeys
from sextant.stores.server_records.presence import FilePresence
from sextant.stores.server_records.replies import SqliteReplies

KEYS, JOBS, REPLIES, ALIVE = "keys.sqlite", "jobs.sqlite", "replies.sqlite", "alive"
_OWNER_ONLY = 0o700


async def open_records(rest: str, folder: Path) -> SqliteServerRecords:
    """Open the records in a folder, by default the server's own."""
    return SqliteServerRecords(_folder(rest, folder))


def has_keys(rest: str, folder: Path) -> bool:
    """Whether a key was ever made there; nothing is made."""
    return (_folder(rest, folder) / KEYS).exists()


class SqliteServerRecords:
    """A folder with a file for each part, made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opening = asyncio.Lock()
        self._keys: SqliteKeys | None = None
        self._jobs: Book | None = None
        self._replies: Book | None = None
        self._presence: FilePresence | None = None

    async def open_keys(self) -> SqliteKeys:
        """Open the keys."""
        async with self._opening:
            if self._keys is None:
                self._make_folder()
                self._keys = SqliteKeys(self._folder / KEYS)
        return self._keys

    async def open_jobs(self) -> SqliteJobs:
        """Open the jobs."""
        async with self._opening:
            if self._jobs is None:
                self._make_folder()
                self._jobs = await asyncio.to_thread(Book, self._folder / JOBS, ledger.SCHEMA)
        return SqliteJobs(self._jobs)

    async def open_replies(self) -> SqliteReplies:
        """Open the replies."""
        async with self._opening:
            if self._replies is None:
                self._make_folder()
                path = self._folder / REPLIES
                self._replies = await asyncio.to_thread(Book, path, replies.SCHEMA)
        return SqliteReplies(self._replies)

    async def open_presence(self) -> FilePresence:
        """Say that this server is here, until the records are closed."""
        async with self._opening:
            if self._presence is None:
                self._make_folder()
                self._presence = await asyncio.to_thread(FilePresence, self._folder / ALIVE)
        return self._presence

    async def close(self) -> None:
        """Let go of all parts; who is at work on something is here until the last."""
        if self._keys:
            self._keys.close()
        for book in (self._jobs, self._replies):
            if book:
                await book.close()
        if self._presence:
            self._presence.close()
        self._keys = self._jobs = self._replies = self._presence = None

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"The folder of serve.records cannot be made: {error.strerror}.",
                "Name one that can be written to: sqlite:FOLDER.",
            ) from None


def _folder(rest: str, folder: Path) -> Path:
    return Path(rest).expanduser() if rest else folder
