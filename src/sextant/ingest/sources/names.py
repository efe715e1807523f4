"""What an item may be called, and which names nobody wants to read. Knows no file system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from sextant.errors import BrokenFile, ReadError, TooMuch, UnsafeSource

MOST_CHARACTERS = 800

_JUNK = frozenset(
    {
        "$RECYCLE.BIN",
        "CVS",
        "Thumbs.db",
        "__MACOSX",
        "__pycache__",
        "bower_components",
        "desktop.ini",
        "lost+found",
        "node_modules",
        "site-packages",
        "venv",
    }
)
_ARCHIVE_ENDINGS = {
    ".zip": "zip",
    ".tar": "",
    ".tar.gz": "gz",
    ".tgz": "gz",
    ".tar.bz2": "bz2",
    ".tbz2": "bz2",
    ".tar.xz": "xz",
    ".txz": "xz",
}
_DRIVE = re.compile(r"[A-Za-z]:")


def printable(name: str) -> str:
    """Return a name that any terminal and any file can take, odd characters spelled out."""
    return "".join(c if _is_plain(c) else _spelled(c) for c in name)


def normal(name: str) -> str:
    """Return the composed form, so that one name is not two on another system."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def is_noise(name: str) -> bool:
    """Say whether a file or folder is hidden, a tool's own, or a backup copy."""
    return name.startswith(".") or name in _JUNK or name.endswith("~")


def has_noise(path: str) -> bool:
    """Say whether any part of a path is noise."""
    return any(is_noise(part) for part in path.split("/"))


def fault_of(path: str) -> ReadError | None:
    """Return why a path cannot be the name of an item, if it cannot."""
    if path.isascii() and path.isprintable() and len(path) <= MOST_CHARACTERS:
        return None
    rename = "Rename it, then try again."
    if any("\ud800" <= c <= "\udfff" for c in path):
        return BrokenFile(f"The name {printable(path)} is not valid UTF-8.", rename)
    if not all(map(_is_plain, path)):
        return BrokenFile(f"The name {printable(path)} holds a control character.", rename)
    if len(path) > MOST_CHARACTERS:
        return TooMuch(f"The path {path[:60]}… is over {MOST_CHARACTERS} characters.", rename)
    return None


def entry_path(archive: str, name: str) -> str:
    """Return the tidy path of an entry below its archive's; raise if it leads anywhere else."""
    if fault := fault_of(archive + name):
        raise fault
    if "\\" in name or name.startswith("/") or _DRIVE.match(name) or ".." in name.split("/"):
        raise UnsafeSource(
            f"The entry {name} would lead out of its archive.",
            "Pack the archive again with plain relative names.",
        )
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if not parts:
        raise BrokenFile("The archive has an entry without a name.", "Pack it again.")
    return archive + normal("/".join(parts))


def archive_kind(name: str) -> str | None:
    """Return how an archive is packed ("zip", "" for a bare tar, "gz" …); None if it is none."""
    lowered = name.lower()
    return next((kind for end, kind in _ARCHIVE_ENDINGS.items() if lowered.endswith(end)), None)


def told_apart(names: Iterable[str]) -> dict[str, str]:
    """Map each name of a folder to its normal form; those that become one get a number."""
    given = sorted(names, key=lambda name: (normal(name) != name, name))
    result: dict[str, str] = {}
    taken: set[str] = set()
    for name in given:
        result[name] = unused(normal(name), taken)
        taken.add(result[name])
    return result


def unused(name: str, taken: set[str]) -> str:
    """Return the name, with a number before its ending if it is taken."""
    folder, slash, last = name.rpartition("/")
    stem, dot, ending = last.rpartition(".")
    if not stem:
        stem, dot, ending = last, "", ""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{folder}{slash}{stem} [{number}]{dot}{ending}"
    return candidate


def _spelled(character: str) -> str:
    """Spell out a character; what the system could not decode is a byte, not a character."""
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def _is_plain(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
