"""The store's folder: whose it is, and which tenants live in it."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

from sextant.errors import FormatMismatch, NotAStore
from sextant.stores.arrays.files import sync_folder
from sextant.stores.sqlite.schema import FORMAT

_MARK = "sextant-store.json"
_KIND = "sextant store"


def claim(root: Path) -> None:
    """Make the folder a store, or make sure that it is one."""
    root.mkdir(parents=True, exist_ok=True)
    mark = root / _MARK
    if mark.exists():
        _recognise(mark)
        return
    if not _is_free(root):
        raise NotAStore(
            "The folder holds files that are not a store's.", "Choose an empty or a new folder."
        )
    draft = root / f"{_MARK}.{os.getpid()}"
    with draft.open("w", encoding="utf-8") as file:
        json.dump({"kind": _KIND, "format": FORMAT}, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(mark)
    sync_folder(root)
    sync_folder(root.parent)


def is_store(root: Path) -> bool:
    """Whether a store was made in this folder."""
    return (root / _MARK).is_file()


def tenant_names(root: Path) -> list[str]:
    """Name the tenants that have a database."""
    names = []
    for path in sorted((root / "tenants").glob("*/truth.db")):
        connection = sqlite3.connect(path)
        try:
            names += [
                name
                for (name,) in connection.execute("SELECT value FROM meta WHERE name = 'tenant'")
            ]
        except sqlite3.OperationalError:  # made, but its first transaction never came through
            continue
        finally:
            connection.close()
    return sorted(names)


def bytes_in(folder: Path) -> int:
    """Add up the sizes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _is_free(root: Path) -> bool:
    """Whether nothing is here, or only drafts of the mark by processes that start at once."""
    return all(path.name.startswith(_MARK) for path in root.iterdir())


def _recognise(mark: Path) -> None:
    try:
        said = json.loads(mark.read_text(encoding="utf-8"))
        kind, version = said["kind"], said["format"]
    except (ValueError, KeyError, TypeError):
        kind, version = "", 0
    if kind != _KIND:
        raise NotAStore(f"{_MARK} in the folder is not a store's.", "Choose another folder.")
    if version != FORMAT:
        raise FormatMismatch(
            f"The store has format {version}; this version of Sextant reads and writes {FORMAT}.",
            "Use the version that wrote it, or ingest into a new folder with this one.",
        )
