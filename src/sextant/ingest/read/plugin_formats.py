"""Formats that other packages read: which files are in one, and who reads it. Knows no format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from sextant.entrypoints import FORMATS, load_plugin, registered
from sextant.errors import ConfigError
from sextant.ingest.read.given import Given
from sextant.ingest.values import Reading


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How to read files with these endings (``("ics",)``) or media types; ours come first.

    It is read in a process of its own, within limits of time and memory.
    """

    read: Callable[[Given], list[Reading]]
    endings: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    is_binary: bool = False


@cache
def installed_formats() -> dict[str, FileFormat]:
    """Return the formats that other packages registered, by name."""
    return {name: _format(name) for name in registered(FORMATS)}


def plugin_format_of(ending: str, media_type: str) -> str:
    """Name the plugin's format that a file is in, or nothing."""
    for name, one in installed_formats().items():
        if ending in one.endings or (media_type and media_type in one.media_types):
            return name
    return ""


def _format(name: str) -> FileFormat:
    found = load_plugin(FORMATS, name)
    if not isinstance(found, FileFormat):
        raise ConfigError(
            f"The plugin {name} registers something else than a FileFormat.",
            "Have it register one, or uninstall it.",
        )
    return found
