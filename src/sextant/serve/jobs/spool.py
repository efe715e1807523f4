"""Files that came in and wait for their job: one folder for each. Knows no job and no request."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sextant.errors import InvalidInput, ReadError, StoreFull, StoreUnwritable
from sextant.ingest.sources.names import entry_path, has_noise
from sextant.limits import check_name

_FOLDER, _FILE = 0o700, 0o600
_LONGEST_PART = 255
_OWN_FAULTS = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})


def tidy_name(name: str) -> str:
    """Return a client's name for a file as a plain relative path; raise if it is none."""
    try:
        path = entry_path("", name)
    except ReadError:
        raise InvalidInput(
            f"The name {name[:80]!r} is no plain relative path.",
            "Give it one without `..`, backslashes and control characters, and with no slash or "
            "drive at its start.",
        ) from None
    check_name("name of the file", path)
    if has_noise(path):
        raise InvalidInput(
            f"The name {path[:80]!r} is a hidden one.", "Give it a name that starts with a letter."
        )
    if any(len(part.encode()) > _LONGEST_PART for part in path.split("/")):
        raise InvalidInput(f"The name {path[:40]!r}… is too long.", "Give it a shorter one.")
    return path


class Spool:
    """All the folders."""

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir(mode=_FOLDER, exist_ok=True)

    def folder(self, job_id: str) -> Path:
        """Return the folder of a job."""
        return self._root / job_id

    def make(self, job_id: str) -> Path:
        """Make the folder of a job."""
        with _typed():
            self.folder(job_id).mkdir(mode=_FOLDER)
        return self.folder(job_id)

    def remove(self, job_id: str) -> None:
        """Remove what a job had."""
        shutil.rmtree(self.folder(job_id), ignore_errors=True)

    def names(self) -> list[str]:
        """Name the jobs that have a folder."""
        return [path.name for path in self._root.iterdir()]

    def settle(self, job_id: str) -> None:
        """Make the names of what was written durable; their content is so already."""
        with _typed():
            for folder, _, _ in os.walk(self.folder(job_id)):
                sync_folder(Path(folder))
            sync_folder(self._root)


def create(folder: Path, name: str) -> BinaryIO:
    """Open a new file of a tidy name below a folder."""
    with _typed(name):
        path = folder / name
        path.parent.mkdir(mode=_FOLDER, parents=True, exist_ok=True)
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE), "wb")


def append(file: BinaryIO, data: bytes) -> None:
    """Write on."""
    with _typed():
        file.write(data)


def finish(file: BinaryIO) -> None:
    """Make the content durable, and let go."""
    with _typed(), file:
        file.flush()
        os.fsync(file.fileno())


def save(folder: Path, name: str, data: bytes) -> None:
    """Write a whole new file."""
    file = create(folder, name)
    append(file, data)
    finish(file)


@contextmanager
def _typed(name: str = "") -> Iterator[None]:
    """Say whose fault it is that something cannot be written."""
    try:
        yield
    except OSError as error:
        if name and error.errno in _OWN_FAULTS:
            raise InvalidInput(
                f"The name {name[:80]!r} cannot stand beside the others.",
                "Give each file a name of its own.",
            ) from None
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull("There is no room for files that come in.", "Free the disk.") from error
        raise StoreUnwritable(f"A file cannot be kept: {error.strerror}.", "Check.") from error


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
