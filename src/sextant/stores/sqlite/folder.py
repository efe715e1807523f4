"""The store's folder: whose it is, and which tenants live in it."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import NoReturn

from sextant.errors import NotAStore
from sextant.stores.arrays.files import sync_folder
from sextant.stores.sqlite.schema import FORMAT, unknown_format

_MARK = "sextant-store.json"
_KIND = "sextant store"


def claim(root: Path) -> None:
    """Make the folder a store, or make sure that it is one. Several processes may do so at once."""
    root.mkdir(parents=True, exist_ok=True)
    mark = root / _MARK
    if not mark.exists() and any(root.iterdir()) and not mark.exists():
        raise NotAStore(
            "The folder holds files that are not a store's.", "Choose an empty or a new folder."
        )
    *older, whole = (
        json.dumps({"kind": _KIND, "format": number}).encode() for number in range(1, FORMAT + 1)
    )
    said = mark.read_bytes() if mark.exists() else b""
    if said == whole:
        return
    # A part of it is left by whoever was killed while writing it, or is about to end. In a folder
    # of an older format, each database is brought up to date when it is opened.
    if not whole.startswith(said) and said not in older:
        _refuse(said)
    with mark.open("wb") as file:
        file.write(whole)
        file.flush()
        os.fsync(file.fileno())
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


def _refuse(said: bytes) -> NoReturn:
    try:
        mark = json.loads(said)
        kind, version = mark["kind"], mark["format"]
    except (ValueError, KeyError, TypeError):
        kind, version = "", 0
    if kind != _KIND:
        raise NotAStore(f"{_MARK} in the folder is not a store's.", "Choose another folder.")
    raise unknown_format(version)
