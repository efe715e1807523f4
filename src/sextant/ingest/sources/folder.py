"""A folder as a source: what is in it, in the order of the paths. Reads no file before it is asked.

What is refused as a whole, such as a folder that cannot be listed, has a path that ends in a slash.
"""

# ruff: noqa: PTH116, PTH118 - scandir gives strings, and ten thousand Paths would be slow

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from sextant.errors import Ignored, InvalidInput, ReadError, UnsafeSource
from sextant.ingest.sources.archives.unpack import archive_items
from sextant.ingest.sources.local_file import (
    moment,
    not_a_file,
    open_regular,
    open_within,
    read_limited,
    read_within,
    too_large,
    unreachable,
)
from sextant.ingest.sources.names import (
    archive_kind,
    fault_of,
    has_noise,
    is_noise,
    printable,
    told_apart,
)
from sextant.ingest.sources.patterns import IGNORE_FILE, Ignores, Wanted, wanted
from sextant.ingest.sources.rules import MEGABYTE, SourceRules
from sextant.ingest.values import Item, Refusal

WHOLE = "./"


@dataclass(frozen=True, slots=True)
class _Tree:
    root: str
    rules: SourceRules
    wanted: Wanted


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to go through: its path as reported and as it is on disk, each with its slash."""

    path: str = ""
    raw: str = ""
    ignores: Ignores = field(default_factory=Ignores)


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    raw: str


def folder_items(root: str, rules: SourceRules) -> Iterator[Item | Refusal]:
    """Yield what a folder holds; archives in it are opened, links out of it are not followed."""
    tree = _Tree(os.path.realpath(root), rules, wanted(rules))
    entered = [_listed(tree, _Folder())]
    while entered:
        found = next(entered[-1], None)
        if found is None:
            entered.pop()
        elif isinstance(found, _Folder):
            entered.append(_listed(tree, found))
        elif isinstance(found, _File):
            yield from file_items(tree.root, found.raw, found.path, rules)
        else:
            yield found


def file_items(root: str, raw: str, path: str, rules: SourceRules) -> Iterator[Item | Refusal]:
    """Yield a file of a tree, or what is in it if it is an archive."""
    try:
        status = os.lstat(os.path.join(root, raw))
    except OSError as error:
        yield Refusal(path, unreachable(path, error))
        return
    if not stat.S_ISREG(status.st_mode):
        yield Refusal(path, not_a_file(path))
    elif (kind := archive_kind(path)) is not None:
        yield from archive_items(partial(open_within, root, raw, path), kind, path, rules)
    elif status.st_size > rules.most_bytes:
        yield Refusal(path, too_large(path, rules.most_bytes))
    else:
        load = partial(read_within, root, raw, path, rules.most_bytes)
        yield Item(path, load, status.st_size, moment(status.st_mtime))


def _listed(tree: _Tree, folder: _Folder) -> Iterator[_Folder | _File | Refusal]:
    where = os.path.join(tree.root, folder.raw)
    try:
        with os.scandir(where) as found:
            entries = {entry.name: entry for entry in found}
        folder = _with_ignores(where, folder, IGNORE_FILE in entries)
    except OSError as error:
        shown = folder.path or "The folder"
        yield Refusal(folder.path or WHOLE, unreachable(shown, error))
        return
    except (ReadError, InvalidInput) as error:
        yield Refusal(folder.path or WHOLE, error)
        return
    names = told_apart(entries)
    for name in sorted(entries, key=lambda name: names[name] + _slash(entries[name])):
        yield _judged(tree, folder, entries[name], names[name])


def _with_ignores(where: str, folder: _Folder, has_patterns: bool) -> _Folder:
    if not has_patterns:
        return folder
    shown = folder.path + IGNORE_FILE
    with open_regular(os.path.join(where, IGNORE_FILE), shown) as file:
        text = read_limited(file, shown, MEGABYTE).decode("utf-8-sig", "replace")
    return _Folder(folder.path, folder.raw, folder.ignores.and_of(folder.path, text))


def _slash(entry: os.DirEntry[str]) -> str:
    """Return what makes a folder sort where the paths of its content do."""
    try:
        return "/" if entry.is_dir(follow_symlinks=False) else ""
    except OSError:
        return ""


def _judged(
    tree: _Tree, folder: _Folder, entry: os.DirEntry[str], name: str
) -> _Folder | _File | Refusal:
    path, raw, slash = folder.path + name, folder.raw + entry.name, _slash(entry)
    if fault := fault_of(path):
        return Refusal(printable(path) + slash, fault)
    if is_noise(name):
        return _skipped(
            path + slash, "is hidden or belongs to a tool", "Rename it to have it read."
        )
    if folder.ignores.hide(path + slash):
        return _skipped(
            path + slash, f"is left out by {IGNORE_FILE}", "Take its line out of there."
        )
    if slash:
        inside = _Folder(path + slash, raw + slash, folder.ignores)
        return inside if tree.wanted.enters(path + slash) else _unwanted(path + slash)
    if not tree.wanted.takes_or_opens(path):
        return _unwanted(path)
    return _linked(tree, path, raw) if entry.is_symlink() else _File(path, raw)


def _linked(tree: _Tree, path: str, raw: str) -> _File | Refusal:
    """Take a link to a hidden file of the tree, as mounted configurations have; refuse others."""
    target = os.path.realpath(os.path.join(tree.root, raw))
    if not target.startswith(tree.root.rstrip(os.sep) + os.sep):
        return Refusal(path, _leads_out(path))
    try:
        mode = os.stat(os.path.join(tree.root, raw)).st_mode
    except OSError as error:
        loops = error.errno == errno.ELOOP
        return Refusal(path, _leads_round(path) if loops else unreachable(path, error))
    inside = os.path.relpath(target, tree.root).replace(os.sep, "/")
    if not has_noise(inside):
        return _skipped(
            path, "is a link to what is read under its own name", "Look for it by that name."
        )
    if stat.S_ISDIR(mode):
        return Refusal(path, _hidden_folder(path))
    return _File(path, inside)


def _leads_out(path: str) -> UnsafeSource:
    return UnsafeSource(
        f"{path} is a link that leads out of the folder.", "Name what it leads to as a source."
    )


def _leads_round(path: str) -> UnsafeSource:
    return UnsafeSource(f"{path} is a link that leads back to itself.", "Remove the link.")


def _hidden_folder(path: str) -> UnsafeSource:
    return UnsafeSource(
        f"{path} is a link to a hidden folder, which is not followed.",
        "Name what it leads to as a source.",
    )


def _unwanted(path: str) -> Refusal:
    return _skipped(
        path, "is left out by the include and exclude patterns", "Change them to have it read."
    )


def _skipped(path: str, why: str, hint: str) -> Refusal:
    return Refusal(path, Ignored(f"{path} {why}.", hint), skipped=True)
