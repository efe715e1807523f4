"""The store's folder: whose it is, and which tenants live in it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sextant.errors import NotAStore, StoreDamaged, StoreUnwritable
from sextant.stores.arrays.segments.files import sync_folder
from sextant.stores.sqlite.truth.schema import FORMAT, format_of, typed_errors, unknown_format

_MARK = "sextant-store.json"
_KIND = "sextant store"
_TENANT = "tenant.json"
_ELSEWHERE = "Choose an empty or a new folder."


def claim(root: Path) -> None:
    """Make the folder a store, or make sure that it is one. Several processes may do so at once."""
    _make(root)
    mark = root / _MARK
    if not mark.exists() and any(root.iterdir()) and not mark.exists():
        raise NotAStore("The folder holds files that are not a store's.", _ELSEWHERE)
    whole = json.dumps({"kind": _KIND, "format": FORMAT}).encode()
    said = mark.read_bytes() if mark.exists() else b""
    # A part of it is left by whoever was killed while writing it, or is about to end. In a folder
    # of an older format, each database is brought up to date when it is opened.
    if said == whole or (not whole.startswith(said) and _format_in(said) == FORMAT):
        return
    _write_durably(mark, whole)
    sync_folder(root.parent)


def is_store(root: Path) -> bool:
    """Whether a store was made in this folder."""
    with typed_errors():
        return (root / _MARK).is_file()


def mark_tenant(folder: Path, tenant: str) -> None:
    """Note durably whose database was made here, so that it is missed if it ever vanishes."""
    _write_durably(folder / _TENANT, json.dumps({"tenant": tenant}).encode())


def is_marked(folder: Path) -> bool:
    """Whether a tenant's database was made in this folder."""
    return (folder / _TENANT).exists()


def tenants_in(root: Path) -> dict[str, Path]:
    """Return the folder of each tenant that has a database, or had one, by name."""
    found = {}
    folders = (root / "tenants").iterdir() if (root / "tenants").exists() else ()
    for folder in (path for path in folders if path.is_dir()):
        name = _noted(folder) or _recorded(folder / "truth.db")
        if name is not None:
            found[name] = folder
    return dict(sorted(found.items()))


@contextmanager
def speaking_of(tenant: str, folder: Path) -> Iterator[None]:
    """Say whose database cannot be used; one that was made here is damaged, whatever is there."""
    try:
        with typed_errors():
            yield
    except (NotAStore, StoreDamaged) as error:
        message = f"Tenant {tenant!r}: {error.message}"
        if is_marked(folder):
            hint = f"Restore the last backup, or move {folder} away to go on without this tenant."
            raise StoreDamaged(message, hint) from error
        raise type(error)(message, error.hint) from error


def _write_durably(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def _noted(folder: Path) -> str | None:
    try:
        return str(json.loads((folder / _TENANT).read_bytes())["tenant"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    except OSError as error:
        raise StoreUnwritable(
            f"The tenant's folder {folder} cannot be read: {error.strerror}.",
            "Check its owner, permissions and mount.",
        ) from error


def _recorded(path: Path) -> str | None:
    """Return whose a database is; nobody's if its first transaction never came through."""
    if not path.exists():
        return None
    with speaking_of(path.parent.name, path.parent), closing(sqlite3.connect(path)) as connection:
        if not format_of(connection):
            return None
        found = connection.execute("SELECT value FROM meta WHERE name = 'tenant'").fetchone()
        return str(found[0]) if found else None


def bytes_in(folder: Path) -> int:
    """Add up the sizes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _make(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        place = next(path for path in (root, *root.parents) if path.is_symlink() or path.exists())
        raise NotAStore(f"{place} is a file, not a folder.", _ELSEWHERE) from None


def _format_in(said: bytes) -> int:
    """Return the format that a mark tells of, however it is spaced; others are refused."""
    try:
        mark = json.loads(said)
        kind, version = mark["kind"], mark["format"]
    except (ValueError, KeyError, TypeError):
        kind, version = "", 0
    if kind != _KIND:
        raise NotAStore(f"{_MARK} in the folder is not a store's.", "Choose another folder.")
    if version not in range(1, FORMAT + 1):
        raise unknown_format(version)
    return int(version)
