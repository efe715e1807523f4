"""Which pages are of an older version, where a newer one of the same page is there, too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_SEGMENT = re.compile(
    r"(?:version-|v)(?P<named>\d+(?:\.(?:\d+|x))*)|(?P<bare>\d+(?:\.(?:\d+|x))+)", re.IGNORECASE
)
_CURRENT = frozenset({"latest", "stable", "current", "main", "master", "next", "dev"})
_VERSIONED = {"versioned_docs": "docs"}
"""Where Docusaurus keeps older versions, and the current one."""

_Version = tuple[int, ...]
_NEWEST: _Version = (10**9,)
_ANY = 10**6
"""For the x of 2.x, which is above all numbers of that place."""


def older_versions(paths: Iterable[str]) -> frozenset[str]:
    """Return the paths whose page is there in a newer version, or in one without a number."""
    pages = {path: _page(path) for path in paths if path}
    if all(version == _NEWEST for _, version in pages.values()):
        return frozenset()
    newest: dict[str, _Version] = {}
    for page, version in pages.values():
        newest[page] = max(version, newest.get(page, version))
    return frozenset(path for path, (page, version) in pages.items() if version < newest[page])


def version_folder(path: str) -> str:
    """Return a path up to the folder that is the number of a version; nothing if none is."""
    folders = path.split("/")
    at = next((at for at, one in enumerate(folders[:-1]) if _SEGMENT.fullmatch(one)), -1)
    return "/".join(folders[: at + 1])


@lru_cache(maxsize=10_000)
def _page(path: str) -> tuple[str, _Version]:
    """Return the page that a path stands for, and of which version it is."""
    folders = path.split("/")
    for at, folder in enumerate(folders[:-1]):
        found = _SEGMENT.fullmatch(folder)
        if found or folder.lower() in _CURRENT:
            before = [_VERSIONED.get(one, one) for one in folders[:at]]
            return "/".join((*before, *folders[at + 1 :])), _number(found) if found else _NEWEST
    return path, _NEWEST


def _number(found: re.Match[str]) -> _Version:
    parts = (found["named"] or found["bare"]).lower().split(".")
    return tuple(_ANY if one == "x" else int(one[:6]) for one in parts)
