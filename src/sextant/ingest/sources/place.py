"""What the user named: a folder, a file, an archive or a site. Looks at it, and reads nothing."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sextant.errors import InvalidInput, UnknownFormat, Unreachable
from sextant.ingest.sources.names import archive_kind, normal, printable

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(//)?")


class PlaceKind(StrEnum):
    """What a place is, which decides how it is read."""

    FOLDER = "folder"
    FILE = "file"
    ARCHIVE = "archive"
    SITE = "site"


@dataclass(frozen=True, slots=True)
class Place:
    """A source that exists: its name, what the user typed, where that is, and the way there.

    The way of a path is absolute and goes through links, that of a site has no scheme: it stays
    the same where a link is pointed elsewhere.
    """

    name: str
    address: str
    kind: PlaceKind
    where: str
    way: str = ""


def place_of(argument: str, base: Path | None = None) -> Place:
    """Find out what the user means; relative paths start at ``base``."""
    if not argument.strip() or "\0" in argument:
        raise InvalidInput("No source was named.", "Name a folder, a file, an archive or a URL.")
    scheme = _SCHEME.match(argument)
    if scheme and scheme[1].lower() in ("http", "https"):
        return _site(argument)
    try:
        return _local(argument, (base or Path.cwd()) / Path(argument).expanduser())
    except FileNotFoundError as error:
        if scheme and scheme[2]:
            raise InvalidInput(
                f"{printable(argument)} is neither a file nor an http or https address.",
                "Download it first, then name the file.",
            ) from error
        raise Unreachable(
            f"There is no {printable(argument)} here.",
            "Check the spelling and the working folder; a site starts with https://.",
        ) from error
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be looked up"
        raise Unreachable(
            f"{printable(argument)} cannot be opened: {reason}.", "Check its permissions."
        ) from error


def _site(argument: str) -> Place:
    # What fetches takes long to load, and most places are no sites.
    from sextant.ingest.sources.web.urls import canonical

    url = canonical(argument)
    query = f"?{url.query.decode()}" if url.query else ""
    name = normal(f"{url.netloc.decode()}{url.path.rstrip('/')}{query}")
    return Place(name, argument, PlaceKind.SITE, str(url), f"//{name}")


def _local(argument: str, path: Path) -> Place:
    real = path.resolve(strict=True)
    mode = real.stat().st_mode
    if stat.S_ISDIR(mode):
        kind = PlaceKind.FOLDER
    elif not stat.S_ISREG(mode):
        raise UnknownFormat(
            f"{printable(argument)} is neither a file nor a folder.",
            "Pipes, sockets and devices are not read; save the content to a file.",
        )
    else:
        kind = PlaceKind.FILE if archive_kind(path.name) is None else PlaceKind.ARCHIVE
    # A link keeps the name that the user sees; only "." and ".." have none of their own.
    way = Path(os.path.abspath(path))  # noqa: PTH100
    visible = way.name or real.name
    return Place(normal(printable(visible or "root")), argument, kind, str(real), str(way))
