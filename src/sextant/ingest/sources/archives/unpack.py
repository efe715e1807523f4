"""From an archive to items: which entries are taken, how much in all, and archives within archives.

Entries come in the order of their paths. What is refused as a whole, or cut short, has a path that
ends in a slash; "./" is the place itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import BinaryIO

from sextant.errors import BrokenFile, Ignored, ReadError, TooMuch, Unreachable, UnsafeSource
from sextant.ingest.sources.archives.entry import Entry
from sextant.ingest.sources.archives.held import Held, spooled
from sextant.ingest.sources.archives.tars import inflated, tar_entries
from sextant.ingest.sources.archives.zips import zip_entries
from sextant.ingest.sources.local_file import too_large
from sextant.ingest.sources.names import archive_kind, entry_path, has_noise, printable
from sextant.ingest.sources.patterns import Wanted, wanted
from sextant.ingest.sources.rules import SourceRules
from sextant.ingest.values import Item, Refusal

_AGAIN = "Fetch or pack it again."
_UNWANTED = "Change the patterns, or rename it, to have it read."
_BOMB = "Unpack it yourself and look, or raise the limits."


@dataclass(slots=True)
class _Allowance:
    """What may still be unpacked of the outermost archive, and the paths that are taken."""

    bytes: int
    entries: int
    taken: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Archive:
    """An archive being read: its path, with a slash unless it is the place itself."""

    path: str
    kind: str
    level: int
    rules: SourceRules
    wanted: Wanted
    allowance: _Allowance


def archive_items(
    opener: Callable[[], BinaryIO], kind: str, path: str, rules: SourceRules
) -> Iterator[Item | Refusal]:
    """Yield what an archive holds under its path; an empty path stands for the place itself."""
    allowance = _Allowance(rules.most_total, rules.most_entries)
    prefix = f"{path}/" if path else ""
    archive = _Archive(prefix, kind, 0, rules, wanted(rules), allowance)
    try:
        held = Held(opener())
    except ReadError as error:
        yield Refusal(prefix or "./", error)
        return
    yield from _unpacked(archive, held)


def _unpacked(archive: _Archive, held: Held) -> Iterator[Item | Refusal]:
    found: list[tuple[str, Entry | Refusal]] = []
    trouble: ReadError | None = None
    try:
        for entry in _entries(archive, held):
            found.append(_placed(archive, entry))  # noqa: PERF401 - what came before trouble counts
    except Exception as error:  # the parsers raise a dozen kinds on bad bytes
        trouble = _as_broken(error)
    archive.allowance.entries -= len(found)
    try:
        # Sorting is stable: of two entries with one name, the earlier one is taken.
        for path, what in sorted(found, key=lambda pair: pair[0]):
            yield from [what] if isinstance(what, Refusal) else _taken(archive, path, what)
    except TooMuch as error:
        trouble = error
    if trouble:
        yield Refusal(archive.path or "./", trouble)


def _entries(archive: _Archive, held: Held) -> Iterator[Entry]:
    rules, allowance = archive.rules, archive.allowance
    if archive.kind == "zip":
        yield from zip_entries(held, allowance.entries)
    elif not archive.kind:
        yield from tar_entries(held, allowance.entries)
    else:
        # Headers of small files shrink a lot, so a short tar archive may have any ratio.
        most = min(allowance.bytes, max(rules.most_bytes, rules.most_ratio * held.size))
        whole, broken = spooled(inflated(held, archive.kind), most)
        yield from tar_entries(whole, allowance.entries)
        if broken:
            raise broken


def _placed(archive: _Archive, entry: Entry) -> tuple[str, Entry | Refusal]:
    try:
        return entry_path(archive.path, entry.name), entry
    except ReadError as error:
        # A slash at its end would say that the whole archive could not be read.
        shown = archive.path + printable(entry.name).rstrip("/")
        return shown, Refusal(shown, error)


def _taken(archive: _Archive, path: str, entry: Entry) -> Iterator[Item | Refusal]:
    inside = path.removeprefix(archive.path)
    if has_noise(inside) or not archive.wanted.takes_or_opens(path):
        why = Ignored(
            f"{path} is hidden, belongs to a tool, or is left out by the patterns.", _UNWANTED
        )
        yield Refusal(path, why, skipped=True)
        return
    if fault := _fault(archive, path, entry):
        yield Refusal(path, fault)
        return
    allowance = archive.allowance
    allowance.taken.add(path)
    if entry.size > allowance.bytes:
        allowance.bytes = 0
        raise TooMuch(f"The archive unpacks to over {archive.rules.most_total} bytes.", _BOMB)
    allowance.bytes -= entry.size
    if (kind := archive_kind(path)) is not None:
        yield from _nested(archive, path, entry, kind)
    else:
        yield Item(path, partial(_load, entry), entry.size, entry.modified)


def _fault(archive: _Archive, path: str, entry: Entry) -> ReadError | None:
    rules = archive.rules
    if entry.fault:
        return entry.fault
    if path in archive.allowance.taken:
        return UnsafeSource(f"{path} is in the archive twice; the first was taken.", _AGAIN)
    if entry.size > rules.ratio_from and entry.size > rules.most_ratio * entry.packed:
        return TooMuch(f"{path} unpacks to over {rules.most_ratio} times its size.", _BOMB)
    if archive_kind(path) is None and entry.size > rules.most_bytes:
        return too_large(path, rules.most_bytes)
    return None


def _nested(archive: _Archive, path: str, entry: Entry, kind: str) -> Iterator[Item | Refusal]:
    if archive.level >= archive.rules.nesting:
        why = TooMuch(f"{path} is an archive within too many others.", "Unpack the outer one.")
        yield Refusal(path, why)
        return
    held, broken = spooled(entry.pieces(), entry.size)
    if broken:
        yield Refusal(f"{path}/", _as_broken(broken))
        return
    inner = replace(archive, path=f"{path}/", kind=kind, level=archive.level + 1)
    yield from _unpacked(inner, held)


def _load(entry: Entry) -> bytes:
    try:
        return b"".join(entry.pieces())
    except Exception as error:
        raise _as_broken(error) from error


def _as_broken(error: Exception) -> ReadError:
    if isinstance(error, ReadError):
        return error
    if isinstance(error, OSError) and error.errno is not None:
        return Unreachable("The archive cannot be read to its end.", "Check the disk it is on.")
    return BrokenFile("The archive is damaged, or not what its name says.", _AGAIN)
