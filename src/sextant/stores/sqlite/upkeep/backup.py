"""A store as one file, taken while it is in use, and back. A tar that any tool can open.

The last member lists the checksum of every other; a file without it, or not as listed, is refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import sqlite3
import tarfile
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import IO

from sextant.errors import (
    Conflict,
    FormatMismatch,
    InvalidInput,
    NotAStore,
    NotFound,
    StoreBusy,
    StoreDamaged,
    StoreUnwritable,
)
from sextant.ports import Progress
from sextant.stores.arrays.segments.files import sync_folder
from sextant.stores.sqlite.truth.feed import begin_history
from sextant.stores.sqlite.truth.locks import turn
from sextant.stores.sqlite.truth.schema import FORMAT, damaged, format_of
from sextant.stores.sqlite.upkeep.folder import claim, speaking_of, tenants_in

_LIST = "sextant-backup.json"
_MEMBER = re.compile(r"tenants/[0-9a-f]{32}/(truth\.db|segments/[0-9a-f-]+\.seg)")
_WAIT_SECONDS = 60.0
_READ = 4 << 20
_LONGEST_LIST = 1 << 30


def backup(root: Path, target: Path, progress: Progress | None = None) -> int:
    """Write every tenant as of one commit each; the target appears whole or not at all."""
    if not target.name:
        raise InvalidInput("A file name is wanted for the backup.", "Write, say, sextant.tar.")
    if target.exists() or target.is_symlink():
        raise _taken(target)
    if not target.parent.is_dir():
        raise NotFound("The folder for the backup does not exist.", "Make it first.")
    tell = progress or (lambda *_: None)
    tenants = tenants_in(root)
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with _drafted(draft) as file:
            with tarfile.open(fileobj=file, mode="w") as archive:
                sums: dict[str, str] = {}
                for at, (tenant, folder) in enumerate(tenants.items()):
                    tell("backing up", at, len(tenants))
                    with speaking_of(tenant, folder):
                        sums |= _add_tenant(archive, root, folder, target.parent)
                _add_list(archive, sums)
            file.flush()
            os.fsync(file.fileno())
        _publish(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    tell("backing up", len(tenants), len(tenants))
    return target.stat().st_size


def restore(source: Path, root: Path, progress: Progress | None = None) -> list[str]:
    """Make a new store from a backup and name its tenants; it appears whole or not at all."""
    if not source.is_file():
        raise NotFound(f"There is no backup {source.name}.", "Check the name of the file.")
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise Conflict(
            "The folder to restore into is not empty.",
            "Restore into a new folder, then point the store setting at it.",
        )
    root.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{root.name}.", dir=root.parent))
    try:
        claim(draft)
        _unpack(source, draft, progress)
        for truth in draft.glob("tenants/*/truth.db"):
            with closing(sqlite3.connect(truth)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                with connection:
                    begin_history(connection)
        for folder in (path for path in draft.rglob("*") if path.is_dir()):
            sync_folder(folder)
        with suppress(FileNotFoundError):
            root.rmdir()
        draft.replace(root)
        sync_folder(root.parent)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return list(tenants_in(root))


def _drafted(draft: Path) -> IO[bytes]:
    try:
        return draft.open("xb")
    except OSError as error:
        raise StoreUnwritable(
            f"The backup's folder {draft.parent} cannot be written to: {error.strerror}.",
            "Name a file in another folder.",
        ) from error


def _publish(draft: Path, target: Path) -> None:
    """Give a draft its name, unless somebody else took that meanwhile."""
    try:
        os.link(draft, target)
    except FileExistsError:
        raise _taken(target) from None
    except OSError:  # a file system without links
        draft.replace(target)
    sync_folder(target.parent)


def _taken(target: Path) -> Conflict:
    return Conflict(f"{target.name} exists already.", "Choose another name, or move it away.")


def _add_tenant(
    archive: tarfile.TarFile, root: Path, folder: Path, workplace: Path
) -> dict[str, str]:
    inside = folder.relative_to(root).as_posix()
    with turn(folder, _WAIT_SECONDS) as mine, tempfile.TemporaryDirectory(dir=workplace) as held:
        if not mine:
            raise StoreBusy("Another process is tidying up this store.", "Try again in a minute.")
        copy = Path(held) / "truth.db"
        files = _copy_truth(folder / "truth.db", copy)
        sums = {f"{inside}/truth.db": _add_file(archive, copy, f"{inside}/truth.db")}
        for file in files:
            path = folder / "segments" / file
            if path.exists():  # what is missing is derived anew from the restored truth
                sums[f"{inside}/segments/{file}"] = _add_file(
                    archive, path, f"{inside}/segments/{file}"
                )
    return sums


def _copy_truth(source: Path, copy: Path) -> list[str]:
    if not source.exists():
        raise StoreDamaged("The database is gone.", "Restore the last backup.")
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(copy)) as frozen:
        live.backup(frozen)
        frozen.execute("PRAGMA journal_mode = DELETE")
        if not format_of(frozen):
            raise StoreDamaged("The database is empty.", "Restore the last backup.")
        if frozen.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise damaged()
        return [file for (file,) in frozen.execute("SELECT file FROM segments ORDER BY low")]


def _add_file(archive: tarfile.TarFile, path: Path, name: str) -> str:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        member = tarfile.TarInfo(name)
        member.size = path.stat().st_size
        archive.addfile(member, file)
    return digest


def _add_list(archive: tarfile.TarFile, sums: dict[str, str]) -> None:
    said = json.dumps({"format": FORMAT, "sha256": sums}).encode()
    member = tarfile.TarInfo(_LIST)
    member.size = len(said)
    archive.addfile(member, io.BytesIO(said))


def _unpack(source: Path, folder: Path, progress: Progress | None) -> None:
    found: dict[str, str] = {}
    listed: dict[str, str] | None = None
    try:
        with source.open("rb") as file, tarfile.open(fileobj=file, mode="r:") as archive:
            size = source.stat().st_size
            for member, content in _members(archive):
                if progress:
                    progress("restoring", member.offset_data, size)
                if member.name == _LIST:
                    listed = _read_list(content)
                else:
                    found[member.name] = _extract(member, content, folder)
    except (tarfile.TarError, EOFError) as error:
        raise StoreDamaged(f"The backup cannot be read: {error}.", "Use another backup.") from error
    if listed is None or listed != found:
        raise StoreDamaged("The backup is cut short or changed.", "Use another backup.")


def _members(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    for member in archive:
        content = archive.extractfile(member) if member.isreg() else None
        if content is None or (member.name != _LIST and not _MEMBER.fullmatch(member.name)):
            raise NotAStore("The file is not a backup of a Sextant store.", "Choose another file.")
        yield member, content


def _read_list(content: IO[bytes]) -> dict[str, str]:
    try:
        said = json.loads(content.read(_LONGEST_LIST))
        version, sums = said["format"], said["sha256"]
        sums = {str(name): str(digest) for name, digest in sums.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise StoreDamaged("The backup's list cannot be read.", "Use another backup.") from None
    if version not in range(1, FORMAT + 1):
        raise FormatMismatch(
            f"The backup has format {version}; this version of Sextant reads {FORMAT}.",
            "Use the version that wrote it.",
        )
    return sums


def _extract(member: tarfile.TarInfo, content: IO[bytes], folder: Path) -> str:
    path = folder / member.name
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with path.open("xb") as file:
        while block := content.read(_READ):
            digest.update(block)
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()
